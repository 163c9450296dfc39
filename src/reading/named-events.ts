/** The events of a page by their names: what a page needs to be sorted and cut, before what they say is read. */
import type {
  EventContent,
  EventPosition,
  EventWindow,
  MirroredSeries,
  ReadableCalendar,
  RowName,
  SingleEvent,
  SingleName,
} from './event-reader.ts';
import { byPosition, type CalendarTimes, type Found } from './expand-calendar.ts';
import type { LeftOut } from './left-out.ts';

export type PageRequest = {
  readonly window: EventWindow;
  readonly singleEvents: boolean;
  readonly pageSize: number;
  readonly after: EventPosition | undefined;
  /** Folded words; none lists everything. */
  readonly search?: readonly string[];
  /** Whether the provider's own objects are shown; they are unless false. */
  readonly originals?: boolean;
};

/** What is read of a calendar that is listed. */
export type ListedCalendar = Pick<ReadableCalendar, 'calendarKey' | 'timeZone' | 'bytes'>;

/** An event of a page: where it is in the mirror, and what differs from what is there. */
export type NamedEvent = EventPosition & {
  readonly row: RowName;
  /** Of an override that shows its master's provider object: the master's row. */
  readonly master?: RowName | undefined;
  /** About how many bytes an answer takes of it. */
  readonly size: number;
  /** What it says, where that was read along. */
  readonly stored?: EventContent | undefined;
  /** Of an instance or a master, whose content lacks them. */
  readonly times?: {
    readonly start: number;
    readonly end: number;
    readonly recurringEventId?: string;
    /** All-day instances have dates. */
    readonly allDay: boolean;
  };
  /** Of a master that is shown with its rules: JSON of its Timing. */
  readonly masterTiming?: string;
};

export type EventPage = {
  readonly events: readonly NamedEvent[];
  readonly more: boolean;
  readonly leftOut: readonly LeftOut[];
};

/** The times of a calendar's series, as they are expanded. */
export function timesOfCalendar(
  { calendarKey, timeZone }: Pick<ListedCalendar, 'calendarKey' | 'timeZone'>,
  series: readonly Pick<MirroredSeries, 'id' | 'rows'>[],
): CalendarTimes {
  const timed = series.map(({ id, rows }) => ({
    id,
    timings: rows.map(({ timing }) => timing),
    ...(rows.every(({ matches }) => matches) ? {} : { matches: rows.map(({ matches }) => matches) }),
  }));
  return { calendarKey, zone: timeZone, series: timed };
}

/** Sorts the events found so far; behind the moment that is answered, none is wanted any longer. */
export function endOfPage(events: NamedEvent[], limit: number, end: number): number {
  if (events.length < limit) return end;
  events.sort(byPosition);
  events.length = limit;
  return Math.min(end, (events[limit - 1]?.startsAt ?? end) + 1);
}

export function pageOf(events: NamedEvent[], pageSize: number, leftOut: readonly LeftOut[]): EventPage {
  const sorted = events.sort(byPosition);
  return { events: sorted.slice(0, pageSize), more: sorted.length > pageSize, leftOut };
}

/** What an answer takes of an event besides what is stored. */
const SIZE_OF_REST = 300;

export function namedSingle(event: SingleEvent | SingleName): NamedEvent {
  const { calendarKey, id, startsAt } = event;
  if ('size' in event) return { calendarKey, id, startsAt, row: event, size: event.size + SIZE_OF_REST };
  const size = event.content.length + (event.original?.length ?? 0) + SIZE_OF_REST;
  return { calendarKey, id, startsAt, row: event, size, stored: event };
}

export function namedInstance(
  { calendarKey, id, startsAt, end, allDay, series, row: place }: Found,
  all: readonly Pick<MirroredSeries, 'id' | 'rows'>[],
  singleEvents: boolean,
): NamedEvent {
  const one = all[series];
  const [master] = one?.rows ?? [];
  const row = one?.rows[place];
  if (one === undefined || master === undefined || row === undefined)
    throw new Error('An instance was found of a series that was not asked for');
  const { href, recurrenceId, stored } = row;
  const names = { calendarKey, id, startsAt, row: { href, recurrenceId }, stored };
  const times = { start: startsAt, end, allDay, ...(singleEvents && { recurringEventId: one.id }) };
  const inherits = place > 0 && !row.hasOriginal ? { master } : undefined;
  const timing = singleEvents ? undefined : { masterTiming: master.timing };
  const size = row.size + SIZE_OF_REST + (timing?.masterTiming.length ?? 0);
  return { ...names, ...inherits, ...timing, times, size };
}
