/** Zones that no country has, whose clocks change on Sundays each year. */
import type { OwnZone } from '../../../sandbox/core/occurrences.ts';
import { DAY, dateOf, HOUR, MINUTE, weekdayOf } from '../../../sandbox/core/rule-times.ts';

/** A change to an offset in minutes, each year: the nth Sunday of a month (0 is January) at an hour. */
export type Change = {
  readonly month: number;
  readonly sunday: number;
  readonly hour: number;
  readonly offset: number;
};
/** `offset` is in minutes, before all changes. */
export type SundayZone = OwnZone & { readonly offset: number; readonly changes: readonly Change[] };

export const sundayZone = (tzid: string, offset: number, changes: readonly Change[]): SundayZone => ({
  tzid,
  offset,
  changes,
  offsetAt: (instant) => offsetOf({ offset, changes }, instant),
});

/** Returns the offset, in milliseconds, after the last change up to `instant`. */
function offsetOf({ offset, changes }: Pick<SundayZone, 'offset' | 'changes'>, instant: number): number {
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
    if (sundays === sunday) return day + hour * HOUR;
  }
}
