/** The account's calendars. */
import type { Calendar as GraphCalendar } from '@microsoft/microsoft-graph-types';

import type { ProviderCalendar } from '../../calendars/calendar.ts';
import { type Graph, graphPages } from './graph-client.ts';

export async function listCalendars(graph: Graph): Promise<ProviderCalendar[]> {
  const request = { operation: 'calendars.list', url: `${graph.apiUrl}/me/calendars?$top=100` };
  const calendars = new Map<string, ProviderCalendar>();
  for await (const { value } of graphPages<GraphCalendar>(graph, request)) {
    // A page may name one twice: the last word counts.
    for (const calendar of value)
      if (calendar.id) calendars.set(calendar.id, calendarOf(calendar.id, calendar));
  }
  return [...calendars.values()];
}

/**
 * The zone is UTC (wire 2.4): Graph's calendars have none, and the mailbox's own needs the permission
 * MailboxSettings.Read, which no scope of ours is worth. No event depends on it, since each names its zone.
 */
export function calendarOf(id: string, calendar: GraphCalendar): ProviderCalendar {
  const { name, hexColor, canEdit, isDefaultCalendar } = calendar;
  const color = /^#[\da-f]{6}$/i.test(hexColor ?? '') ? { color: hexColor?.toLowerCase() ?? '' } : {};
  return {
    href: id,
    title: name ?? '',
    ...color,
    timeZone: 'UTC',
    access: canEdit === true ? 'write' : 'read',
    ...(isDefaultCalendar === true ? { primary: true } : {}),
    original: { ...calendar },
  };
}
