/** Records changes in the list of an account's calendars, for the endpoints that follow it. */
import type { ReadableCalendar } from '../../reading/event-reader.ts';
import type { Statements } from '../drivers/database.ts';
import type { Noter } from './user-notes.ts';

export type KnownCalendar = Pick<
  ReadableCalendar,
  'calendarKey' | 'href' | 'title' | 'description' | 'color' | 'timeZone' | 'access'
>;

export const KNOWN_CALENDARS = `
  SELECT calendar_key, href, title, description, color, time_zone, access
    FROM calendar WHERE account_key = :key AND left_out = 0 ORDER BY position, href`;

type Replaced = { readonly key: string; readonly before: readonly KnownCalendar[]; readonly note: Noter };

/** Notes the differences to the new list. Call it after that is written. */
export async function noteCalendars(tx: Statements, { key, before, note }: Replaced): Promise<void> {
  const after = await tx.all<KnownCalendar>(KNOWN_CALENDARS, { key });
  const earlier = new Map(before.map((calendar) => [calendar.calendarKey, calendar]));
  for (const calendar of after) {
    const existing = earlier.get(calendar.calendarKey);
    earlier.delete(calendar.calendarKey);
    if (existing === undefined) await note({ eventType: 'calendar.created', data: toNoteData(calendar) });
    else if (JSON.stringify(existing) !== JSON.stringify(calendar))
      await note({ eventType: 'calendar.updated', data: toNoteData(calendar) });
  }
  for (const deleted of earlier.values())
    await note({ eventType: 'calendar.deleted', data: toNoteData(deleted) });
}

const toNoteData = ({ href, title, description, color, timeZone, access }: KnownCalendar) => ({
  id: href,
  title,
  timeZone,
  access,
  ...(description !== undefined && { description }),
  ...(color !== undefined && { color }),
});
