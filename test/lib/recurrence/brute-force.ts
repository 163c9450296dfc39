/**
 * A model of recurring events that knows no arithmetic of calendars: it walks every day of some years, tries every quarter
 * of an hour of a zone, and looks at every instance. Slow, short, and without a line in common with what it judges.
 * Local times are milliseconds since 1970 on a clock that never changes, as `Date.UTC` counts them.
 */
import assert from 'node:assert/strict';

export const MINUTE = 60_000;
export const DAY = 1440 * MINUTE;
const QUARTER = 15 * MINUTE;

/** When a zone of one's own changes to an offset in minutes, each year: the nth Sunday of a month (0 is January) at an hour. */
export type Change = {
  readonly month: number;
  readonly sunday: number;
  readonly hour: number;
  readonly offset: number;
};
export type OwnZone = { readonly tzid: string; readonly offset: number; readonly changes: readonly Change[] };
/** `date` is the clock of all-day events. */
export type Clock = OwnZone | string;
export type Moment = { readonly clock: Clock; readonly local: number };

export type Rule = {
  readonly freq: 'DAILY' | 'WEEKLY' | 'MONTHLY' | 'YEARLY';
  readonly interval: number;
  readonly count?: number | undefined;
  /** Inclusive, on the clock of the series. */
  readonly until?: number | undefined;
  readonly byMonth: readonly number[];
  readonly byMonthDay: readonly number[];
  /** 0 is Monday; ordinal 0 is every one. */
  readonly byDay: readonly { readonly ordinal: number; readonly weekday: number }[];
  readonly byHour: readonly number[];
  readonly bySetPos: readonly number[];
};

/** Days by the clock, then minutes that pass. */
export type Length = { readonly days: number; readonly minutes: number };

