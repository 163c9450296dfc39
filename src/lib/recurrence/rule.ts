/** Parses a recurrence rule, RFC 5545 §3.3.10 and RFC 7529. */
import { daysInMonth, type LocalMs, parseLocal, timeOfDay } from './civil.ts';

export type Frequency = 'DAILY' | 'WEEKLY' | 'MONTHLY' | 'YEARLY';

/** `ordinal` 0 means every such weekday; `weekday` 0 is Monday. */
export type RuleWeekday = { readonly ordinal: number; readonly weekday: number };

/** The last time a rule may name, in the form it was written. */
export type Until = { readonly form: 'date' | 'utc' | 'local'; readonly local: LocalMs };

/** The calendar of a rule and what it does with days and leap months that do not exist, RFC 7529. */
export type Scale = {
  /** A calendar of Temporal. */
  readonly calendar: string;
  readonly skip: 'OMIT' | 'BACKWARD' | 'FORWARD';
  /** BYMONTH as month codes, such as `M05L`. */
  readonly months: readonly string[];
};

/** A list is empty when its part is absent. Values are in range and without duplicates. */
export type Rule = {
  readonly frequency: Frequency;
  /** Milliseconds of an hour or a minute in a rule below a day, whose `frequency` is `DAILY`. */
  readonly unit: number | undefined;
  /** Undefined for the Gregorian calendar without SKIP. `byMonth` is empty beside it. */
  readonly scale: Scale | undefined;
  readonly interval: number;
  readonly count: number | undefined;
  readonly until: Until | undefined;
  readonly byMonth: readonly number[];
  readonly byWeekNo: readonly number[];
  readonly byYearDay: readonly number[];
  readonly byMonthDay: readonly number[];
  readonly byDay: readonly RuleWeekday[];
  readonly byHour: readonly number[];
  readonly byMinute: readonly number[];
  readonly bySecond: readonly number[];
  readonly bySetPos: readonly number[];
  /** The day weeks begin with; 0 is Monday. */
  readonly weekStart: number;
  /** The parts with an invalid value, which are left out. */
  readonly leftOut: readonly string[];
};

const FREQUENCIES: readonly Frequency[] = ['DAILY', 'WEEKLY', 'MONTHLY', 'YEARLY'];
/** Indexed by weekday; 0 is Monday. */
export const WEEKDAYS = ['MO', 'TU', 'WE', 'TH', 'FR', 'SA', 'SU'];

/** Limits rules before they are parsed. No calendar writes longer ones. */
const LONGEST_RULE = 10_000;

/**
 * Returns the rule that a text states, without the parts and values that cannot be read; `leftOut` has their names.
 * Undefined if the rest would be another rule: unknown frequencies and calendars, SECONDLY, BYSETPOS below a day, other
 * calendars below a day, and BYWEEKNO outside the Gregorian calendar.
 */
export function parseRule(text: string): Rule | undefined {
  if (text.length > LONGEST_RULE) return undefined;
  const parts = parseParts(text);
  const unit = UNITS.get(parts.get('FREQ') ?? '');
  const frequency = unit === undefined ? FREQUENCIES.find((name) => name === parts.get('FREQ')) : 'DAILY';
  const hasScale = parts.has('RSCALE') || parts.has('SKIP');
  if (frequency === undefined) return undefined;
  if (!hasScale && unit === undefined) return readRule(frequency, parts);
  const scale = hasScale ? scaleIn(parts) : undefined;
  if (hasScale && scale === undefined) return undefined;
  const isGregorian = scale === undefined || scale.calendar === 'gregory';
  const isPlain = isGregorian && (scale?.skip ?? 'OMIT') === 'OMIT';
  if (unit !== undefined && (!isPlain || parts.has('BYSETPOS'))) return undefined;
  const rule = { ...readRule(frequency, parts), unit };
  if (isPlain || scale === undefined) return rule;
  if (rule.byWeekNo.length > 0)
    return isGregorian ? { ...rule, leftOut: [...rule.leftOut, 'SKIP'] } : undefined;
  return readScaled(rule, scale, parts);
}

