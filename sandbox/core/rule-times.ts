/**
 * The times of a recurrence rule (RFC 5545 §3.3.10), found by a walk over every day. Local times are milliseconds since
 * 1970 on a clock that never changes, as `Date.UTC` counts them.
 */
export const MINUTE = 60_000;
export const HOUR = 60 * MINUTE;
export const DAY = 24 * HOUR;
/** No rule is followed further from its start: 200 years. */
const LONGEST = 200 * 366 * DAY;

const FREQUENCIES = ['MINUTELY', 'HOURLY', 'DAILY', 'WEEKLY', 'MONTHLY', 'YEARLY'] as const;
const WEEKDAYS = ['MO', 'TU', 'WE', 'TH', 'FR', 'SA', 'SU'];

export type Rule = {
  readonly freq: (typeof FREQUENCIES)[number];
  readonly interval: number;
  readonly count?: number | undefined;
  /** Inclusive, on the clock of the series. */
  readonly until?: number | undefined;
  readonly byMonth: readonly number[];
  readonly byWeekNo: readonly number[];
  readonly byYearDay: readonly number[];
  readonly byMonthDay: readonly number[];
  /** 0 is Monday; ordinal 0 is every one. */
  readonly byDay: readonly { readonly ordinal: number; readonly weekday: number }[];
  readonly byHour: readonly number[];
  readonly byMinute: readonly number[];
  readonly bySecond: readonly number[];
  readonly bySetPos: readonly number[];
  /** The first day of a week; 0 is Monday. */
  readonly weekStart: number;
};

export const dayOf = (local: number): number => Math.floor(local / DAY) * DAY;
export const weekdayOf = (local: number): number => dateOf(local).weekday;

/** `month` from 1, `weekday` 0 is Monday, `fromEnd` -1 on the last day of the month. */
type DateParts = Record<'year' | 'month' | 'day' | 'fromEnd' | 'weekday', number>;
const dates: DateParts[] = [];

export function dateOf(local: number): DateParts {
  const day = Math.floor(local / DAY);
  const cached = dates[day];
  if (cached !== undefined) return cached;
  const at = new Date(day * DAY);
  const [year, month] = [at.getUTCFullYear(), at.getUTCMonth() + 1];
  const last = new Date(Date.UTC(year, month, 0)).getUTCDate();
  const weekday = (at.getUTCDay() + 6) % 7;
  const parts = { year, month, day: at.getUTCDate(), fromEnd: at.getUTCDate() - last - 1, weekday };
  dates[day] = parts;
  return parts;
}

/**
 * Returns the rule that an RRULE value states. `untilOf` converts its UNTIL, `20270131T090000Z` or another form of RFC
 * 5545, to a time on the clock of the series. Returns undefined if any part is unknown or cannot be read.
 */
export function readRule(text: string, untilOf: (until: string) => number): Rule | undefined {
  const parts = new Map(
    text
      .toUpperCase()
      .split(';')
      .map((part) => splitAt(part, '=')),
  );
  let isReadable = true;
  const take = (name: string): string | undefined => {
    const value = parts.get(name);
    parts.delete(name);
    return value;
  };
  const list = <T>(name: string, read: (item: string) => T | undefined): T[] => {
    const values = take(name)?.split(',').map(read) ?? [];
    if (values.includes(undefined)) isReadable = false;
    return values.filter((value) => value !== undefined);
  };
  const numbers = (name: string, least: number, most: number) => [
    ...new Set(list(name, (item) => numberIn(item, least, most))),
  ];
  const signed = (name: string, most: number) => [
    ...new Set(list(name, (item) => numberIn(item, -most, most) || undefined)),
  ];
  const rule = {
    freq: list('FREQ', (item) => FREQUENCIES.find((freq) => freq === item))[0] ?? 'DAILY',
    interval: numbers('INTERVAL', 1, 1e9)[0] ?? 1,
    count: numbers('COUNT', 1, 1e9)[0],
    until: list('UNTIL', (item) => untilOf(item) || undefined)[0],
    byMonth: numbers('BYMONTH', 1, 12),
    byWeekNo: signed('BYWEEKNO', 53),
    byYearDay: signed('BYYEARDAY', 366),
    byMonthDay: signed('BYMONTHDAY', 31),
    byDay: list('BYDAY', weekdayIn),
    byHour: numbers('BYHOUR', 0, 23),
    byMinute: numbers('BYMINUTE', 0, 59),
    bySecond: numbers('BYSECOND', 0, 59),
    bySetPos: signed('BYSETPOS', 366),
    weekStart: list('WKST', weekdayIn)[0]?.weekday ?? 0,
  };
  const isComplete = /(^|;)FREQ=/i.test(text) && [...parts.keys()].every((name) => name.startsWith('X-'));
  return isReadable && isComplete ? rule : undefined;
}