export type Override = {
  readonly original: Moment;
  readonly start: Moment;
  /** Minutes on the clock from its start to its DTEND. */
  readonly minutes: number;
  readonly cancelled: boolean;
  readonly future: boolean;
  /** Its SEQUENCE is lower than the master's. */
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

export type Instance = { startsAt: number; endsAt: number; originalAt: number; title: string };

const dayOf = (local: number): number => Math.floor(local / DAY) * DAY;
const weekdayOf = (local: number): number => dateOf(local).weekday;

/** `month` from 1, `weekday` 0 is Monday, `fromEnd` -1 on the last day of the month. */
type DateParts = Record<'year' | 'month' | 'day' | 'fromEnd' | 'weekday', number>;
const dates: DateParts[] = [];

function dateOf(local: number): DateParts {
  const day = Math.floor(local / DAY);
  const known = dates[day];
  if (known !== undefined) return known;
  const at = new Date(day * DAY);
  const [year, month] = [at.getUTCFullYear(), at.getUTCMonth() + 1];
  const last = new Date(Date.UTC(year, month, 0)).getUTCDate();
  const weekday = (at.getUTCDay() + 6) % 7;
  const parts = { year, month, day: at.getUTCDate(), fromEnd: at.getUTCDate() - last - 1, weekday };
  dates[day] = parts;
  return parts;
}

const offsets = new Map<string, Map<number, number | undefined>>();

/** Milliseconds. */
function offsetAt(clock: Clock, instant: number): number {
  if (clock === 'UTC' || clock === 'date') return 0;
  return daysOffset(clock, dayOf(instant)) ?? askedOffset(clock, instant);
}

/** Of a whole day in UTC: one that begins with an offset and ends with it has no other, in all years that are tried. */
function daysOffset(clock: Clock, day: number): number | undefined {
  const name = typeof clock === 'string' ? clock : clock.tzid;
  const known = offsets.get(name) ?? new Map<number, number | undefined>();
  offsets.set(name, known);
  if (!known.has(day)) {
    const offset = askedOffset(clock, day);
    known.set(day, offset === askedOffset(clock, day + DAY) ? offset : undefined);
  }
  return known.get(day);
}

function askedOffset(clock: Clock, instant: number): number {
  if (typeof clock !== 'string') return offsetOfOwn(clock, instant);
  return Temporal.Instant.fromEpochMilliseconds(instant).toZonedDateTimeISO(clock).offsetNanoseconds / 1e6;
}

/** Of all changes that have come, the last. */
function offsetOfOwn({ offset, changes }: OwnZone, instant: number): number {
  let [latest, found] = [Number.NEGATIVE_INFINITY, offset];
  const { year } = dateOf(instant);
  for (const [index, change] of changes.entries()) {
    const before = changes[(index + 1) % changes.length]?.offset ?? offset;
    for (const one of [year - 1, year, year + 1]) {
      const at = changeIn(one, change) - before * MINUTE;
      if (at <= instant && at > latest) [latest, found] = [at, change.offset];
    }
  }
  return found * MINUTE;
}

/** On the clock before it. */
export function changeIn(year: number, { month, sunday, hour }: Change): number {
  let sundays = 0;
  for (let day = Date.UTC(year, month, 1); ; day += DAY) {
    if (weekdayOf(day) === 6) sundays += 1;
    if (sundays === sunday) return day + hour * 60 * MINUTE;
  }
}

const HOUR = 4 * QUARTER;

/** The first instant at which the clock shows the time; one that it skips is read with the offset before. */
export function instantOf({ clock, local }: Moment): number {
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

/** Where on the clock of the series a moment is; a date names the time of day of the series. */
function onClock({ clock, local: startLocal }: Moment, moment: Moment): number {
  if (moment.clock === 'date') return dayOf(moment.local) + (startLocal - dayOf(startLocal));
  if (clock === 'date') return dayOf(moment.local);
  return moment.clock === clock ? moment.local : shownAt(clock, instantOf(moment));
}

/** The times of a rule up to a day, as RFC 5545 §3.3.10 lists them: day for day. */
export function timesOf(rule: Rule, start: number, last: number): number[] {
  const times: number[] = [];
  let [period, inPeriod]: [number, number[]] = [-1, []];
  const close = () =>
    times.push(
      ...picked(
        inPeriod.sort((a, b) => a - b),
        rule,
      ).filter((at) => at >= start),
    );
  // BYSETPOS picks from whole periods.
  const end = Date.UTC(dateOf(last).year + 1, 0, 7);
  for (let day = firstDayOf(rule, start); day < end; day += DAY) {
    const number = periodOf(rule, day) - periodOf(rule, start);
    if (number !== period) {
      close();
      [period, inPeriod] = [number, []];
    }
    if (number % rule.interval === 0 && isNamed(rule, day, start))
      inPeriod.push(...timesOn(rule, day, start));
  }
  close();
  const counted = times[0] === start ? times : [start, ...times];
  const kept = rule.count === undefined ? counted : counted.slice(0, rule.count);
  return kept.slice(times[0] === start ? 0 : 1).filter((at) => rule.until === undefined || at <= rule.until);
}

/** The first day of the period that the start is in. */
function firstDayOf({ freq }: Rule, start: number): number {
  const { year, month, weekday } = dateOf(start);
  if (freq === 'WEEKLY') return dayOf(start) - weekday * DAY;
  if (freq === 'MONTHLY') return Date.UTC(year, month - 1, 1);
  return freq === 'YEARLY' ? Date.UTC(year, 0, 1) : dayOf(start);
}

function periodOf({ freq }: Rule, local: number): number {
  if (freq === 'DAILY') return Math.floor(local / DAY);
  // 1969-12-29 was a Monday.
  if (freq === 'WEEKLY') return Math.floor((local / DAY + 3) / 7);
  const { year, month } = dateOf(local);
  return freq === 'MONTHLY' ? year * 12 + month : year;
}

function isNamed(rule: Rule, local: number, start: number): boolean {
  const { freq, byMonth, byMonthDay, byDay } = rule;
  const [{ month, day, fromEnd, weekday }, first] = [dateOf(local), dateOf(start)];
  const ownMonth = freq === 'YEARLY' && byMonthDay.length + byDay.length === 0 ? [first.month] : [];
  const months = byMonth.length > 0 ? byMonth : ownMonth;
  if (months.length > 0 && !months.includes(month)) return false;
  if (byMonthDay.length > 0 && !byMonthDay.includes(day) && !byMonthDay.includes(fromEnd)) return false;
  if (byDay.length > 0) return byDay.some((one) => isWeekday(one, rule, local));
  if (byMonthDay.length > 0 || freq === 'DAILY') return true;
  return freq === 'WEEKLY' ? weekday === first.weekday : day === first.day;
}

function isWeekday({ ordinal, weekday }: Rule['byDay'][number], rule: Rule, day: number): boolean {
  if (weekdayOf(day) !== weekday) return false;
  if (ordinal === 0 || rule.freq === 'DAILY' || rule.freq === 'WEEKLY') return true;
  // Counted by walking to the edge of the month, or of the year.
  const isOfYear = rule.freq === 'YEARLY' && rule.byMonth.length === 0;
  const unit = (local: number) => dateOf(local).year * 12 + (isOfYear ? 0 : dateOf(local).month);
  let count = 0;
  const step = ordinal > 0 ? -7 * DAY : 7 * DAY;
  for (let at = day; unit(at) === unit(day); at += step) count += 1;
  return count === Math.abs(ordinal);
}

function timesOn({ byHour }: Rule, day: number, start: number): number[] {
  const timeOfDay = start - dayOf(start);
  if (byHour.length === 0) return [day + timeOfDay];
  return byHour.map((hour) => day + hour * 60 * MINUTE + (timeOfDay % (60 * MINUTE)));
}

function picked(times: readonly number[], { bySetPos }: Rule): number[] {
  if (bySetPos.length === 0) return [...times];
  return times.filter((_, i) => bySetPos.includes(i + 1) || bySetPos.includes(i - times.length));
}

export function endOf({ clock, local }: Moment, { days, minutes }: Length): number {
  const begin = instantOf({ clock, local });
  const after = days === 0 ? begin : instantOf({ clock, local: local + days * DAY });
  return Math.max(begin, after + minutes * MINUTE);
}

/** What DTSTART and DTEND say: whole days by the clock are days, anything else is what passes between them. */
export function lengthBetween({ clock, local }: Moment, minutes: number): Length {
  if (minutes % 1440 === 0) return { days: minutes / 1440, minutes: 0 };
  const passed = instantOf({ clock, local: local + minutes * MINUTE }) - instantOf({ clock, local });
  return { days: 0, minutes: Math.max(0, passed / MINUTE) };
}

/** The starts of a series on its clock, with the periods of RDATEs; what is taken out later is among them. */
export function startsOf({ start, rules, rdates }: Series, last: number): Map<number, Length | undefined> {
  const starts = new Map<number, Length | undefined>();
  const isOver = rules.length > 0 && rules.every(({ until }) => until !== undefined && until < start.local);
  if (!isOver) starts.set(start.local, undefined);
  for (const rule of rules) {
    const followed = start.clock === 'date' ? { ...rule, byHour: [] } : rule;
    for (const time of timesOf(followed, start.local, last)) starts.set(time, undefined);
  }
  for (const { at, period } of rdates) starts.set(onClock(start, at), period);
  return starts;
}

/** All instances up to `last`, in the order in which they are listed. */
export function instancesOf(series: Series, last: number): Instance[] {
  const { start, overrides } = series;
  const { clock } = start;
  const keyOf = (moment: Moment) => instantOf({ clock, local: onClock(start, moment) });
  const excluded = new Set(series.exdates.filter((one) => one.clock !== 'date').map(keyOf));
  const excludedDays = new Set(
    series.exdates.filter((one) => one.clock === 'date').map(({ local }) => dayOf(local)),
  );
  const isExcluded = (local: number) =>
    excluded.has(instantOf({ clock, local })) || excludedDays.has(dayOf(local));
  const current = new Map<number, Override>();
  for (const override of overrides) {
    const isOut = override.older && !override.future && isExcluded(onClock(start, override.original));
    if (!isOut) current.set(keyOf(override.original), override);
  }
  const found: (Instance & { local: number })[] = [];
  for (const [originalAt, { start: moved, minutes, cancelled, title, original }] of current) {
    const startsAt = instantOf(moved);
    const endsAt = Math.max(startsAt, instantOf({ ...moved, local: moved.local + minutes * MINUTE }));
    if (!cancelled) found.push({ startsAt, endsAt, originalAt, title, local: onClock(start, original) });
  }
  const taken = new Set(current.keys());
  const starts = [...startsOf(series, last)];
  // What a clock change moves comes last, and finds its place taken.
  const isShown = (local: number) => shownAt(clock, instantOf({ clock, local })) === local;
  for (const [local, period] of [
    ...starts.filter(([at]) => isShown(at)),
    ...starts.filter(([at]) => !isShown(at)),
  ]) {
    const originalAt = instantOf({ clock, local });
    if (taken.has(originalAt)) continue;
    taken.add(originalAt);
    if (isExcluded(local)) continue;
    const shapes = [...current].filter(([key, { future }]) => future && key < originalAt);
    const [, shape] = shapes.sort(([one], [other]) => other - one)[0] ?? [];
    if (shape?.cancelled === true) continue;
    const place =
      shape === undefined
        ? { startsAt: originalAt, endsAt: endOf({ clock, local }, period ?? series.length) }
        : shaped(shape, start, local);
    found.push({ ...place, originalAt, title: shape?.title ?? 'master', local });
  }
  assert.equal(new Set(found.map(({ originalAt }) => originalAt)).size, found.length);
  return found
    .sort((a, b) => a.startsAt - b.startsAt || a.local - b.local)
    .map(({ local: _, ...instance }) => instance);
}

/** An override for all later ones moves them by as much on its clock as it was moved itself. */
function shaped({ start: moved, original, minutes }: Override, start: Moment, local: number) {
  const onOwn = (at: number) =>
    moved.clock === start.clock ? at : shownAt(moved.clock, instantOf({ clock: start.clock, local: at }));
  const place = { clock: moved.clock, local: onOwn(local) + moved.local - onOwn(onClock(start, original)) };
  return { startsAt: instantOf(place), endsAt: endOf(place, lengthBetween(moved, minutes)) };
}

export const isIn = ({ startsAt, endsAt }: Instance, from: number, to: number): boolean =>
  startsAt < to && (endsAt > from || (endsAt === startsAt && startsAt >= from));
