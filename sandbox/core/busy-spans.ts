/** When somebody is busy, of single busy times. */
import type { TimeWindow } from '../../src/lib/recurrence/series.ts';

/** Cut to the window, in order, and merged where they meet. */
export function busySpans(
  instances: readonly { readonly startsAt: number; readonly endsAt: number }[],
  window: TimeWindow,
): TimeWindow[] {
  const busy = instances
    .map(({ startsAt, endsAt }) => ({
      start: Math.max(startsAt, window.start),
      end: Math.min(endsAt, window.end),
    }))
    .sort((a, b) => a.start - b.start);
  const spans: TimeWindow[] = [];
  for (const span of busy) {
    const last = spans.at(-1);
    if (last === undefined || span.start > last.end) spans.push(span);
    else spans[spans.length - 1] = { start: last.start, end: Math.max(last.end, span.end) };
  }
  return spans;
}
