/** Counts attempts: the limits of docs/operations.md, in the memory of each instance (shared-attempts.ts: of all). */

/** Counts an attempt and returns `undefined`, or the whole seconds to wait if the window has had too many. */
export type AttemptLimit<Key = string> = (key: Key) => Promise<number | undefined>;

/** A limit that takes an attempt back if it succeeded, so that only failed attempts add up. */
export type RefundableLimit<Key = string> = AttemptLimit<Key> & { refund(key: Key): Promise<void> };

/** Each limit remembers this many keys. Beyond it, the key whose window began first is dropped. */
const MOST_KEYS = 20_000;

/** Limits each key to `attempts` in `seconds` from the first one. `now` returns milliseconds of a monotonic clock. */
export function attemptLimit(
  attempts: number,
  seconds: number,
  { mostKeys = MOST_KEYS, now = () => performance.now() } = {},
): RefundableLimit {
  // All windows are equally long and in the order in which they began, so the first ends first.
  const windows = new Map<string, { count: number; readonly endsAt: number }>();
  const openWindow = (key: string) => {
    for (const [first, { endsAt }] of windows) {
      if (endsAt > now() && windows.size < mostKeys) break;
      windows.delete(first);
    }
    const window = { count: 0, endsAt: now() + seconds * 1000 };
    windows.set(key, window);
    return window;
  };
  const currentWindow = (key: string) => {
    const window = windows.get(key);
    return window !== undefined && window.endsAt > now() ? window : undefined;
  };
  const count: AttemptLimit = async (key) => {
    const window = currentWindow(key) ?? openWindow(key);
    window.count += 1;
    if (window.count <= attempts) return undefined;
    return Math.max(1, Math.ceil((window.endsAt - now()) / 1000));
  };
  return Object.assign(count, {
    async refund(key: string) {
      const window = currentWindow(key);
      if (window !== undefined) window.count -= 1;
    },
  });
}

/** Returns the same limit for keys of another type; keys with one `keyOf` count together. */
export function limitKeyedBy<Key>(limit: RefundableLimit, keyOf: (key: Key) => string): RefundableLimit<Key> {
  const count: AttemptLimit<Key> = (key) => limit(keyOf(key));
  return Object.assign(count, { refund: (key: Key) => limit.refund(keyOf(key)) });
}
