/** The user's calendar list, CalendarList: list. */
import type { calendar_v3 } from '@googleapis/calendar';

import type { ProviderCalendar } from '../../calendars/calendar.ts';
import { objects, text, withoutUndefined } from '../json-value.ts';
import type { GoogleApi } from './api.ts';

type Entry = calendar_v3.Schema$CalendarListEntry;

const REQUEST = {
  operation: 'calendarList.list',
  path: '/users/me/calendarList',
  // Google's maximum.
  parameters: { maxResults: '250' },
};

/** Returns the calendars on the user's list in Google's order, unticked ones included, hidden ones excluded. */
export async function listCalendars(api: GoogleApi): Promise<ProviderCalendar[]> {
  const calendars = new Map<string, ProviderCalendar>();
  for await (const { items } of api.list<calendar_v3.Schema$CalendarList>(REQUEST)) {
    for (const calendar of objects<Entry>(items).map(toCalendar))
      if (calendar !== undefined) calendars.set(calendar.href, calendar);
  }
  return [...calendars.values()];
}

/** Returns the calendar; undefined if it is hidden or has no id. `writerWithoutPrivateAccess` may write too. */
function toCalendar(entry: Entry): ProviderCalendar | undefined {
  const href = text(entry.id);
  if (href === undefined || entry.deleted === true || entry.hidden === true) return undefined;
  return {
    href,
    // The user's name for a calendar takes precedence over its owner's.
    title: text(entry.summaryOverride) ?? text(entry.summary) ?? href,
    ...withoutUndefined({
      description: text(entry.description),
      color: /^#[\da-f]{6}$/i.exec(text(entry.backgroundColor) ?? '')?.[0].toLowerCase(),
    }),
    timeZone: text(entry.timeZone) ?? 'UTC',
    access: /owner|writer/.test(text(entry.accessRole) ?? '') ? 'write' : 'read',
    ...(entry.primary === true ? { primary: true } : {}),
    original: { ...entry },
  };
}
