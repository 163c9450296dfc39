/** The occurrences and exceptions of an event. */
import { DAY, dayOfLocal, formatDate, formatLocal, parseLocal } from '../../src/lib/recurrence/civil.ts';
import { toInstant, toLocalMs } from '../../src/lib/recurrence/event-instant.ts';
import type { EventTime } from '../../src/lib/recurrence/event-time.ts';
import type { TimeWindow } from '../../src/lib/recurrence/series.ts';
import { instancesIn } from '../core/instances.ts';
import { eventTimeOf } from './graph-time.ts';
import type { EventContent, EventException, StoredEvent } from './mailbox.ts';
import { ruleOf } from './recurrence-pattern.ts';

/** A single event, an occurrence of a series, or an exception. */
export type EventInstance = {
  readonly event: StoredEvent;
  /** The original start in a series, which ids contain. */
  readonly original: string | undefined;
  readonly exception: EventException | undefined;
  /** Epoch milliseconds; all-day events last from midnight to midnight UTC. `end` is exclusive. */
  readonly start: number;
  readonly end: number;
};

/** Returns the instances of the event that overlap the window, by start. */
export function instancesOf(event: StoredEvent, window: TimeWindow): readonly EventInstance[] {
  const { start, end, isAllDay } = event.content;
  const recurrence =
    event.recurrence === undefined
      ? undefined
      : {
          rrules: [ruleOf(event.recurrence)],
          rdates: [],
          exdates: [...event.deleted].map((original) => originalTime(event, original)),
        };
  const series = {
    master: {
      start: eventTimeOf(start, isAllDay),
      end: eventTimeOf(end, isAllDay),
      recurrence,
      payload: undefined,
    },
    overrides: [...event.exceptions].map(([original, exception]) => {
      const times = exceptionTimes(event, original, exception);
      return { ...times, recurrenceId: originalTime(event, original), cancelled: false, payload: exception };
    }),
  };
  return instancesIn<EventException | undefined>(series, window, 'UTC').map(
    ({ startsAt, endsAt, originalStart, payload }) => ({
      event,
      original: event.recurrence === undefined ? undefined : originalText(originalStart),
      exception: payload,
      start: startsAt,
      end: endsAt,
    }),
  );
}

/** Returns the occurrence or exception with that original start, or `undefined` if there is none (any more). */
export function instanceAt(event: StoredEvent, original: string): EventInstance | undefined {
  const time = originalTime(event, original);
  if (event.recurrence === undefined || event.deleted.has(original)) return undefined;
  const exception = event.exceptions.get(original);
  const start = exception === undefined ? time : exceptionTimes(event, original, exception).start;
  const at = toInstant(start, 'UTC');
  const window = { start: at - 2 * DAY, end: at + 2 * DAY };
  return instancesOf(event, window).find((instance) => instance.original === original);
}

/** Returns the instances next to one, exceptions and deletions considered, in the order of the pattern. */
export function neighboursOf(
  event: StoredEvent,
  original: string,
): { readonly before: EventInstance | undefined; readonly after: EventInstance | undefined } {
  const at = toInstant(originalTime(event, original), 'UTC');
  // Far enough for every pattern except those that pause for more than two years.
  const reach = 800 * DAY;
  const near = instancesOf(event, { start: at - reach, end: at + reach })
    .filter((instance) => instance.original !== original)
    .map((instance) => ({ instance, key: toLocalMs(originalTime(event, instance.original ?? '')) }))
    .sort((a, b) => a.key - b.key);
  const here = toLocalMs(originalTime(event, original));
  return {
    before: near.findLast(({ key }) => key < here)?.instance,
    after: near.find(({ key }) => key > here)?.instance,
  };
}

/** `20261128T090000` in the zone of the series, or `20261128`. */
export function originalText(time: EventTime): string {
  const local = toLocalMs(time);
  return (time.type === 'date' ? formatDate(dayOfLocal(local)) : formatLocal(local)).replace(/[-:]/g, '');
}

/** Returns the time of an original start's text, in the type and zone of the master's start. */
export function originalTime({ content }: StoredEvent, original: string): EventTime {
  const [, year, month, day, hour = '00', minute = '00', second = '00'] =
    /^(\d{4})(\d\d)(\d\d)(?:T(\d\d)(\d\d)(\d\d))?$/.exec(original) ?? [];
  const date = `${year}-${month}-${day}`;
  const local = `${date}T${hour}:${minute}:${second}`;
  if (parseLocal(local) === undefined) return eventTimeOf(content.start, content.isAllDay);
  return eventTimeOf({ local, zone: content.start.zone }, content.isAllDay);
}

/** Returns the times of an exception: its own, otherwise the pattern's. */
function exceptionTimes(
  event: StoredEvent,
  original: string,
  { content }: EventException,
): { readonly start: EventTime; readonly end: EventTime } {
  const isAllDay = content.isAllDay ?? event.content.isAllDay;
  if (content.start !== undefined && content.end !== undefined) {
    return { start: eventTimeOf(content.start, isAllDay), end: eventTimeOf(content.end, isAllDay) };
  }
  const start = originalTime(event, original);
  const length = lengthInZone(event.content);
  const local = toLocalMs(start) + length;
  return {
    start,
    end:
      start.type === 'date'
        ? { type: 'date', date: formatDate(dayOfLocal(local)) }
        : { ...start, local: formatLocal(local) },
  };
}

/** Returns the length on the clock of the start's zone, as people measure a meeting. */
function lengthInZone({ start, end, isAllDay }: EventContent): number {
  const from = eventTimeOf(start, isAllDay);
  const to = eventTimeOf(end, isAllDay);
  return start.zone === end.zone || isAllDay
    ? toLocalMs(to) - toLocalMs(from)
    : toInstant(to, 'UTC') - toInstant(from, 'UTC');
}
