import type { SyncFailure } from '../calendars/sync-failure.ts';

/** A place among the requests that may be under way to a mailbox at once. */
export type RequestSlot = {
  readonly mailbox: string;
  /** From 0 up to the number of slots. */
  readonly slot: number;
  /** Names the lease; new for each. */
  readonly holder: string;
};

/** An operation of an account that failed lately. */
export type Circuit = {
  readonly operation: string;
  readonly failure: SyncFailure;
  /** Until when nobody is to ask, epoch milliseconds; `undefined` while it has not failed often enough. */
  readonly openUntil: number | undefined;
};

/** What keeps requests within their limits over all instances. Instants are epoch milliseconds. */
export interface RequestLimitStore {
  /** Of any number of concurrent calls exactly one gets the slot, unless its lease still runs. */
  takeSlot(slot: RequestSlot, now: number, until: number): Promise<boolean>;
  /** A no-op for a holder whose lease another has taken over. */
  giveSlotBack(slot: RequestSlot): Promise<void>;

  /**
   * Takes tokens from a bucket, all or none. They come back over time: `cost` and `burst` are in
   * milliseconds, the time for the tokens taken and for a full bucket. Answers 0 when they were taken,
   * else after how many milliseconds they may be there. Concurrent calls never take more than there is.
   */
  takeTokens(bucket: string, cost: number, burst: number, now: number): Promise<number>;
  /** Empties the bucket until then: the provider said that it is empty. */
  drain(bucket: string, burst: number, until: number): Promise<void>;

  /** Those of the named operations that failed and did not succeed since. */
  circuitsOf(accountKey: string, operations: readonly string[]): Promise<Circuit[]>;
  /**
   * Lets one of any number of concurrent calls try an operation whose `openUntil` has come, and no other
   * until `until`, unless the circuit was closed or opened again before.
   */
  leaseProbe(accountKey: string, operation: string, now: number, until: number): Promise<boolean>;
  /**
   * Counts a failure. `openUntil` says from how many there were in a row whether the circuit opens. What
   * fails while it is open was under way before, and changes nothing. A no-op when the account is gone.
   */
  countFailure(
    accountKey: string,
    operation: string,
    failure: SyncFailure,
    now: number,
    openUntil: (failures: number) => number | undefined,
  ): Promise<void>;
  /** It works again. */
  closeCircuit(accountKey: string, operation: string): Promise<void>;

  /** Deletes slots whose lease ran out and buckets that are full. Answers how many. */
  deleteUnusedLimits(now: number): Promise<number>;
}
