/** The occurrences of a series in a window of time, by the model of occurrences.ts, in the types of the sandbox's calendars. */
import { timeLike, toLocalMs } from '../../src/lib/recurrence/event-instant.ts';
import type { CustomZone, EventTime } from '../../src/lib/recurrence/event-time.ts';
import type { Instance, Series, TimeWindow } from '../../src/lib/recurrence/series.ts';
import { offsetAt } from '../../src/lib/recurrence/zone.ts';
import {
  instancesOf,
  isIn,
  lengthBetween,
  type Moment,
  type OwnZone,
  ruleOf,
  toInstant,
} from './occurrences.ts';
import { DAY, MINUTE } from './rule-times.ts';

/** How far an override for all later occurrences may move them. */
const FURTHEST = 400 * DAY;
const LATEST = Date.UTC(9990, 0, 1);

/** Returns the instances that overlap the window, in order. A rule that cannot be read is left out. Throws TooManyOccurrences. */
export function instancesIn<T>(
  { master, overrides }: Series<T>,
  window: TimeWindow,
  calendarZone: string,
): Instance<T>[] {
  if (master === undefined) {
    const alone = overrides.flatMap(({ recurrenceId: start, payload }, i) =>
      instancesIn(
        { master: { start, end: start, payload }, overrides: overrides.slice(i, i + 1) },
        window,
        calendarZone,
      ),
    );
    return alone.sort((a, b) => a.startsAt - b.startsAt);
  }
  const momentOf = (time: EventTime): Moment => ({
    clock: clockOf(time, calendarZone),
    local: toLocalMs(time),
  });
  const start = momentOf(master.start);
  const { rrules = [], rdates = [], exdates = [], duration } = master.recurrence ?? {};
  const length =
    duration === undefined
      ? lengthBetween(start, momentOf(master.end))
      : { days: duration.days, minutes: duration.milliseconds / MINUTE };
  const passed = (from: Moment, to: Moment) => ({
    days: 0,
    minutes: Math.max(0, toInstant(to) - toInstant(from)) / MINUTE,
  });
  const series = {
    start,
    length,
    rules: rrules.map((rrule) => ruleOf(rrule, start)).filter((rule) => rule !== undefined),
    rdates: rdates.map((rdate) => {
      const at = momentOf(rdate.start);
      return { at, period: rdate.end === undefined ? undefined : passed(at, momentOf(rdate.end)) };
    }),
    exdates: exdates.map(momentOf),
    overrides: overrides.map(({ recurrenceId, thisAndFuture: future = false, cancelled, ...times }, i) => ({
      original: momentOf(recurrenceId),
      start: momentOf(times.start),
      end: momentOf(times.end),
      cancelled,
      future,
      older: false,
      title: String(i),
    })),
  };
  const hasFuture = series.overrides.some(({ future }) => future);
  const last = Math.min(window.end + (hasFuture ? FURTHEST : 2 * DAY), LATEST);
  const lengths = [length, ...series.rdates.map(({ period }) => period ?? length)];
  const longest = Math.max(...lengths.map(({ days, minutes }) => days * DAY + minutes * MINUTE));
  const first = hasFuture ? Number.NEGATIVE_INFINITY : window.start - longest - 2 * DAY;
  return instancesOf(series, last, first)
    .filter((instance) => isIn(instance, window.start, window.end))
    .map(({ startsAt, endsAt, title, local }) => ({
      startsAt,
      endsAt,
      originalStart: timeLike(master.start, local),
      payload: (overrides[Number(title)] ?? master).payload,
      isOverride: title !== 'master',
    }));
}

const ownZones = new WeakMap<CustomZone, OwnZone>();

function clockOf(time: EventTime, calendarZone: string): Moment['clock'] {
  if (time.type === 'date') return 'date';
  const zone = time.type === 'zoned' ? time.zone : calendarZone;
  if (typeof zone === 'string') return zone;
  const clock = ownZones.get(zone) ?? { tzid: zone.tzid, offsetAt: (instant) => offsetAt(zone, instant) };
  ownZones.set(zone, clock);
  return clock;
}