/** Returns whether the rule goes beyond the object of docs/wire.md 1.10: a frequency below a day, or RFC 7529. */
export const isExtended = ({ unit, scale }: Rule): boolean => unit !== undefined || scale !== undefined;

const UNITS: ReadonlyMap<string, number> = new Map([
  ['HOURLY', 3_600_000],
  ['MINUTELY', 60_000],
]);
const SKIPS = ['OMIT', 'BACKWARD', 'FORWARD'] as const;

/** Undefined if Temporal does not have the calendar, or SKIP cannot be read. */
function scaleIn(parts: Parts): Omit<Scale, 'months'> | undefined {
  const name = (parts.get('RSCALE') ?? 'GREGORIAN').toLowerCase();
  const skip = SKIPS.find((value) => value === (parts.get('SKIP') ?? 'OMIT'));
  if (skip === undefined) return undefined;
  if (name === 'gregorian') return { calendar: 'gregory', skip };
  try {
    return { calendar: new Temporal.PlainDate(2000, 1, 1, name).calendarId, skip };
  } catch (error) {
    if (error instanceof RangeError) return undefined;
    throw error;
  }
}

function readScaled(rule: Rule, scale: Omit<Scale, 'months'>, parts: Parts): Rule {
  const items = (parts.get('BYMONTH') ?? '').split(',').filter((item) => item.trim() !== '');
  const months = items.flatMap((item) => {
    const [, number = '', leap = ''] = /^\s*(0?[1-9]|1[0-3])(L?)\s*$/.exec(item) ?? [];
    return number === '' ? [] : [`M${number.padStart(2, '0')}${leap}`];
  });
  const leftOut = rule.leftOut.filter((name) => name !== 'BYMONTH');
  return {
    ...rule,
    byMonth: [],
    scale: { ...scale, months: [...new Set(months)] },
    leftOut: months.length < items.length ? [...leftOut, 'BYMONTH'] : leftOut,
  };
}

/** Returns the text without wrappers that some programs write: a second `RRULE:`, and the escapes of a TEXT value. */
export const plainRule = (text: string): string =>
  text
    .replace(/^\s*RRULE:/i, '')
    .replace(/\\(?=[;,])/g, '')
    .trim();

type Parts = ReadonlyMap<string, string>;

function parseParts(text: string): Parts {
  const parts = new Map<string, string>();
  for (const part of plainRule(text).toUpperCase().split(';')) {
    const [name = '', value = ''] = part.split('=');
    if (value.trim() !== '') parts.set(name.trim(), value.trim());
  }
  return parts;
}

function readRule(frequency: Frequency, parts: Parts): Rule {
  const leftOut = new Set([...parts.keys()].filter((name) => !PARTS.has(name) && !name.startsWith('X-')));
  const single = <T>(name: string, read: (text: string) => T | undefined): T | undefined => {
    const text = parts.get(name);
    const value = text === undefined ? undefined : read(text);
    if (text !== undefined && value === undefined) leftOut.add(name);
    return value;
  };
  const many = <T>(name: string, read: (item: string) => T | undefined): T[] => {
    const items = (parts.get(name)?.split(',') ?? []).filter((item) => item.trim() !== '');
    const values = items.map(read).filter((value) => value !== undefined);
    if (values.length < items.length) leftOut.add(name);
    return values;
  };
  const numbers = (name: string, least: number, most: number): number[] =>
    [...new Set(many(name, numberIn(least, most)))].sort((a, b) => a - b);
  /** Numbers that may also count from the end. */
  const signed = (name: string, most: number): number[] =>
    [...new Set(many(name, signedNumberIn(most)))].sort((a, b) => a - b);
  return {
    frequency,
    ...{ unit: undefined, scale: undefined },
    interval: single('INTERVAL', positive) ?? 1,
    // Some writers use COUNT=-1 or COUNT=0 for a series without an end.
    count: single('COUNT', positive),
    // If the time is invalid, only its day is used.
    until: single('UNTIL', parseUntil) ?? parseUntilDay(parts.get('UNTIL')),
    byMonth: numbers('BYMONTH', 1, 12),
    byWeekNo: signed('BYWEEKNO', 53),
    // The longest years of other calendars have 385 days.
    byYearDay: signed('BYYEARDAY', parts.has('RSCALE') ? 385 : 366),
    byMonthDay: signed('BYMONTHDAY', 31),
    byDay: withoutDuplicates(many('BYDAY', weekday)),
    byHour: numbers('BYHOUR', 0, 23),
    byMinute: numbers('BYMINUTE', 0, 59),
    bySecond: numbers('BYSECOND', 0, 59),
    bySetPos: signed('BYSETPOS', 366),
    weekStart: single('WKST', weekStart) ?? 0,
    leftOut: [...leftOut],
  };
}

