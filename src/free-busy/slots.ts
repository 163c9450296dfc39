/** Free slots for a meeting. Pure. */
import { common, gaps, type Interval } from './intervals.ts';

/** Lengths in milliseconds. */
export type SlotRules = {
  readonly window: Interval;
  readonly duration: number;
  /** Free time that is kept before and after the meeting; it may lie outside the hours and the window. */
  readonly bufferBefore: number;
  readonly bufferAfter: number;
  /** The first moment that can be offered: now plus the notice. */
  readonly earliest: number;
  readonly step: number;
  readonly limit: number;
};

const MINUTE = 60_000;

/**
 * Slots in order, at most `limit`: within `open` (disjoint and in order), and apart from `busy` by the buffers. They begin
 * at steps counted from the beginning of their open interval. A gap that is long enough but has room for none of these
 * gets one at its own beginning, on a whole minute where one fits, so that every such gap is offered.
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
