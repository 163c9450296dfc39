/** Reads dates and times of requests in RFC 3339 and looser spellings (docs/wire.md 1.7). */
import { type LocalMs, parseLocal, timeOfDay } from './recurrence/civil.ts';

const DATE = String.raw`(\d{4})-?(\d\d|(?<=-)\d(?=-))-?(\d\d|(?<=-)\d)`;
const TIME = String.raw`(\d\d|\d(?=:)):?([0-5]\d)(?::?([0-5]\d|60)(?:[.,](\d{1,9}))?)?`;
const OFFSET = String.raw`(?:[Zz]|UTC|GMT|([+-])([01]\d|2[0-3])(?::?([0-5]\d))?)`;
/** A zone in brackets only explains the offset before it (RFC 9557). */
const ZONE = String.raw`(?:\[[^[\]]+\])?`;
const FORM = `${DATE}(?:[Tt ]${TIME})?\\s*(${OFFSET}${ZONE})?`;
const WHOLE = new RegExp(`^${FORM}$`);
/** The pattern of accepted texts, with surrounding spaces. */
export const LOOSE_TIME = `^\\s*${FORM}\\s*$`;

const MINUTE = 60_000;

export type TimeText = {
  /** The clock time, midnight by default, in whole seconds. 24:00 is the next midnight, and a leap second 59. */
  readonly local: LocalMs;
  /** The fraction of the second, in whole milliseconds. */
  readonly fraction: number;
  /** Milliseconds east of UTC; `undefined` without an offset. */
  readonly offset: number | undefined;
};

/** Returns `undefined` if the text is not a date or time, or does not exist in the calendar. */
export function parseTimeText(text: string): TimeText | undefined {
  const parts = WHOLE.exec(text.trim());
  if (parts === null) return undefined;
  const [, year, month = '', day = '', hour = '', minute = '', second = '', fraction = ''] = parts;
  const [placed, sign, hours = '', minutes = ''] = parts.slice(8);
  const midnight = parseLocal(`${year}-${month.padStart(2, '0')}-${day.padStart(2, '0')}`);
  const sinceMidnight = timeOfDay(hour, minute, second);
  if (midnight === undefined || sinceMidnight === undefined) return undefined;
  const offset = (Number(hours) * 60 + Number(minutes)) * MINUTE * (sign === '-' ? -1 : 1);
  return {
    local: midnight + sinceMidnight,
    fraction: Number(fraction.padEnd(3, '0').slice(0, 3)),
    offset: placed === undefined ? undefined : offset,
  };
}
