/**
 * The occurrences of a recurring event, by a model without calendar arithmetic: it tries every quarter of an hour of a
 * zone, and looks at every occurrence. It is slow and shares no code with src/lib/recurrence, so that the sandbox and
 * the tests can judge that. Local times are milliseconds since 1970 on a clock that never changes.
 */
import assert from 'node:assert/strict';

import { DAY, dayOf, HOUR, MINUTE, type Rule, readRule, timesOf } from './rule-times.ts';

const QUARTER = HOUR / 4;
/** More occurrences than this in one window are refused. */
const MOST_OCCURRENCES = 20_000;

/** Thrown if a series has more occurrences in a window than the sandbox shows. */
export class TooManyOccurrences extends Error {}

/** A zone that is not in the time zone database. `offsetAt` takes an instant and returns milliseconds. */
export type OwnZone = { readonly tzid: string; offsetAt(instant: number): number };
/** `date` is the clock of all-day events. */
export type Clock = OwnZone | string;
export type Moment = { readonly clock: Clock; readonly local: number };

/** Days by the clock, then elapsed minutes. */
export type Length = { readonly days: number; readonly minutes: number };

export type Override = {
  readonly original: Moment;
  readonly start: Moment;
  readonly end: Moment;
  readonly cancelled: boolean;
  readonly future: boolean;
  /** True if its SEQUENCE is lower than the master's. */
  readonly older: boolean;
  readonly title: string;
};

export type Series = {
  readonly start: Moment;
  readonly length: Length;
  readonly rules: readonly Rule[];
  readonly rdates: readonly { readonly at: Moment; readonly period?: Length | undefined }[];
  readonly exdates: readonly Moment[];
  readonly overrides: readonly Override[];
};

/** `local` is the original start on the clock of the series. */
export type Instance = {
  readonly startsAt: number;
  readonly endsAt: number;
  readonly originalAt: number;
  readonly title: string;
  readonly local: number;
};

type OffsetsByDay = Map<number, number | undefined>;
const countries = new Map<string, OffsetsByDay>();
const ownZones = new WeakMap<OwnZone, OffsetsByDay>();

function offsetsOf(clock: Clock): OffsetsByDay {
  const cached = typeof clock === 'string' ? countries.get(clock) : ownZones.get(clock);
  if (cached !== undefined) return cached;
  const offsets: OffsetsByDay = new Map();
  if (typeof clock === 'string') countries.set(clock, offsets);
  else ownZones.set(clock, offsets);
  return offsets;
}

/** Returns milliseconds. */
function offsetAt(clock: Clock, instant: number): number {
  if (clock === 'UTC' || clock === 'date') return 0;
  return daysOffset(clock, dayOf(instant)) ?? askedOffset(clock, instant);
}

/**
 * Returns the offset of a whole day in UTC: if it is the same at both ends, no other occurs between, in all years that
 * are tried.
 */
function daysOffset(clock: Clock, day: number): number | undefined {
  const byDay = offsetsOf(clock);
  if (!byDay.has(day)) {
    const offset = askedOffset(clock, day);
    byDay.set(day, offset === askedOffset(clock, day + DAY) ? offset : undefined);
  }
  return byDay.get(day);
}

function askedOffset(clock: Clock, instant: number): number {
  if (typeof clock !== 'string') return clock.offsetAt(instant);
  return Temporal.Instant.fromEpochMilliseconds(instant).toZonedDateTimeISO(clock).offsetNanoseconds / 1e6;
}

/**
 * Returns the first instant at which the clock shows the time; a skipped time is read with the offset before the
 * change.
 */
export function toInstant({ clock, local }: Moment): number {
  if (clock === 'UTC' || clock === 'date') return local;
  // No clock is further from UTC.
  const first = local - 15 * HOUR;
  let before = offsetAt(clock, first);
  const days = [first, first + DAY, local + 13 * HOUR].map((at) => daysOffset(clock, dayOf(at)));
  if (days.every((offset) => offset === before)) return local - before;
  for (let at = first; at <= local + 13 * HOUR; at += QUARTER) {
    const offset = offsetAt(clock, at);
    if (at + offset === local) return at;
    if (at + offset < local) before = offset;
  }
  return local - before;
}

export const shownAt = (clock: Clock, instant: number): number => instant + offsetAt(clock, instant);

/** Returns a moment's time on the clock of the series; a date stands for the time of day of the series. */
function onClock({ clock, local: startLocal }: Moment, moment: Moment): number {
  if (moment.clock === 'date') return dayOf(moment.local) + (startLocal - dayOf(startLocal));
  if (clock === 'date') return dayOf(moment.local);
  return moment.clock === clock ? moment.local : shownAt(clock, toInstant(moment));
}

/** Returns the rule that an RRULE value states for a series that starts then, or undefined if it cannot be read. */
export function ruleOf(text: string, { clock }: Moment): Rule | undefined {
  return readRule(text, (until) => {
    const [, date, time = '', utc] = /^(\d{8})(?:T(\d{6})(Z?))?$/.exec(until) ?? [];
    const iso = `${date}T${time || '000000'}`.replace(/(....)(..)(..)T(..)(..)(..)/, '$1-$2-$3T$4:$5:$6Z');
    const local = Date.parse(iso);
    if (time === '') return clock === 'date' ? local : local + DAY - 1;
    return utc === 'Z' ? shownAt(clock, local) : local;
  });
}

