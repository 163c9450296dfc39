/** Limits lines of the log that any number of requests can cause. */

const MINUTE_MS = 60_000;

/**
 * Returns a function that calls `write` at once, and then at most once a minute. `count` is the number of calls since
 * `write` ran last, this one included. `now` returns milliseconds since any moment.
 */
export function onceAMinute<Line>(
  write: (line: Line, count: number) => void,
  now: () => number = () => performance.now(),
): (line: Line) => void {
  let count = 0;
  let last = Number.NEGATIVE_INFINITY;
  return (line) => {
    count += 1;
    const at = now();
    if (at - last < MINUTE_MS) return;
    write(line, count);
    last = at;
    count = 0;
  };
}
