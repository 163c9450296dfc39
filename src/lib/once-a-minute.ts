const MINUTE_MS = 60_000;

/**
 * Returns a function that calls `write` at once, and then at most once a minute, for lines of the log that requests cause.
 * `count` is the sum of `by` since `write` ran last, this call included. `now` returns milliseconds since any moment.
 */
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