function splitAt(text: string, separator: string): [string, string] {
  const [name = '', value = ''] = text.split(separator);
  return [name.trim(), value.trim()];
}

function numberIn(text: string, least: number, most: number): number | undefined {
  const value = /^[+-]?\d+$/.test(text) ? Number(text) : Number.NaN;
  return value >= least && value <= most ? value : undefined;
}

function weekdayIn(text: string): Rule['byDay'][number] | undefined {
  const [, ordinal, name = ''] = /^([+-]?\d{1,2})?(MO|TU|WE|TH|FR|SA|SU)$/.exec(text) ?? [];
  return name === '' ? undefined : { ordinal: Number(ordinal ?? 0), weekday: WEEKDAYS.indexOf(name) };
}

/** The times of a rule up to a day, as RFC 5545 §3.3.10 lists them: day for day. */
export function timesOf(rule: Rule, start: number, last: number): number[] {
  const { count = Number.POSITIVE_INFINITY, until = Number.POSITIVE_INFINITY } = rule;
  const times: number[] = [];
  const first = periodOf(rule, start);
  let [period, inPeriod]: [number, number[]] = [0, []];
  const close = () => times.push(...picked(inPeriod, rule).filter((at) => at >= start));
  // BYSETPOS picks from whole periods.
  const end = Math.min(Date.UTC(dateOf(last).year + 1, 0, 7), until + 373 * DAY, start + LONGEST);
  for (let day = firstDayOf(rule, start); day < end && times.length < count; day += DAY) {
    if (!isSubDaily(rule) && (periodOf(rule, day) - first) % rule.interval !== 0) continue;
    if (!isNamed(rule, day, start)) continue;
    for (const time of timesOn(rule, day, start)) {
      const number = periodOf(rule, time) - first;
      if (number !== period) {
        close();
        [period, inPeriod] = [number, []];
      }
      if (number % rule.interval === 0) inPeriod.push(time);
    }
  }
  close();
  const counted = times[0] === start ? times : [start, ...times];
  return counted.slice(times[0] === start ? 0 : 1, count).filter((at) => at <= until);
}

/** The first day of the period that the start is in. */
function firstDayOf(rule: Rule, start: number): number {
  const { year, month, weekday } = dateOf(start);
  if (rule.freq === 'WEEKLY') return dayOf(start) - ((weekday - rule.weekStart + 7) % 7) * DAY;
  if (rule.freq === 'MONTHLY') return Date.UTC(year, month - 1, 1);
  return rule.freq === 'YEARLY' ? Date.UTC(year, 0, 1) : dayOf(start);
}

const isSubDaily = ({ freq }: Rule): boolean => freq === 'MINUTELY' || freq === 'HOURLY';

function periodOf({ freq, weekStart }: Rule, local: number): number {
  if (freq === 'MINUTELY') return Math.floor(local / MINUTE);
  if (freq === 'HOURLY') return Math.floor(local / HOUR);
  if (freq === 'DAILY') return Math.floor(local / DAY);
  // 1969-12-29 was a Monday.
  if (freq === 'WEEKLY') return Math.floor((local / DAY + 3 - weekStart) / 7);
  const { year, month } = dateOf(local);
  return freq === 'MONTHLY' ? year * 12 + month : year;
}

