/** The account's calendars. */
import type { Calendar as GraphCalendar } from '@microsoft/microsoft-graph-types';

import type { ProviderCalendar } from '../../calendars/calendar.ts';
import { type Graph, graphPages } from './api.ts';
import { mailboxZone } from './mailbox-zone.ts';

/** `now` is epoch milliseconds. */
export async function listCalendars(graph: Graph, now: number): Promise<ProviderCalendar[]> {
  const request = { operation: 'calendars.list', url: `${graph.apiUrl}/me/calendars?$top=100` };
  const calendars = new Map<string, GraphCalendar>();
  for await (const { value } of graphPages<GraphCalendar>(graph, request)) {
    // A page may name one twice: the last word counts.
    for (const calendar of value) if (calendar.id) calendars.set(calendar.id, calendar);
  }
  const timeZone = await mailboxZone(graph, [...calendars.values()], now);
  return [...calendars].map(([id, calendar]) => calendarOf(id, calendar, timeZone));
}

/**
 * The zone is the mailbox's: Graph's calendars have none of their own. Events that are there name theirs; it is for
 * those that are made without saying.
 */
export function calendarOf(id: string, calendar: GraphCalendar, timeZone: string): ProviderCalendar {
  const { name, hexColor, canEdit, isDefaultCalendar } = calendar;
  const color = /^#[\da-f]{6}$/i.test(hexColor ?? '') ? { color: hexColor?.toLowerCase() ?? '' } : {};
  return {
    href: id,
    title: name ?? '',
    ...color,
    timeZone,
    access: canEdit === true ? 'write' : 'read',
    ...(isDefaultCalendar === true ? { primary: true } : {}),
    original: { ...calendar },
  };
}