export function computeEnd({ clock, local }: Moment, { days, minutes }: Length): number {
  const begin = toInstant({ clock, local });
  const after = days === 0 ? begin : toInstant({ clock, local: local + days * DAY });
  return Math.max(begin, after + minutes * MINUTE);
}

/** Returns the length between DTSTART and DTEND: whole days if both clocks agree, otherwise the elapsed time. */
export function lengthBetween(start: Moment, end: Moment): Length {
  const local = onClock(start, end);
  const byClock = local - start.local;
  const hasDates = start.clock === 'date' || end.clock === 'date';
  const agrees = hasDates || toInstant({ clock: start.clock, local }) === toInstant(end);
  if (byClock >= 0 && byClock % DAY === 0 && agrees) return { days: byClock / DAY, minutes: 0 };
  return { days: 0, minutes: Math.max(0, toInstant(end) - toInstant(start)) / MINUTE };
}

/** Returns the starts of a series on its clock, with the periods of RDATEs, before exceptions are removed. */
export function startsOf({ start, rules, rdates }: Series, last: number): Map<number, Length | undefined> {
  const starts = new Map<number, Length | undefined>();
  const isOver = rules.length > 0 && rules.every(({ until }) => until !== undefined && until < start.local);
  if (!isOver) starts.set(start.local, undefined);
  for (const rule of rules) {
    const times = { byHour: [], byMinute: [], bySecond: [] };
    const followed = start.clock === 'date' ? { ...rule, ...times } : rule;
    for (const time of timesOf(followed, start.local, last)) starts.set(time, undefined);
  }
  for (const { at, period } of rdates) starts.set(onClock(start, at), period);
  return starts;
}

/**
 * Returns the occurrences whose original start is from `first` to about `last`, both on the clock of the series, and all
 * overrides, in the order in which they are listed. Throws TooManyOccurrences.
 */
export function instancesOf(
  series: Series,
  last: number,
  first: number = Number.NEGATIVE_INFINITY,
): Instance[] {
  const { start, overrides } = series;
  const { clock } = start;
  const keyOf = (moment: Moment) => toInstant({ clock, local: onClock(start, moment) });
  const excluded = new Set(series.exdates.filter((one) => one.clock !== 'date').map(keyOf));
  const excludedDays = new Set(
    series.exdates.filter((one) => one.clock === 'date').map(({ local }) => dayOf(local)),
  );
  const isExcluded = (local: number) =>
    excluded.has(toInstant({ clock, local })) || excludedDays.has(dayOf(local));
  const current = new Map<number, Override>();
  for (const override of overrides) {
    const isOut = override.older && !override.future && isExcluded(onClock(start, override.original));
    if (!isOut) current.set(keyOf(override.original), override);
  }
  const instances: Instance[] = [];
  for (const [originalAt, { start: moved, end, cancelled, title, original }] of current) {
    const startsAt = toInstant(moved);
    const endsAt = Math.max(startsAt, toInstant(end));
    if (!cancelled) instances.push({ startsAt, endsAt, originalAt, title, local: onClock(start, original) });
  }
  const usedInstants = new Set(current.keys());
  const starts = [...startsOf(series, last)].filter(([local]) => local >= first);
  if (starts.length > MOST_OCCURRENCES) throw new TooManyOccurrences();
  // Occurrences that a clock change moves come last, and may find their time taken.
  const isShown = (local: number) => shownAt(clock, toInstant({ clock, local })) === local;
  for (const [local, period] of [
    ...starts.filter(([at]) => isShown(at)),
    ...starts.filter(([at]) => !isShown(at)),
  ]) {
    const originalAt = toInstant({ clock, local });
    if (usedInstants.has(originalAt)) continue;
    usedInstants.add(originalAt);
    if (isExcluded(local)) continue;
    const shapes = [...current].filter(([key, { future }]) => future && key < originalAt);
    const [, shape] = shapes.sort(([one], [other]) => other - one)[0] ?? [];
    if (shape?.cancelled === true) continue;
    const place =
      shape === undefined
        ? { startsAt: originalAt, endsAt: computeEnd({ clock, local }, period ?? series.length) }
        : shaped(shape, start, local);
    instances.push({ ...place, originalAt, title: shape?.title ?? 'master', local });
  }
  assert.equal(new Set(instances.map(({ originalAt }) => originalAt)).size, instances.length);
  return instances.sort((a, b) => a.startsAt - b.startsAt || a.local - b.local);
}

/** An override for all later occurrences shifts them on its clock by the distance that it was moved itself. */
function shaped({ start: moved, end, original }: Override, start: Moment, local: number) {
  const onOwn = (at: number) =>
    moved.clock === start.clock ? at : shownAt(moved.clock, toInstant({ clock: start.clock, local: at }));
  const place = { clock: moved.clock, local: onOwn(local) + moved.local - onOwn(onClock(start, original)) };
  return { startsAt: toInstant(place), endsAt: computeEnd(place, lengthBetween(moved, end)) };
}

export const isIn = (
  { startsAt, endsAt }: Pick<Instance, 'startsAt' | 'endsAt'>,
  from: number,
  to: number,
): boolean => startsAt < to && (endsAt > from || (endsAt === startsAt && startsAt >= from));
