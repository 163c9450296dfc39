/** The busy time of calendars that together have too many events for one read. */
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';

import type { EventMembers } from '../calendars/mirrored-event.ts';
import { renderMembers } from '../lib/rendered-json.ts';
import { type EventContent, nameOfRow, type PieceReader, type SingleName } from '../reading/event-reader.ts';
import type { Owned } from '../reading/freshness.ts';
import type { PageDeps } from '../reading/page-of-events.ts';
import { busyTime } from './busy-time.ts';

const DAY = 86_400_000;
const HOUR = DAY / 24;
const USER = { clientId: 'acme', userId: 'ada' };

/** Returns a calendar whose two events are, by their size, too much for one read. */
function largeCalendar(place: number): Owned {
  const calendar = { calendarKey: String(place), timeZone: 'UTC', href: '/', bytes: 18_000_000 };
  const account = { addresses: [], accountId: 'ada', display: 'Ada' };
  // busyTime reads only these fields.
  return { calendar, account } as unknown as Owned;
}

const singleNames = async (calendarKey: string): Promise<SingleName[]> =>
  ['a', 'b'].map((id) => ({
    calendarKey,
    id,
    startsAt: Number(calendarKey) * HOUR,
    href: id,
    recurrenceId: '',
    size: 9_000_000,
    searched: 0,
  }));

const contentsOf: PieceReader['contentsOf'] = async (calendarKey, rows) => {
  const start = new Date(Number(calendarKey) * HOUR).toISOString();
  const end = new Date((Number(calendarKey) + 2) * HOUR).toISOString();
  // The fields of an event that decide whether and when it blocks.
  const content = renderMembers<Partial<EventMembers>>({ start, end, allDay: false, attendees: [] });
  return new Map(
    rows.map((row) => [
      nameOfRow(row),
      { content: content as EventContent['content'], original: undefined, etag: undefined },
    ]),
  );
};

const deps = {
  events: { singleNames, contentsOf, mastersIn: async () => [], seriesRows: async () => [] },
  heavyReads: { run: async <T>(_user: unknown, work: (owner: string) => Promise<T>) => work('ada') },
  // Large calendars use nothing else.
} as unknown as PageDeps;

describe('the busy time of large calendars', () => {
  it('has each event as it is, so that many calendars are merged once and not one after another', async () => {
    const calendars = Array.from({ length: 20 }, (_, place) => largeCalendar(place));
    const { signal } = new AbortController();
    const input = { user: USER, calendars, window: { start: 0, end: DAY }, timeZone: undefined, signal };

    const { busy, leftOut } = await busyTime(input, deps);

    assert.deepEqual(
      busy,
      calendars.map((_, place) => ({ start: place * HOUR, end: (place + 2) * HOUR })),
    );
    assert.equal(leftOut.length, calendars.length);
  });
});
