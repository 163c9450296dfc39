/**
 * Dates and times as callers write them (wire 1.7, 1.11), kept as written until it is known in which zone they are
 * meant: the date part alone names the day of an all-day event, whatever offset follows it.
 */
import {
  DAY,
  dayNumberOf,
  dayOfLocal,
  formatDate,
  LAST_YEAR,
  type LocalMs,
  parseLocal,
} from '../lib/recurrence/civil.ts';
import type { LocalDate } from '../lib/recurrence/event-time.ts';

export type WrittenTime = {
  /** The date part as written. */
  readonly date: LocalDate;
  /** The clock as written, midnight where there is no time; a fraction of a second is cut off. */
  readonly local: LocalMs;
  /** Milliseconds east of UTC; `undefined` where none was written. */
  readonly offset: number | undefined;
};

const FORM =
  /^(\d{4})-?(\d\d)-?(\d\d)(?:[T ](\d\d):?(\d\d)(?::?(\d\d)(?:[.,]\d{1,9})?)?)?\s*(?:(Z)|([+-])(\d\d)(?::?(\d\d))?)?$/i;
const MINUTE = 60_000;
/** Years have four digits wherever calendars write them, on any clock of the world and a day on. */
const EARLIEST = dayNumberOf(2, 1, 1) * DAY;
const END = dayNumberOf(LAST_YEAR, 1, 1) * DAY;

/** `undefined` when the text names no date or time of the years 2 to 9998. */
export function parseWrittenTime(text: string): WrittenTime | undefined {
  const parts = FORM.exec(text.trim());
  if (parts === null) return undefined;
  const [, year, month, day, hour = '00', minute = '00', second = '00', utc, sign] = parts;
  const [hours = '00', minutes = '00'] = parts.slice(9);
  // A leap second is the last of its minute: no clock here has it.
  const local = parseLocal(`${year}-${month}-${day}T${hour}:${minute}:${second === '60' ? '59' : second}`);
  if (local === undefined || Number(hours) > 23 || Number(minutes) > 59) return undefined;
  if (local < EARLIEST || local >= END) return undefined;
  const offset = (Number(hours) * 60 + Number(minutes)) * MINUTE * (sign === '-' ? -1 : 1);
  const isPlaced = utc !== undefined || sign !== undefined;
  return { date: formatDate(dayOfLocal(local)), local, offset: isPlaced ? offset : undefined };
}

/** A .NET caller's unset date (wire 1.9). */
export const isUnset = (text: string): boolean => /^\s*0001-/.test(text);

/** The instant, epoch milliseconds; without an offset it is UTC (wire 1.7). */
export const instantOfWritten = ({ local, offset }: WrittenTime): number => local - (offset ?? 0);