function isNamed(rule: Rule, local: number, start: number): boolean {
  const { freq, byMonth, byWeekNo, byYearDay, byMonthDay, byDay } = rule;
  const [{ month, day, fromEnd, weekday }, first] = [dateOf(local), dateOf(start)];
  const isOpen = byYearDay.length + byMonthDay.length + byDay.length === 0;
  const ownMonth = freq === 'YEARLY' && isOpen && byWeekNo.length === 0 ? [first.month] : [];
  const isIn = (named: readonly number[], numbers: readonly number[]) =>
    named.length === 0 || numbers.some((number) => named.includes(number));
  if (!isIn(byMonth.length > 0 ? byMonth : ownMonth, [month])) return false;
  if (!isIn(byMonthDay, [day, fromEnd])) return false;
  if (byYearDay.length > 0 && !isIn(byYearDay, numbersInYear(dayOf(local), DAY))) return false;
  if (byWeekNo.length > 0 && !isIn(byWeekNo, weekNumbers(local, rule))) return false;
  if (byDay.length > 0) return byDay.some((one) => isWeekday(one, rule, local));
  if (!isOpen || freq === 'DAILY' || isSubDaily(rule)) return true;
  return freq === 'WEEKLY' || byWeekNo.length > 0 ? weekday === first.weekday : day === first.day;
}

/** Where a day is in its year if every `step` counts, from the start and from the end, by walking to both. */
function numbersInYear(day: number, step: number): [number, number] {
  const { year } = dateOf(day);
  let [fromStart, fromEnd] = [0, 0];
  for (let at = day; dateOf(at).year === year; at -= step) fromStart += 1;
  for (let at = day; dateOf(at).year === year; at += step) fromEnd -= 1;
  return [fromStart, fromEnd];
}

/** A week is of the year that its fourth day is in. */
function weekNumbers(local: number, { weekStart }: Rule): [number, number] {
  const first = dayOf(local) - ((weekdayOf(local) - weekStart + 7) % 7) * DAY;
  return numbersInYear(first + 3 * DAY, 7 * DAY);
}

function isWeekday({ ordinal, weekday }: Rule['byDay'][number], rule: Rule, day: number): boolean {
  if (weekdayOf(day) !== weekday) return false;
  const isCounted = rule.freq === 'MONTHLY' || (rule.freq === 'YEARLY' && rule.byWeekNo.length === 0);
  if (ordinal === 0 || !isCounted) return true;
  // Counted by walking to the edge of the month, or of the year.
  const isOfYear = rule.freq === 'YEARLY' && rule.byMonth.length === 0;
  const unit = (local: number) => dateOf(local).year * 12 + (isOfYear ? 0 : dateOf(local).month);
  let count = 0;
  const step = ordinal > 0 ? -7 * DAY : 7 * DAY;
  for (let at = day; unit(at) === unit(day); at += step) count += 1;
  return count === Math.abs(ordinal);
}

/** In order. */
function timesOn(rule: Rule, day: number, start: number): number[] {
  const { byHour, byMinute, bySecond, freq } = rule;
  const timeOfDay = start - dayOf(start);
  const every = (count: number) => Array.from({ length: count }, (_, value) => value);
  const or = (named: readonly number[], others: readonly number[]) => (named.length > 0 ? named : others);
  const hours = or(byHour, isSubDaily(rule) ? every(24) : [Math.floor(timeOfDay / HOUR)]);
  const minutes = or(byMinute, freq === 'MINUTELY' ? every(60) : [Math.floor(timeOfDay / MINUTE) % 60]);
  const seconds = or(bySecond, [Math.floor(timeOfDay / 1000) % 60]);
  return hours
    .flatMap((hour) => minutes.map((minute) => day + hour * HOUR + minute * MINUTE))
    .flatMap((at) => seconds.map((second) => at + second * 1000))
    .sort((a, b) => a - b);
}

function picked(times: readonly number[], { bySetPos }: Rule): number[] {
  if (bySetPos.length === 0) return [...times];
  return times.filter((_, i) => bySetPos.includes(i + 1) || bySetPos.includes(i - times.length));
}
