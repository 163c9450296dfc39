/** What the lists of deliveries and requests are filtered by, as their addresses have it. */
import type { Client } from '../oauth/client.ts';
import type { Person } from '../people/person.ts';
import type { DashboardMessageKey } from './messages/messages.ts';

/** A value of an address, the empty text where there is none. */
export type Query = (name: string) => string;

/** What is wrong with a filter: nothing is listed then. */
export type FilterProblem = Extract<DashboardMessageKey, `filter.wrong.${string}`>;

/** From then until before then; epoch milliseconds. */
export type TimeRange = { readonly from?: number | undefined; readonly to?: number | undefined };

/** A time in UTC, as fields of type `datetime-local` have it; undefined for what is none. */
export function utcInstant(text: string): number | undefined {
  const [, time] = /^(\d{4}-\d\d-\d\dT\d\d:\d\d(?::\d\d(?:\.\d{1,3})?)?)Z?$/.exec(text) ?? [];
  const instant = time === undefined ? Number.NaN : Date.parse(`${time}Z`);
  return Number.isNaN(instant) ? undefined : instant;
}

/** The same to the second, for a field or an address. */
export const utcText = (at: number): string => new Date(at).toISOString().slice(0, 19);

export function readRange(query: Query): {
  readonly range: TimeRange;
  readonly problems: readonly FilterProblem[];
} {
  const [from, to] = [query('from'), query('to')].map((text) => (text === '' ? undefined : utcInstant(text)));
  const isBad = (query('from') !== '' && from === undefined) || (query('to') !== '' && to === undefined);
  const isEmpty = from !== undefined && to !== undefined && from >= to;
  const problems: FilterProblem[] = isBad ? ['filter.wrong.time'] : isEmpty ? ['filter.wrong.range'] : [];
  return { range: { from, to }, problems };
}

/** The one application that a list is of: the one that is asked for, or the only one that somebody may read. */
export function oneApplication(query: Query, clients: readonly Client[]): Client | undefined {
  const asked = query('client');
  if (asked === '') return clients.length === 1 ? clients[0] : undefined;
  return clients.find(({ clientId }) => clientId === asked);
}

/**
 * The applications to list: an empty list for one that somebody may not read, whatever the address says; undefined for all of
 * the instance.
 */
export function listedApplications(person: Person, query: Query): readonly string[] | undefined {
  const clientId = query('client');
  const ownClientIds = person.role === 'developer' ? person.clientIds : undefined;
  if (clientId === '') return ownClientIds;
  return ownClientIds === undefined || ownClientIds.includes(clientId) ? [clientId] : [];
}

/** An address with those of its values that are there. */
export function addressWith(path: string, values: Readonly<Record<string, string | undefined>>): string {
  const given = Object.entries(values).flatMap(([name, value]) => (value ? [[name, value]] : []));
  return given.length === 0 ? path : `${path}?${new URLSearchParams(given)}`;
}
