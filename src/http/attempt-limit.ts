/** Counts attempts: the limits of docs/operations.md, in the memory of each instance (shared-attempts.ts: of all). */

/** Counts an attempt and returns `undefined`, or the whole seconds to wait if the window has had too many. */
export type AttemptLimit<Key = string> = (key: Key) => Promise<number | undefined>;

/** A limit that takes an attempt back if it succeeded, so that only failed attempts add up. */
export type RefundableLimit<Key = string> = AttemptLimit<Key> & { refund(key: Key): Promise<void> };

/**
 * Each limit remembers this many keys below their limit, and as many that reached it. Beyond it, the oldest is dropped.
 * So a flood of keys drops none that reached its limit.
 */
const MOST_KEYS = 20_000;

type AttemptWindow = { count: number; readonly endsAt: number };

/** Limits each key to `attempts` in `seconds` from the first one. `now` returns milliseconds of a monotonic clock. */
export function attemptLimit(
  attempts: number,
  seconds: number,
  { mostKeys = MOST_KEYS, now = () => performance.now() } = {},
): RefundableLimit {
  // All windows are equally long and in the order in which they began, so the first ends first.
  const windows = new Map<string, AttemptWindow>();
  const reached = new Map<string, AttemptWindow>();
  const remember = (window: AttemptWindow, key: string, at: Map<string, AttemptWindow>) => {
    windows.delete(key);
    reached.delete(key);
    for (const [first, { endsAt }] of at) {
      if (endsAt > now() && at.size < mostKeys) break;
      at.delete(first);
    }
    at.set(key, window);
    return window;
  };
  const currentWindow = (key: string) => {
    const window = reached.get(key) ?? windows.get(key);
    return window !== undefined && window.endsAt > now() ? window : undefined;
  };
  const count: AttemptLimit = async (key) => {
    const window = currentWindow(key) ?? remember({ count: 0, endsAt: now() + seconds * 1000 }, key, windows);
    window.count += 1;
    if (window.count >= attempts && !reached.has(key)) remember(window, key, reached);
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

/** A limit and the key under which it counts an attempt. */
export type CountedKey = { readonly limit: RefundableLimit; readonly key: string };

/**
 * Counts an attempt under each key and returns `undefined`. If a limit is reached, takes the attempt back from the
 * earlier ones and returns that limit with the whole seconds to wait.
 */
export async function countEach(
  counted: readonly CountedKey[],
): Promise<{ readonly limit: RefundableLimit; readonly retryAfter: number } | undefined> {
  for (const [index, { limit, key }] of counted.entries()) {
    const retryAfter = await limit(key);
    if (retryAfter === undefined) continue;
    await refundEach(counted.slice(0, index));
    return { limit, retryAfter };
  }
  return undefined;
}

/** Takes back an attempt under each key. */
export async function refundEach(counted: readonly CountedKey[]): Promise<void> {
  for (const { limit, key } of counted) await limit.refund(key);
}

/** The limits of a site and of a wide network (address-key.ts), as multiples of that of an address. */
const AT_SITE = 10;
const IN_WIDE_NETWORK = 100;

/**
 * Limits addresses to `attempts` in `seconds`, and the networks around them to more. `toKeys` returns the keys of an
 * address's networks, largest first: if one is at its limit, the others get no new keys.
 */
export function networkLimit<Key>(
  attempts: number,
  seconds: number,
  toKeys: (key: Key) => readonly [wide: string, site: string, host: string],
): RefundableLimit<Key> {
  const ofWideNetwork = attemptLimit(attempts * IN_WIDE_NETWORK, seconds);
  const ofSite = attemptLimit(attempts * AT_SITE, seconds);
  const ofHost = attemptLimit(attempts, seconds);
  const countedAt = (key: Key): readonly CountedKey[] => {
    const [wide, site, host] = toKeys(key);
    return [
      { limit: ofWideNetwork, key: wide },
      { limit: ofSite, key: site },
      { limit: ofHost, key: host },
    ];
  };
  const count: AttemptLimit<Key> = async (key) => (await countEach(countedAt(key)))?.retryAfter;
  return Object.assign(count, { refund: (key: Key) => refundEach(countedAt(key)) });
}