const PARTS = new Set([
  ...['FREQ', 'RSCALE', 'SKIP', 'INTERVAL', 'COUNT', 'UNTIL', 'WKST', 'BYMONTH', 'BYWEEKNO', 'BYYEARDAY'],
  ...['BYMONTHDAY', 'BYDAY', 'BYHOUR', 'BYMINUTE', 'BYSECOND', 'BYSETPOS'],
]);

function positive(text: string): number | undefined {
  return /^\+?\d{1,9}$/.test(text) && Number(text) > 0 ? Number(text) : undefined;
}

const numberIn =
  (least: number, most: number) =>
  (text: string): number | undefined => {
    const value = /^\s*[+-]?\d{1,3}\s*$/.test(text) ? Number(text) : Number.NaN;
    return value >= least && value <= most ? value : undefined;
  };

const signedNumberIn = (most: number) => {
  const read = numberIn(-most, most);
  return (text: string): number | undefined => read(text) || undefined;
};

function weekday(text: string): RuleWeekday | undefined {
  const [, ordinal = '', name = ''] = /^([+-]?\d{0,2})\s*(MO|TU|WE|TH|FR|SA|SU)$/.exec(text.trim()) ?? [];
  const day = { ordinal: Number(ordinal || 0), weekday: WEEKDAYS.indexOf(name) };
  return Math.abs(day.ordinal) <= 53 && day.weekday !== -1 ? day : undefined;
}

function withoutDuplicates(days: readonly RuleWeekday[]): RuleWeekday[] {
  return [...new Map(days.map((day) => [`${day.ordinal} ${day.weekday}`, day])).values()];
}

const weekStart = (text: string): number | undefined => {
  const weekday = WEEKDAYS.indexOf(text);
  return weekday === -1 ? undefined : weekday;
};

const DATE_AND_TIME = /^(\d{4})-?(\d\d)-?(\d\d)(?:T(\d\d):?(\d\d):?(\d\d)?(?:[.,]\d+)?(Z?))?$/;

function parseUntil(text: string): Until | undefined {
  const [, year = '', month = '', day = '', hour, minute = '', second = '', utc] =
    DATE_AND_TIME.exec(text) ?? [];
  const midnight = parseMidnight(year, month, day);
  if (midnight === undefined) return undefined;
  if (hour === undefined) return { form: 'date', local: midnight };
  const sinceMidnight = timeOfDay(hour, minute, second);
  if (sinceMidnight === undefined) return undefined;
  return { form: utc === 'Z' ? 'utc' : 'local', local: midnight + sinceMidnight };
}

function parseUntilDay(text = ''): Until | undefined {
  const [, year = '', month = '', day = ''] = /^(\d{4})-?(\d\d)-?(\d\d)/.exec(text) ?? [];
  const local = parseMidnight(year, month, day);
  return local === undefined ? undefined : { form: 'date', local };
}

/** Some programs write `20110931` for the last day of a month. */
function parseMidnight(year: string, month: string, day: string): LocalMs | undefined {
  const lastDay = daysInMonth(Number(year), Number(month));
  return parseLocal(`${year}-${month}-${Number(day) > lastDay && Number(day) <= 31 ? lastDay : day}`);
}
