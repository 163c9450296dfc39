/** When somebody is busy: the blocking events of all chosen calendars in the mirror, merged. */

import { DAY } from '../lib/recurrence/civil.ts';
import { instantOfLocal } from '../lib/recurrence/zone.ts';
import { readMembers } from '../lib/rendered-json.ts';
import type { EventReader } from '../reading/event-reader.ts';
import type { ListedEvent } from '../reading/event-text.ts';
import { windowTooLarge } from '../reading/events-query.ts';
import type { Owned } from '../reading/freshness.ts';
import { pageOfEvents } from '../reading/page-of-events.ts';
import { clipped, type Interval, merged } from './intervals.ts';

/** The most events that are read for one answer. */
const MOST_EVENTS = 50_000;
const PAGE_SIZE = 1000;

export type BusyTimeInput = {
  readonly calendars: readonly Owned[];
  readonly window: Interval;
  readonly timeZone: string | undefined;
};

/**
 * Disjoint, in order, within the window. An all-day event blocks its days in `timeZone`, by default in the zone of its
 * calendar. Throws 400 `window_too_large`.
 */
export async function busyTime(
  { calendars, window, timeZone }: BusyTimeInput,
  reader: EventReader,
): Promise<Interval[]> {
  const owners = new Map(calendars.map((owned) => [owned.calendar.calendarKey, owned]));
  const zones = new Map(calendars.map(({ calendar }) => [calendar.calendarKey, calendar.timeZone]));
  // The mirror has days at midnight UTC: up to 14 hours from midnight in the zone that is meant.
  const wide = { start: window.start - DAY, end: window.end + DAY };
  const intervals: Interval[] = [];
  for (let after: ListedEvent | undefined, read = 0; ; ) {
    const page = { window: wide, singleEvents: true, pageSize: PAGE_SIZE, after };
    const { events, more } = await pageOfEvents(page, zones, reader);
    read += events.length;
    for (const event of events) {
      const owner = owners.get(event.calendarKey);
      const interval = owner && busyInterval(event, owner, timeZone);
      if (interval !== undefined) intervals.push(interval);
    }
    after = events.at(-1);
    if (!more || after === undefined) break;
    if (read >= MOST_EVENTS) throw windowTooLarge();
  }
  return merged(clipped(intervals, window));
}

function busyInterval(
  event: ListedEvent,
  { calendar, account }: Owned,
  timeZone: string | undefined,
): Interval | undefined {
  const content = readMembers(event.content);
  const { availability, status, attendees, allDay } = content;
  if (availability === 'free' || status === 'cancelled') return undefined;
  const userAddresses = new Set([account.accountId, account.display, calendar.href].map(addressOf));
  if (
    attendees.some(
      (attendee) => attendee.status === 'declined' && userAddresses.has(addressOf(attendee.email)),
    )
  )
    return undefined;
  const start = event.times?.start ?? Date.parse(content.start ?? '');
  const end = event.times?.end ?? Date.parse(content.end ?? '');
  if (!allDay) return { start, end };
  const zone = timeZone ?? calendar.timeZone;
  return { start: instantOfLocal(zone, start), end: instantOfLocal(zone, end) };
}

const addressOf = (text: string): string => text.replace(/^mailto:/i, '').toLowerCase();
