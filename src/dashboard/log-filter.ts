/** Filters of the delivery and request lists, read from their query parameters. */
import type { Client } from '../oauth/client.ts';
import { assignedClientIds } from '../people/permission.ts';
import type { Person } from '../people/person.ts';
import type { DashboardMessageKey } from './messages/messages.ts';
import { PERIODS, readPeriod } from './pages/filter-form.page.ts';

/** Returns a query parameter, or the empty text if it is absent. */
export type Query<Name extends string = string> = (name: Name) => string;

/** Returns the parameters that are not empty. */
export const filterValues = (names: readonly string[], query: Query): Readonly<Record<string, string>> =>
  Object.fromEntries(names.map((name) => [name, query(name)]).filter(([, value]) => value !== ''));

/** The message of an invalid filter. If there is one, nothing is listed. */
export type FilterProblem = Extract<DashboardMessageKey, `filter.wrong.${string}`>;

/** `from` is inclusive, `to` exclusive; epoch milliseconds. */
export type TimeRange = { readonly from?: number | undefined; readonly to?: number | undefined };

/** Parses a UTC time of a `datetime-local` field to epoch milliseconds, or undefined if it is invalid. */
export function utcInstant(text: string): number | undefined {
  const [, time] = /^(\d{4}-\d\d-\d\dT\d\d:\d\d(?::\d\d(?:\.\d{1,3})?)?)Z?$/.exec(text) ?? [];
  const instant = time === undefined ? Number.NaN : Date.parse(`${time}Z`);
  return Number.isNaN(instant) ? undefined : instant;
}

/** Formats a time for such a field, to the second. */
export const utcText = (at: number): string => new Date(at).toISOString().slice(0, 19);

/** Reads `from` and `to`, or the period before `now` if both are absent. */
export function readRange(
  query: Query<'from' | 'to' | 'period'>,
  now: number,
): { readonly range: TimeRange; readonly problems: readonly FilterProblem[] } {
  const period = readPeriod(query);
  if (period !== '' && query('from') === '' && query('to') === '')
    return { range: { from: now - PERIODS[period] }, problems: [] };
  const [from, to] = [query('from'), query('to')].map((text) => (text === '' ? undefined : utcInstant(text)));
  const isBad = (query('from') !== '' && from === undefined) || (query('to') !== '' && to === undefined);
  const isEmpty = from !== undefined && to !== undefined && from >= to;
  const problems: FilterProblem[] = isBad ? ['filter.wrong.time'] : isEmpty ? ['filter.wrong.range'] : [];
  return { range: { from, to }, problems };
}

/** Returns the application that the filter selects, or the only one that the member may read. */
export function oneApplication(query: Query<'client'>, clients: readonly Client[]): Client | undefined {
  const requested = query('client');
  if (requested === '') return clients.length === 1 ? clients[0] : undefined;
  return clients.find(({ clientId }) => clientId === requested);
}

/** Returns the ids of applications to list. Undefined: all. Empty: the member may not read the selected one. */
export function listedApplications(person: Person, query: Query<'client'>): readonly string[] | undefined {
  const clientId = query('client');
  const assigned = assignedClientIds(person);
  if (clientId === '') return assigned;
  return assigned === undefined || assigned.includes(clientId) ? [clientId] : [];
}
