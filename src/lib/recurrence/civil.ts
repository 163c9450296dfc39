/**
 * The proleptic Gregorian calendar in whole numbers: days since 1970-01-01, and local times as milliseconds
 * since then, without a zone. Recurrence rules are arithmetic on these.
 */
import type { LocalDate, LocalDateTime } from './event-time.ts';

/** Days since 1970-01-01. */
export type DayNumber = number;
/** A wall-clock time: milliseconds since 1970-01-01T00:00:00, as if that clock never changed. */
export type LocalMs = number;

export const DAY = 86_400_000;

/** iCalendar has four digits for a year (RFC 5545 §3.3.4). */
export const LAST_YEAR = 9999;

export type Civil = { readonly year: number; readonly month: number; readonly day: number };

const DAYS_BEFORE_MONTH = [0, 0, 31, 59, 90, 120, 151, 181, 212, 243, 273, 304, 334];

export const isLeapYear = (year: number): boolean => year % 4 === 0 && (year % 100 !== 0 || year % 400 === 0);

export function daysInMonth(year: number, month: number): number {
  if (month === 2) return isLeapYear(year) ? 29 : 28;
  return month === 4 || month === 6 || month === 9 || month === 11 ? 30 : 31;
}

/** 1 on 1 January. */
export function dayOfYear({ year, month, day }: Civil): number {
  return (DAYS_BEFORE_MONTH[month] ?? 0) + (month > 2 && isLeapYear(year) ? 1 : 0) + day;
}

/** Any month number is taken as months counted on from the year's first. */
export function dayNumberOf(year: number, month: number, day: number): DayNumber {
  const wholeYear = year + Math.floor((month - 1) / 12);
  const wholeMonth = ((((month - 1) % 12) + 12) % 12) + 1;
  const before = wholeYear - 1;
  const leapDays = Math.floor(before / 4) - Math.floor(before / 100) + Math.floor(before / 400);
  const ordinal = dayOfYear({ year: wholeYear, month: wholeMonth, day });
  return before * 365 + leapDays + ordinal - 719_163;
}

/** Counting from March of year 0 puts the leap day at the end of its year, in a cycle of 146,097 days. */
export function civilOf(dayNumber: DayNumber): Civil {
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

/** The local time a text names; `undefined` when it is no date or time of the calendar. */
export function parseLocal(text: LocalDate | LocalDateTime): LocalMs | undefined {
  const parts = /^(\d{4})-(\d\d)-(\d\d)(?:T(\d\d):(\d\d):(\d\d))?$/.exec(text);
  if (parts === null) return undefined;
  const [year = 0, month = 0, day = 0, hour = 0, minute = 0, second = 0] = parts
    .slice(1)
    .map((part) => Number(part ?? 0));
  if (month < 1 || month > 12 || day < 1 || day > daysInMonth(year, month)) return undefined;
  if (hour > 23 || minute > 59 || second > 59) return undefined;
  return dayNumberOf(year, month, day) * DAY + (hour * 3600 + minute * 60 + second) * 1000;
}

const pad = (value: number, width = 2): string => String(value).padStart(width, '0');

export function formatDate(day: DayNumber): LocalDate {
  const civil = civilOf(day);
  return `${pad(civil.year, 4)}-${pad(civil.month)}-${pad(civil.day)}`;
}

/** Whole seconds; a fraction is cut off. */
export function formatLocal(local: LocalMs): LocalDateTime {
  const day = dayOfLocal(local);
  const seconds = Math.floor((local - day * DAY) / 1000);
  const time = [Math.floor(seconds / 3600), Math.floor(seconds / 60) % 60, seconds % 60];
  return `${formatDate(day)}T${time.map((part) => pad(part)).join(':')}`;
}
