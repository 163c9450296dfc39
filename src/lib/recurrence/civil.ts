/** The proleptic Gregorian calendar in whole numbers, without a zone: days and local milliseconds since 1970-01-01. */
import type { LocalDate, LocalDateTime } from './event-time.ts';

/** Days since 1970-01-01. */
export type DayNumber = number;
/** A wall-clock time: milliseconds since 1970-01-01T00:00:00, as if that clock never changed. */
export type LocalMs = number;

export const DAY = 86_400_000;

/** iCalendar has four digits for a year (RFC 5545 §3.3.4). */
export const LAST_YEAR = 9999;

/** Returns the time of day in milliseconds, if valid. Seconds may be missing, 60 is 59, and 24:00 ends the day. */
export function timeOfDay(hour: string, minute: string, second: string): number | undefined {
  const [hours, minutes, seconds] = [Number(hour), Number(minute), Math.min(59, Number(second))];
  const isTime = hours <= 24 && minutes <= 59 && (hours < 24 || minutes + seconds === 0);
  return isTime ? (hours * 3600 + minutes * 60 + seconds) * 1000 : undefined;
}

export type Civil = { readonly year: number; readonly month: number; readonly day: number };

const DAYS_BEFORE_MONTH = [0, 0, 31, 59, 90, 120, 151, 181, 212, 243, 273, 304, 334];

export const isLeapYear = (year: number): boolean => year % 4 === 0 && (year % 100 !== 0 || year % 400 === 0);

export function daysInMonth(year: number, month: number): number {
  if (month === 2) return isLeapYear(year) ? 29 : 28;
  return month === 4 || month === 6 || month === 9 || month === 11 ? 30 : 31;
}

/** Returns 1 for January 1. */
export function dayOfYear({ year, month, day }: Civil): number {
  return (DAYS_BEFORE_MONTH[month] ?? 0) + (month > 2 && isLeapYear(year) ? 1 : 0) + day;
}

/** Returns the day number. Months below 1 or above 12 continue into other years. */
export function toDayNumber(year: number, month: number, day: number): DayNumber {
  const wholeYear = year + Math.floor((month - 1) / 12);
  const wholeMonth = ((((month - 1) % 12) + 12) % 12) + 1;
  const before = wholeYear - 1;
  const leapDays = Math.floor(before / 4) - Math.floor(before / 100) + Math.floor(before / 400);
  const ordinal = dayOfYear({ year: wholeYear, month: wholeMonth, day });
  return before * 365 + leapDays + ordinal - 719_163;
}

/** Counting from March of year 0 puts the leap day at the end of its year, in a cycle of 146,097 days. */
export function toCivil(dayNumber: DayNumber): Civil {
  const days = dayNumber + 719_468;
  const cycle = Math.floor(days / 146_097);
  const dayOfCycle = days - cycle * 146_097;
  const yearOfCycle = Math.floor(
    (dayOfCycle -
      Math.floor(dayOfCycle / 1460) +
      Math.floor(dayOfCycle / 36_524) -
      Math.floor(dayOfCycle / 146_096)) /
      365,
  );
  const fromMarch =
    dayOfCycle - (365 * yearOfCycle + Math.floor(yearOfCycle / 4) - Math.floor(yearOfCycle / 100));
  const monthFromMarch = Math.floor((5 * fromMarch + 2) / 153);
  const day = fromMarch - Math.floor((153 * monthFromMarch + 2) / 5) + 1;
  const month = monthFromMarch < 10 ? monthFromMarch + 3 : monthFromMarch - 9;
  return { year: yearOfCycle + cycle * 400 + (month <= 2 ? 1 : 0), month, day };
}

/** 0 is Monday. 1970-01-01 was a Thursday. */
export const weekdayOf = (day: DayNumber): number => (((day + 3) % 7) + 7) % 7;

export const dayOfLocal = (local: LocalMs): DayNumber => Math.floor(local / DAY);

/** Parses a date or local time; `undefined` if it does not exist in the calendar. */
export function parseLocal(text: LocalDate | LocalDateTime): LocalMs | undefined {
  const hasTime = text.length === 19;
  if (!hasTime && text.length !== 10) return undefined;
  const year = digitsAt(text, 0) * 100 + digitsAt(text, 2);
  const month = digitsAt(text, 5);
  const day = digitsAt(text, 8);
  if (text[4] !== '-' || text[7] !== '-') return undefined;
  // NaN is in no range.
  const isDay = year >= 0 && month >= 1 && month <= 12 && day >= 1 && day <= daysInMonth(year, month);
  if (!isDay) return undefined;
  const midnight = toDayNumber(year, month, day) * DAY;
  if (!hasTime) return midnight;
  const hour = digitsAt(text, 11);
  const minute = digitsAt(text, 14);
  const second = digitsAt(text, 17);
  if (text[10] !== 'T' || text[13] !== ':' || text[16] !== ':') return undefined;
  if (!(hour <= 23 && minute <= 59 && second <= 59)) return undefined;
  return midnight + (hour * 3600 + minute * 60 + second) * 1000;
}

const ZERO = 48;

/** Returns two digits as a number, NaN if there are none. */
function digitsAt(text: string, at: number): number {
  const tens = text.charCodeAt(at) - ZERO;
  const ones = text.charCodeAt(at + 1) - ZERO;
  return tens >= 0 && tens <= 9 && ones >= 0 && ones <= 9 ? tens * 10 + ones : Number.NaN;
}

const TWO_DIGITS = Array.from({ length: 100 }, (_, value) => String(value).padStart(2, '0'));
const two = (value: number): string => TWO_DIGITS[value] ?? '';

/** `YYYY-MM-DD`. */
export function formatDate(day: DayNumber): LocalDate {
  const civil = toCivil(day);
  const century = TWO_DIGITS[Math.floor(civil.year / 100)];
  const year = century === undefined ? String(civil.year) : century + two(civil.year % 100);
  return `${year}-${two(civil.month)}-${two(civil.day)}`;
}

/** Formats `YYYY-MM-DDTHH:MM:SS`, without fractions of a second. */
export function formatLocal(local: LocalMs): LocalDateTime {
  const day = dayOfLocal(local);
  const seconds = Math.floor((local - day * DAY) / 1000);
  const hour = Math.floor(seconds / 3600);
  return `${formatDate(day)}T${two(hour)}:${two(Math.floor(seconds / 60) % 60)}:${two(seconds % 60)}`;
}
