/**
 * Instants as every answer writes them (docs/wire.md 2): RFC 3339 in UTC with exactly three fraction digits.
 */

const FIRST = -62_135_596_800_000;
const LAST = 253_402_300_799_999;

/** Kept within the years 0001 to 9999, since no client reads others. */
export function instantText(epochMilliseconds: number): string {
  // Date formats several times faster than Temporal, and in just this form.
  return new Date(Math.min(Math.max(epochMilliseconds, FIRST), LAST)).toISOString();
}

/** The date of midnight UTC, as all-day events have it: `YYYY-MM-DD`. */
export const dateText = (epochMilliseconds: number): string => instantText(epochMilliseconds).slice(0, 10);
