/** Reads the account's calendars. */
import type { Calendar as GraphCalendar } from '@microsoft/microsoft-graph-types';

import type { ProviderCalendar } from '../../calendars/calendar.ts';
import { readMember, text, withoutUndefined } from '../json-value.ts';
import type { Graph } from './api.ts';
import { readMailboxZone } from './mailbox-zone.ts';

export const calendarUrl = ({ apiUrl }: Graph, href: string): string =>
  `${apiUrl}/me/calendars/${encodeURIComponent(href)}`;

/** Returns a getter of the owner's address, which is requested once; `undefined` if Graph does not name it. */
export function ownerOfCalendar(graph: Graph, url: string): () => Promise<string | undefined> {
  let owner: Promise<string | undefined> | undefined;
  const request = { operation: 'calendars.get', url: `${url}?$select=owner` };
  const ask = async () => text(readMember((await graph.get(request)).owner, 'address'));
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
    // A calendar may be listed twice: the last entry counts.
    for (const calendar of value) if (calendar.id) calendars.set(calendar.id, calendar);
  }
  const timeZone = await readMailboxZone(graph, [...calendars.values()], now);
  return [...calendars].map(([id, calendar]) => toCalendar(id, calendar, timeZone));
}

/** `timeZone` is the mailbox's, since Graph's calendars have none. It is for events created without a zone. */
function toCalendar(id: string, calendar: GraphCalendar, timeZone: string): ProviderCalendar {
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
