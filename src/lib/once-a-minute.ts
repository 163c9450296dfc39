const MINUTE_MS = 60_000;

/** Returns a function that calls `write` at most once a minute; `count` sums `by` since the last write. */
export function onceAMinute<Line>(
  write: (line: Line, count: number) => void,
  now: () => number = () => performance.now(),
): (line: Line, by?: number) => void {
  let count = 0;
  let last = Number.NEGATIVE_INFINITY;
  return (line, by = 1) => {
    count += by;
    const at = now();
    if (at - last < MINUTE_MS) return;
    write(line, count);
    last = at;
    count = 0;
  };
}
