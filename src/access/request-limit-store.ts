import type { SyncFailure } from '../calendars/sync-failure.ts';

/** A place among the requests that may be under way to a mailbox at once. */
export type RequestSlot = {
  readonly mailbox: string;
  /** From 0 up to the number of slots. */
  readonly slot: number;
  /** Names the lease; new for each. */
  readonly holder: string;
};

/** The circuit of an operation of an account. */
export type CircuitName = { readonly accountKey: string; readonly operation: string };

/** An operation of an account that failed lately. */
export type Circuit = {
  readonly operation: string;
  readonly failure: SyncFailure;
  /** Until when no request is sent, epoch milliseconds; `undefined` while it has not failed often enough. */
  readonly openUntil: number | undefined;
};

/** Tokens come back over time, so that they are counted in milliseconds. */
export type TokenRequest = {
  readonly bucket: string;
  /** In how many milliseconds the tokens come back. */
  readonly cost: number;
  /** In how many an empty bucket is full. */
  readonly burst: number;
};

/** What keeps requests within their limits over all instances. Instants are epoch milliseconds. */
export interface RequestLimitStore {
  /** Of any number of concurrent calls exactly one gets the slot, unless its lease still runs. */
  takeSlot(slot: RequestSlot, now: number, until: number): Promise<boolean>;
  /** A no-op for a holder whose lease another has taken over. */
  releaseSlot(slot: RequestSlot): Promise<void>;

  /**
   * Takes tokens from a bucket, all or none. Answers 0 when they were taken, else after how many milliseconds they may
   * be there. Concurrent calls never take more than there are.
   */
  takeTokens(tokens: TokenRequest, now: number): Promise<number>;
  /** Empties the bucket until then. */
  drain(bucket: string, burst: number, until: number): Promise<void>;

  /** Those of the named operations that failed and did not succeed since. */
  circuitsOf(accountKey: string, operations: readonly string[]): Promise<Circuit[]>;
  /**
   * Lets one of any number of concurrent calls try an operation whose `openUntil` has come, and no other
   * until `until`, unless the circuit was closed or opened again before.
   */
  leaseProbe(circuit: CircuitName, now: number, until: number): Promise<boolean>;
  /**
   * Counts a failure. `openUntil` answers, for how many there were in a row, until when the circuit is open. What fails
   * while it is open was sent before and changes nothing. A no-op when the account is gone.
   */
  countFailure(
    failed: CircuitName & { readonly failure: SyncFailure },
    now: number,
    openUntil: (failures: number) => number | undefined,
  ): Promise<void>;
  /** It works again. */
  closeCircuit(circuit: CircuitName): Promise<void>;

  /** Deletes slots whose lease ran out and buckets that are full. Answers how many. */
  deleteUnusedLimits(now: number): Promise<number>;
}
