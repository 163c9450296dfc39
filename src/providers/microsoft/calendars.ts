/** The account's calendars. */
import type { Calendar as GraphCalendar } from '@microsoft/microsoft-graph-types';

import type { ProviderCalendar } from '../../calendars/calendar.ts';
import { memberOf, text, withoutUndefined } from '../json-value.ts';
import type { Graph } from './api.ts';
import { mailboxZone } from './mailbox-zone.ts';

export const calendarUrl = ({ apiUrl }: Graph, href: string): string =>
  `${apiUrl}/me/calendars/${encodeURIComponent(href)}`;

/** The address of a calendar's owner, asked for when it is first needed; `undefined` where Graph does not tell. */
export function ownerOfCalendar(graph: Graph, url: string): () => Promise<string | undefined> {
  let owner: Promise<string | undefined> | undefined;
  const request = { operation: 'calendars.get', url: `${url}?$select=owner` };
  const ask = async () => text(memberOf((await graph.get(request)).owner, 'address'));
  return () => {
    owner ??= ask();
    return owner;
  };
}

/** `now` is epoch milliseconds. */
export async function listCalendars(graph: Graph, now: number): Promise<ProviderCalendar[]> {
  const request = { operation: 'calendars.list', url: `${graph.apiUrl}/me/calendars?$top=100` };
  const calendars = new Map<string, GraphCalendar>();
  for await (const { value } of graph.list<GraphCalendar>(request)) {
    // A page may name one twice: the last counts.
    for (const calendar of value) if (calendar.id) calendars.set(calendar.id, calendar);
  }
  const timeZone = await mailboxZone(graph, [...calendars.values()], now);
  return [...calendars].map(([id, calendar]) => calendarOf(id, calendar, timeZone));
}

/**
 * The zone is the mailbox's: Graph's calendars have none of their own. Events that are there name theirs; it is for
 * those that are made without saying.
 */
function calendarOf(id: string, calendar: GraphCalendar, timeZone: string): ProviderCalendar {
  const { name, hexColor, canEdit, isDefaultCalendar } = calendar;
  const color = /^#[\da-f]{6}$/i.exec(hexColor ?? '')?.[0].toLowerCase();
  return {
    href: id,
    title: name ?? '',
    ...withoutUndefined({ color }),
    timeZone,
    access: canEdit === true ? 'write' : 'read',
    ...(isDefaultCalendar === true ? { primary: true } : {}),
    original: { ...calendar },
  };
}
