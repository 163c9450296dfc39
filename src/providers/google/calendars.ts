/** The user's calendar list, CalendarList: list. */
import type { calendar_v3 } from '@googleapis/calendar';

import type { ProviderCalendar } from '../../calendars/calendar.ts';
import { objects, text } from '../json-value.ts';
import type { GoogleApi } from './api.ts';
import { pagesOf } from './pages.ts';

type Entry = calendar_v3.Schema$CalendarListEntry;

/** Google's most. */
const PAGE_SIZE = '250';

/**
 * The calendars on the user's list, in Google's order. Those the user hid from it are left out, as Google does itself
 * unless asked; those merely unticked are there.
 */
export async function listCalendars(api: GoogleApi): Promise<ProviderCalendar[]> {
  const calendars = new Map<string, ProviderCalendar>();
  const ask = (pageToken: string | undefined) =>
    api.get('calendarList.list', '/users/me/calendarList', { maxResults: PAGE_SIZE, pageToken });
  for await (const page of pagesOf<calendar_v3.Schema$CalendarList>(ask)) {
    for (const entry of objects<Entry>(page.items)) {
      const calendar = calendarOf(entry);
      if (calendar !== undefined) calendars.set(calendar.href, calendar);
    }
  }
  return [...calendars.values()];
}

/** `undefined` for one that is not shown, or cannot be named. */
export function calendarOf(entry: Entry): ProviderCalendar | undefined {
  const href = text(entry.id);
  if (href === undefined || entry.deleted === true || entry.hidden === true) return undefined;
  const description = text(entry.description);
  const color = /^#[\da-f]{6}$/i.exec(text(entry.backgroundColor) ?? '')?.[0].toLowerCase();
  return {
    href,
    // What the user calls it goes before what its owner calls it.
    title: text(entry.summaryOverride) ?? text(entry.summary) ?? href,
    ...(description === undefined ? {} : { description }),
    ...(color === undefined ? {} : { color }),
    timeZone: text(entry.timeZone) ?? 'UTC',
    access: entry.accessRole === 'owner' || entry.accessRole === 'writer' ? 'write' : 'read',
    ...(entry.primary === true ? { primary: true } : {}),
    original: { ...entry },
  };
}
