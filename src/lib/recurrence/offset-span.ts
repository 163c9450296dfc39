/** Stretches of time with one offset from UTC. */

/** from <= instant < to, epoch milliseconds; `offset` is milliseconds east of UTC. */
export type OffsetSpan = { readonly from: number; readonly to: number; readonly offset: number };

/** The span that holds the instant, of spans that do not overlap, in order. */
export function spanIn(spans: readonly OffsetSpan[], instant: number): OffsetSpan | undefined {
  const span = spans[placeIn(spans, instant)];
  return span !== undefined && instant < span.to ? span : undefined;
}

/** The index of the last span that does not begin after the instant; -1 when all do. */
export function placeIn(spans: readonly OffsetSpan[], instant: number): number {
  let low = 0;
  let high = spans.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if ((spans[middle]?.from ?? 0) <= instant) low = middle + 1;
    else high = middle;
  }
  return low - 1;
}
