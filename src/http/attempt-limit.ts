/** Counting attempts: the limits of docs/operations.md, kept in memory of each instance. */
// By file: the package's entry loads a client for every database it knows, 11 MB in all.
import RateLimiterMemory from 'rate-limiter-flexible/lib/RateLimiterMemory.js';
import RateLimiterRes from 'rate-limiter-flexible/lib/RateLimiterRes.js';

/**
 * Counts an attempt under a key. Answers the whole seconds to wait once more than the allowed number
 * were made within the window, `undefined` while they are within it.
 */
export type AttemptLimit<Key = string> = (key: Key) => Promise<number | undefined>;

/** One that takes an attempt back when it turned out to be right, so that only wrong ones add up. */
export type RefundableLimit<Key = string> = AttemptLimit<Key> & { refund(key: Key): Promise<void> };

/** So many keys are remembered for each limit: beyond it the one that was first seen longest ago is forgotten. */
const MOST_KEYS = 20_000;

/** At most `attempts` in `seconds` for each key, of which no more than `mostKeys` are remembered. */
export function attemptLimit(attempts: number, seconds: number, mostKeys = MOST_KEYS): RefundableLimit {
  const limiter = new RateLimiterMemory({ points: attempts, duration: seconds });
  // In the order of their first attempts, some of which are over: those are the first to be forgotten.
  const keys = new Set<string>();
  const remember = async (key: string): Promise<void> => {
    keys.add(key);
    const [first] = keys;
    if (keys.size <= mostKeys || first === undefined) return;
    keys.delete(first);
    await limiter.delete(first);
  };
  const count: AttemptLimit = async (key) => {
    await remember(key);
    try {
      const { consumedPoints } = await limiter.consume(key);
      // A window that begins anew is the youngest.
      if (consumedPoints === 1 && keys.delete(key)) keys.add(key);
      return undefined;
    } catch (reason) {
      // The library rejects with its result when the limit is reached, with an Error when it failed.
      if (!(reason instanceof RateLimiterRes)) throw reason;
      return Math.max(1, Math.ceil(reason.msBeforeNext / 1000));
    }
  };
  return Object.assign(count, {
    async refund(key: string) {
      await limiter.reward(key);
    },
  });
}

/** The same limit for keys that are no text: `keyOf` says which of them count as one. */
export function limitKeyedBy<Key>(limit: RefundableLimit, keyOf: (key: Key) => string): RefundableLimit<Key> {
  const count: AttemptLimit<Key> = (key) => limit(keyOf(key));
  return Object.assign(count, { refund: (key: Key) => limit.refund(keyOf(key)) });
}
