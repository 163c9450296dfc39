/** Pure functions on time intervals: epoch milliseconds with an exclusive end. */

export type Interval = { readonly start: number; readonly end: number };

/** Returns the same time as disjoint intervals in order. Joins adjacent intervals and drops empty ones. */
export function merged(intervals: readonly Interval[]): Interval[] {
  const sorted = intervals
    .filter(({ start, end }) => end > start)
    .toSorted((a, b) => a.start - b.start || a.end - b.end);
  const result: { start: number; end: number }[] = [];
  for (const { start, end } of sorted) {
    const last = result.at(-1);
    if (last === undefined || start > last.end) result.push({ start, end });
    else last.end = Math.max(last.end, end);
  }
  return result;
}

/** Returns the parts of `window` outside all `busy` intervals. */
export function gaps(busy: readonly Interval[], window: Interval): Interval[] {
  const free: Interval[] = [];
  let from = window.start;
  for (const { start, end } of merged(busy)) {
    if (start >= window.end) break;
    if (start > from) free.push({ start: from, end: start });
    from = Math.max(from, end);
  }
  if (from < window.end) free.push({ start: from, end: window.end });
  return free;
}

/** A part of the interval `within`. */
export type Part = Interval & { readonly within: Interval };

/** Returns the time in both lists, as parts of intervals of the first; each list is disjoint and in order. */
export function common(one: readonly Interval[], other: readonly Interval[]): Part[] {
  const both: Part[] = [];
  for (let i = 0, j = 0; i < one.length && j < other.length; ) {
    const [a, b] = [one[i], other[j]];
    if (a === undefined || b === undefined) break;
    const start = Math.max(a.start, b.start);
    const end = Math.min(a.end, b.end);
    if (start < end) both.push({ start, end, within: a });
    if (a.end < b.end) i += 1;
    else j += 1;
  }
  return both;
}

/** Returns the part of each interval that lies in the window. */
export const clipped = (intervals: readonly Interval[], window: Interval): Interval[] =>
  intervals
    .map(({ start, end }) => ({ start: Math.max(start, window.start), end: Math.min(end, window.end) }))
    .filter(({ start, end }) => end > start);
