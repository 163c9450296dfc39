/** Slows down attempts at one login from many addresses, whether a member has this login or not. */
import { createHmac, randomBytes } from 'node:crypto';

import type { RefundableLimit } from '../http/attempt-limit.ts';

const MINUTE_MS = 60_000;
const WINDOW_MS = 15 * MINUTE_MS;
const DAY_MS = 24 * 60 * MINUTE_MS;
const FREE_ATTEMPTS = 20;
/** Logins share these counts by a keyed hash: memory is bounded, and no invented login displaces the count of another. */
const COUNTS = 2 ** 14;

/**
 * Allows 20 attempts in 15 minutes per login, then one a minute, and doubles the wait after each one up to an hour. It starts over
 * a day after the last wait. `now` returns milliseconds since any moment.
 */
export function loginLimit(now: () => number): RefundableLimit {
  const key = randomBytes(32);
  const counts = new Map<number, { attempts: number; readonly begunAt: number; nextAt: number }>();
  const slotOf = (login: string) => createHmac('sha256', key).update(login).digest().readUInt16BE() % COUNTS;
  const limit = async (login: string): Promise<number | undefined> => {
    const at = now();
    const { attempts = 0, begunAt = at, nextAt = at } = counts.get(slotOf(login)) ?? {};
    if (at < nextAt) return Math.ceil((nextAt - at) / 1000);
    const isOver = at >= (attempts < FREE_ATTEMPTS ? begunAt + WINDOW_MS : nextAt + DAY_MS);
    const next = isOver ? { attempts: 1, begunAt: at } : { attempts: attempts + 1, begunAt };
    const minutes = next.attempts < FREE_ATTEMPTS ? 0 : Math.min(2 ** (next.attempts - FREE_ATTEMPTS), 60);
    counts.set(slotOf(login), { ...next, nextAt: at + minutes * MINUTE_MS });
    return undefined;
  };
  return Object.assign(limit, {
    async refund(login: string) {
      const count = counts.get(slotOf(login));
      if (count !== undefined) Object.assign(count, { attempts: count.attempts - 1, nextAt: now() });
    },
  });
}
