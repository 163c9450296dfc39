import { common, gaps, type Interval } from './intervals.ts';

/** Lengths in milliseconds. */
export type SlotRules = {
  readonly window: Interval;
  readonly duration: number;
  /** The free time before and after the meeting. It may lie outside the hours and the window. */
  readonly bufferBefore: number;
  readonly bufferAfter: number;
  /** The earliest start of a slot: now plus the notice. */
  readonly earliest: number;
  readonly step: number;
  readonly limit: number;
};

const MINUTE = 60_000;

/**
 * Returns at most `limit` slots in order, within `open` (disjoint, in order) and separated from `busy` by the buffers.
 * Steps count from the start of each open interval. A long enough gap without a step gets one slot, at a whole minute
 * if possible.
 */
export function freeSlots(
  busy: readonly Interval[],
  open: readonly Interval[],
  rules: SlotRules,
): Interval[] {
  const { window, duration, bufferBefore, bufferAfter, earliest, limit } = rules;
  const padded = busy.map(({ start, end }) => ({ start: start - bufferAfter, end: end + bufferBefore }));
  const from = { start: Math.max(window.start, earliest), end: window.end };
  const free = from.start < from.end ? gaps(padded, from) : [];
  const slots: Interval[] = [];
  for (const hours of open) {
    for (const gap of common([hours], free)) {
      for (const start of startsIn(gap, hours.start, rules)) {
        if (slots.length >= limit) return slots;
        slots.push({ start, end: start + duration });
      }
    }
  }
  return slots;
}

function* startsIn(
  { start, end }: Interval,
  anchor: number,
  { duration, step }: SlotRules,
): Generator<number> {
  const last = end - duration;
  const first = anchor + Math.ceil((start - anchor) / step) * step;
  if (first <= last) {
    for (let at = first; at <= last; at += step) yield at;
  } else if (start <= last) {
    const minute = Math.ceil(start / MINUTE) * MINUTE;
    yield minute <= last ? minute : start;
  }
}
