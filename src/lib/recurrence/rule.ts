/** Reading a recurrence rule, RFC 5545 §3.3.10. */
import { daysInMonth, type LocalMs, parseLocal, timeOfDay } from './civil.ts';

export type Frequency = 'DAILY' | 'WEEKLY' | 'MONTHLY' | 'YEARLY';

/** `ordinal` 0 means every such weekday; 0 is Monday. */
export type RuleWeekday = { readonly ordinal: number; readonly weekday: number };

/** The last moment a rule may name, in the form it was written. */
export type Until = { readonly form: 'date' | 'utc' | 'local'; readonly local: LocalMs };

/** A list is empty when its part is absent. Values are in range and without duplicates. */
export type Rule = {
  readonly frequency: Frequency;
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
  /** Names of parts that the text has and that could not be read, or not all of their values: they are left out. */
  readonly leftOut: readonly string[];
};

const FREQUENCIES: readonly Frequency[] = ['DAILY', 'WEEKLY', 'MONTHLY', 'YEARLY'];
/** By their number, which counts from Monday. */
export const WEEKDAYS = ['MO', 'TU', 'WE', 'TH', 'FR', 'SA', 'SU'];

/** Longer rules than any calendar writes are refused before they are taken apart. */
const LONGEST_RULE = 10_000;

/**
 * The rule a text states, without the parts and values that cannot be read; `leftOut` names those. `undefined` when
 * what is left would be another rule: frequencies below a day or unknown ones, other calendars than the Gregorian
 * (RFC 7529).
 */
export function parseRule(text: string): Rule | undefined {
  if (text.length > LONGEST_RULE) return undefined;
  const parts = partsOf(text);
  const frequency = FREQUENCIES.find((name) => name === parts.get('FREQ'));
  const isGregorian = (parts.get('RSCALE') ?? 'GREGORIAN') === 'GREGORIAN';
  const isOmitting = (parts.get('SKIP') ?? 'OMIT') === 'OMIT';
  return frequency !== undefined && isGregorian && isOmitting ? readRule(frequency, parts) : undefined;
}

/** The text without what some programs write around it: a second `RRULE:`, and the escapes of a TEXT value. */
export const plainRule = (text: string): string =>
  text
    .replace(/^\s*RRULE:/i, '')
    .replace(/\\(?=[;,])/g, '')
    .trim();

type Parts = ReadonlyMap<string, string>;

function partsOf(text: string): Parts {
  const parts = new Map<string, string>();
  for (const part of plainRule(text).toUpperCase().split(';')) {
    const [name = '', value = ''] = part.split('=');
    if (value.trim() !== '') parts.set(name.trim(), value.trim());
  }
  return parts;
}

function readRule(frequency: Frequency, parts: Parts): Rule {
  const leftOut = new Set([...parts.keys()].filter((name) => !PARTS.has(name) && !name.startsWith('X-')));
  const one = <T>(name: string, read: (text: string) => T | undefined): T | undefined => {
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
  /** Those that also count from the end. */
  const signed = (name: string, most: number): number[] =>
    [...new Set(many(name, signedNumberIn(most)))].sort((a, b) => a - b);
  return {
    frequency,
    interval: one('INTERVAL', positive) ?? 1,
    // Some writers say COUNT=-1 or COUNT=0 for a series without an end.
    count: one('COUNT', positive),
    // A time that cannot be read is left out, and its day is not.
    until: one('UNTIL', parseUntil) ?? dayOf(parts.get('UNTIL')),
    byMonth: numbers('BYMONTH', 1, 12),
    byWeekNo: signed('BYWEEKNO', 53),
    byYearDay: signed('BYYEARDAY', 366),
    byMonthDay: signed('BYMONTHDAY', 31),
    byDay: withoutDuplicates(many('BYDAY', weekday)),
    byHour: numbers('BYHOUR', 0, 23),
    byMinute: numbers('BYMINUTE', 0, 59),
    bySecond: numbers('BYSECOND', 0, 59),
    bySetPos: signed('BYSETPOS', 366),
    weekStart: one('WKST', weekStart) ?? 0,
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
  const midnight = midnightOf(year, month, day);
  if (midnight === undefined) return undefined;
  if (hour === undefined) return { form: 'date', local: midnight };
  const sinceMidnight = timeOfDay(hour, minute, second);
  if (sinceMidnight === undefined) return undefined;
  return { form: utc === 'Z' ? 'utc' : 'local', local: midnight + sinceMidnight };
}

function dayOf(text = ''): Until | undefined {
  const [, year = '', month = '', day = ''] = /^(\d{4})-?(\d\d)-?(\d\d)/.exec(text) ?? [];
  const local = midnightOf(year, month, day);
  return local === undefined ? undefined : { form: 'date', local };
}

/** `20110931` is written where the last day of a month is meant. */
function midnightOf(year: string, month: string, day: string): LocalMs | undefined {
  const lastDay = daysInMonth(Number(year), Number(month));
  return parseLocal(`${year}-${month}-${Number(day) > lastDay && Number(day) <= 31 ? lastDay : day}`);
}
