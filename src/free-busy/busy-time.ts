/** The busy time of a user: the blocking events of all chosen calendars in the mirror. */
import type { EventMembers } from '../calendars/mirrored-event.ts';
import { DAY } from '../lib/recurrence/civil.ts';
import { instantOfLocal } from '../lib/recurrence/zone.ts';
import { readMembers } from '../lib/rendered-json.ts';
import { eventPieces } from '../reading/event-pieces.ts';
import { type EventWindow, nameOfRow, type ReadingUser } from '../reading/event-reader.ts';
import type { ListedEvent } from '../reading/event-text.ts';
import type { NamedEvent } from '../reading/expand-calendar.ts';
import type { LeftOut, Owned } from '../reading/freshness.ts';
import { type PageDeps, pageOfEvents } from '../reading/page-of-events.ts';
import { clipped, type Interval } from './intervals.ts';

/** Limits the events, and the bytes of their content, that are read from one calendar for one response. */
const MOST_EVENTS = 20_000;
const MOST_BYTES = 16_000_000;

export type BusyTimeInput = {
  readonly user: ReadingUser;
  readonly calendars: readonly Owned[];
  readonly window: Interval;
  readonly timeZone: string | undefined;
  /** Stops the read when aborted. */
  readonly signal: AbortSignal;
};

export type BusyTime = {
  /** Within the window, in any order. They may overlap: the caller merges them once. */
  readonly busy: readonly Interval[];
  /** The events that may block but are not in `busy`. */
  readonly leftOut: readonly LeftOut[];
};

/** Returns the busy time. An all-day event uses `timeZone`, or its calendar's zone. Throws like pageOfEvents. */
export async function busyTime(input: BusyTimeInput, deps: PageDeps): Promise<BusyTime> {
  const { calendars, window } = input;
  // The mirror stores days at midnight UTC, which is up to 14 hours from midnight in the user's zone.
  const wide = { start: window.start - DAY, end: window.end + DAY };
  const all = await readIntervals(input, wide, deps);
  if (!all.isOver) return { busy: clipped(all.intervals, window), leftOut: all.leftOut };
  // A calendar may have very many events. Each calendar has its own limit, so that the others stay complete.
  const busy: (readonly Interval[])[] = [];
  const leftOut: LeftOut[] = [];
  for (const owned of calendars) {
    const intervals =
      calendars.length === 1 ? all : await readIntervals({ ...input, calendars: [owned] }, wide, deps);
    busy.push(clipped(intervals.intervals, window));
    leftOut.push(...intervals.leftOut);
    if (intervals.isOver) leftOut.push({ calendarKey: owned.calendar.calendarKey, part: 'events' });
  }
  return { busy: busy.flat(), leftOut };
}

type Read = {
  readonly intervals: readonly Interval[];
  readonly leftOut: readonly LeftOut[];
  readonly isOver: boolean;
};

/** Returns the intervals of the calendars' first events, up to the limits. */
async function readIntervals(
  { user, calendars, timeZone, signal }: BusyTimeInput,
  window: EventWindow,
  deps: PageDeps,
): Promise<Read> {
  const owners = new Map(calendars.map((owned) => [owned.calendar.calendarKey, toOwner(owned)]));
  const zones = new Map(calendars.map(({ calendar }) => [calendar.calendarKey, calendar.timeZone]));
  const listed = { user, calendars: calendars.map(({ calendar }) => calendar), signal };
  const page = { window, singleEvents: true, pageSize: MOST_EVENTS, after: undefined, originals: false };
  const { events, more, leftOut } = await pageOfEvents(page, listed, deps);
  const read = readable(events);
  const intervals: Interval[] = [];
  for await (const piece of eventPieces(read, { events: deps.events, zones, originals: false })) {
    for (const event of piece) {
      const owner = owners.get(event.calendarKey);
      const interval = owner && busyInterval(event, owner, timeZone);
      if (interval !== undefined) intervals.push(interval);
    }
  }
  return { intervals, leftOut, isOver: more || read.length < events.length };
}

/** Returns the first events, up to MOST_BYTES of text. The shared text of a series counts once. */
function readable(events: readonly NamedEvent[]): readonly NamedEvent[] {
  const rows = new Set<string>();
  let bytes = 0;
  const end = events.findIndex(({ calendarKey, row, size }) => {
    const name = `${calendarKey} ${nameOfRow(row)}`;
    if (!rows.has(name)) bytes += size;
    rows.add(name);
    return bytes > MOST_BYTES;
  });
  return end < 0 ? events : events.slice(0, end);
}

type Owner = Pick<Owned, 'calendar'> & { readonly addresses: ReadonlySet<string> };

/** At Google and Microsoft account ids are addresses too, as are calendar ids at Google. */
function toOwner({ calendar, account: { addresses, accountId, display } }: Owned): Owner {
  return { calendar, addresses: new Set([...addresses, accountId, display, calendar.href].map(bareAddress)) };
}

function busyInterval(
  event: ListedEvent,
  { calendar, addresses }: Owner,
  timeZone: string | undefined,
): Interval | undefined {
  const content = readMembers(event.content);
  const { availability, status, allDay } = content;
  if (availability === 'free' || status === 'cancelled' || isDeclined(content, addresses)) return undefined;
  const start = event.times?.start ?? Date.parse(content.start ?? '');
  const end = event.times?.end ?? Date.parse(content.end ?? '');
  if (!allDay) return { start, end };
  const zone = timeZone ?? calendar.timeZone;
  return { start: instantOfLocal(zone, start), end: instantOfLocal(zone, end) };
}

/** Returns whether the user declined: by the provider's mark, otherwise for every address that was invited. */
function isDeclined(
  { response, attendees }: Pick<EventMembers, 'response' | 'attendees'>,
  addresses: ReadonlySet<string>,
): boolean {
  if (response !== undefined) return response === 'declined';
  const answers = attendees.filter(({ email }) => addresses.has(bareAddress(email)));
  return answers.length > 0 && answers.every(({ status }) => status === 'declined');
}

const bareAddress = (text: string): string => text.replace(/^mailto:/i, '').toLowerCase();
