/** Limits the stored requests, so that nobody can fill the database and no application dominates. */

const MINUTE_MS = 60_000;
const SECOND_MS = 1_000;

/** Entries per minute; `burst` at once after a pause. Equal failed requests above `ofEqual` share one entry. */
export type RowLimits = {
  readonly ofApplication: number;
  readonly burst: number;
  readonly ofEqual: number;
  readonly successesInSecond: number;
  /** The entries per minute of one address with an unknown, refused or claimed caller. */
  readonly ofAddress: number;
  /** The entries per minute of all such callers. */
  readonly ofStrangers: number;
};

export const ROW_LIMITS: RowLimits = {
  ofApplication: 600,
  burst: 1_000,
  ofEqual: 20,
  successesInSecond: 10,
  ofAddress: 60,
  ofStrangers: 600,
};

export type RowLimit = ReturnType<typeof rowLimit>;

/** Returns functions that count one more entry of a key at an instant, and return whether it is stored. */
export function rowLimit(limits: RowLimits) {
  const successes = counts(SECOND_MS, limits.successesInSecond);
  const addresses = counts(MINUTE_MS, limits.ofAddress);
  const strangers = counts(MINUTE_MS, limits.ofStrangers);
  return {
    keepsSuccess: successes.take,
    keepsOfApplication: bucket(limits),
    keepsEqual: counts(MINUTE_MS, limits.ofEqual).take,
    // An address is counted only while there is room for all, so that no more addresses are remembered than entries.
    keepsOfStranger: (address: string, at: number) =>
      strangers.isFree('', at) && addresses.take(address, at) && strangers.take('', at),
  };
}

/** Allows a key `burst` times at once, then `ofApplication` times a minute. */
function bucket({ ofApplication, burst }: RowLimits): (key: string, at: number) => boolean {
  const refillMs = MINUTE_MS / ofApplication;
  const fullAt = new Map<string, number>();
  return (key, at) => {
    const emptyUntil = at + burst * refillMs;
    const full = fullAt.get(key) ?? at;
    // A later time is impossible unless the clock was set back.
    const next = (full > emptyUntil ? at : Math.max(full, at)) + refillMs;
    if (next > emptyUntil) return false;
    if (fullAt.size >= 10_000) fullAt.clear();
    fullAt.set(key, next);
    return true;
  };
}

/** Counts keys in consecutive windows of time. */
function counts(windowMs: number, most: number) {
  let window = 0;
  const rowsByOwner = new Map<string, number>();
  const readCount = (key: string, at: number): number => {
    const current = Math.floor(at / windowMs);
    if (current !== window) rowsByOwner.clear();
    window = current;
    return rowsByOwner.get(key) ?? 0;
  };
  return {
    isFree: (key: string, at: number): boolean => readCount(key, at) < most,
    take(key: string, at: number): boolean {
      const count = readCount(key, at);
      if (count < most) rowsByOwner.set(key, count + 1);
      return count < most;
    },
  };
}
