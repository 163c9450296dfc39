/** Reading a recurrence rule, RFC 5545 §3.3.10. */
import { type LocalMs, parseLocal } from './civil.ts';

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
};

const FREQUENCIES: readonly Frequency[] = ['DAILY', 'WEEKLY', 'MONTHLY', 'YEARLY'];
/** By their number, which counts from Monday. */
export const WEEKDAYS = ['MO', 'TU', 'WE', 'TH', 'FR', 'SA', 'SU'];

/** Longer rules than any calendar writes are refused before they are taken apart. */
const LONGEST_RULE = 10_000;

class UnusableRule extends Error {}

/**
 * The rule a text states; `undefined` when it cannot be followed: frequencies below a day, other calendars
 * than the Gregorian (RFC 7529), missing or unreadable parts. A single value out of its range is left out.
 */
export function parseRule(text: string): Rule | undefined {
  if (text.length > LONGEST_RULE) return undefined;
  try {
    return readRule(partsOf(text));
  } catch (error) {
    if (error instanceof UnusableRule) return undefined;
    throw error;
  }
}

function readRule(parts: ReadonlyMap<string, string>): Rule {
  const frequency = FREQUENCIES.find((name) => name === parts.get('FREQ'));
  if (frequency === undefined) throw new UnusableRule();
  if ((parts.get('RSCALE') ?? 'GREGORIAN') !== 'GREGORIAN') throw new UnusableRule();
  if ((parts.get('SKIP') ?? 'OMIT') !== 'OMIT') throw new UnusableRule();
  const until = parts.get('UNTIL');
  const weekStart = WEEKDAYS.indexOf(parts.get('WKST') ?? 'MO');
  return {
    frequency,
    interval: positive(parts.get('INTERVAL')) ?? 1,
    count: positive(parts.get('COUNT')),
    until: until === undefined ? undefined : parseUntil(until),
    byMonth: numbers(parts.get('BYMONTH'), 1, 12),
    byWeekNo: signed(parts.get('BYWEEKNO'), 53),
    byYearDay: signed(parts.get('BYYEARDAY'), 366),
    byMonthDay: signed(parts.get('BYMONTHDAY'), 31),
    byDay: weekdays(parts.get('BYDAY')),
    byHour: numbers(parts.get('BYHOUR'), 0, 23),
    byMinute: numbers(parts.get('BYMINUTE'), 0, 59),
    bySecond: numbers(parts.get('BYSECOND'), 0, 59),
    bySetPos: signed(parts.get('BYSETPOS'), 366),
    weekStart: weekStart === -1 ? 0 : weekStart,
  };
}

function partsOf(text: string): ReadonlyMap<string, string> {
  const parts = new Map<string, string>();
  for (const part of text
    .toUpperCase()
    .replace(/^\s*RRULE:/, '')
    .split(';')) {
    const [name = '', value = ''] = part.split('=');
    if (value.trim() !== '') parts.set(name.trim(), value.trim());
  }
  return parts;
}

/** Some writers say INTERVAL=0 for none; a COUNT of zero would be a series without its own start. */
function positive(text: string | undefined): number | undefined {
  if (text === undefined || /^0+$/.test(text)) return undefined;
  if (!/^\d{1,9}$/.test(text)) throw new UnusableRule();
  return Number(text);
}

function numbers(text: string | undefined, least: number, most: number): number[] {
  if (text === undefined) return [];
  const values = text
    .split(',')
    .map((item) => item.trim())
    .filter((item) => /^[+-]?\d{1,3}$/.test(item))
    .map(Number)
    .filter((value) => value >= least && value <= most);
  if (values.length === 0) throw new UnusableRule();
  return [...new Set(values)].sort((a, b) => a - b);
}

function signed(text: string | undefined, most: number): number[] {
  const values = numbers(text, -most, most).filter((value) => value !== 0);
  if (text !== undefined && values.length === 0) throw new UnusableRule();
  return values;
}

function weekdays(text: string | undefined): RuleWeekday[] {
  if (text === undefined) return [];
  const weekdaysByKey = new Map<string, RuleWeekday>();
  for (const item of text.split(',')) {
    const [, ordinal = '', name = ''] = /^\s*([+-]?\d{0,2})\s*(MO|TU|WE|TH|FR|SA|SU)\s*$/.exec(item) ?? [];
    const day = { ordinal: Number(ordinal || 0), weekday: WEEKDAYS.indexOf(name) };
    if (Number.isNaN(day.ordinal) || Math.abs(day.ordinal) > 53 || day.weekday === -1) continue;
    weekdaysByKey.set(`${day.ordinal} ${day.weekday}`, day);
  }
  if (weekdaysByKey.size === 0) throw new UnusableRule();
  return [...weekdaysByKey.values()];
}

function parseUntil(text: string): Until {
  const [, year, month, day, time, hour, minute, second, utc] =
    /^(\d{4})-?(\d\d)-?(\d\d)(T(\d\d):?(\d\d):?(\d\d)(?:\.\d+)?(Z?))?$/.exec(text) ?? [];
  const date = `${year}-${month}-${day}`;
  const local = parseLocal(time === undefined ? date : `${date}T${hour}:${minute}:${second}`);
  if (local === undefined) throw new UnusableRule();
  if (time === undefined) return { form: 'date', local };
  return { form: utc === 'Z' ? 'utc' : 'local', local };
}
