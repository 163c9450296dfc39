/** How many requests of whom are kept, so that nobody fills the database and a busy application costs no more than others. */

const MINUTE_MS = 60_000;
const SECOND_MS = 1_000;

/** Entries a minute, but for the successes. */
export type RowLimits = {
  readonly ofApplication: number;
  /** Of an application's successes in a second: more of the share would say nothing new. */
  readonly successesInSecond: number;
  /** Of one address whose caller is not known. */
  readonly ofAddress: number;
  /** Of all whose callers are not known. */
  readonly ofStrangers: number;
};

export const ROW_LIMITS: RowLimits = {
  ofApplication: 6_000,
  successesInSecond: 10,
  ofAddress: 60,
  ofStrangers: 600,
};

export type RowLimit = {
  /** Whether a success of the application is kept as well; counts it. `at`: epoch milliseconds. */
  keepsSuccess(clientId: string, at: number): boolean;
  keepsOfApplication(clientId: string, at: number): boolean;
  keepsOfStranger(addressKey: string, at: number): boolean;
};

export function rowLimit(limits: RowLimits): RowLimit {
  const successes = counts(SECOND_MS, limits.successesInSecond);
  const applications = counts(MINUTE_MS, limits.ofApplication);
  const addresses = counts(MINUTE_MS, limits.ofAddress);
  const strangers = counts(MINUTE_MS, limits.ofStrangers);
  return {
    keepsSuccess: successes.take,
    keepsOfApplication: applications.take,
    // One address is asked only while there is room for all: no more keys are remembered than strangers are kept of.
    keepsOfStranger: (address, at) =>
      strangers.isFree('', at) && addresses.take(address, at) && strangers.take('', at),
  };
}

/** Counts keys within windows of time that follow one another. */
function counts(windowMs: number, most: number) {
  let window = 0;
  const taken = new Map<string, number>();
  const countOf = (key: string, at: number): number => {
    const current = Math.floor(at / windowMs);
    if (current !== window) taken.clear();
    window = current;
    return taken.get(key) ?? 0;
  };
  return {
    isFree: (key: string, at: number): boolean => countOf(key, at) < most,
    take(key: string, at: number): boolean {
      const count = countOf(key, at);
      if (count < most) taken.set(key, count + 1);
      return count < most;
    },
  };
}
