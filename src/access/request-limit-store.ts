import type { SyncFailure } from '../calendars/sync-failure.ts';

/** A place among the concurrent requests to a mailbox. */
export type RequestSlot = {
  readonly mailbox: string;
  /** From 0 up to the number of slots. */
  readonly slot: number;
  /** Identifies the lease; new for each. */
  readonly holder: string;
};

export type CircuitName = { readonly accountKey: string; readonly operation: string };

/** An operation of an account that failed recently. */
export type Circuit = {
  readonly operation: string;
  readonly failure: SyncFailure;
  /** The end of the time without requests, in epoch milliseconds; `undefined` if it has not failed often enough. */
  readonly openUntil: number | undefined;
};

/** A request for tokens, which return over time and are therefore counted in milliseconds. */
export type TokenRequest = {
  readonly bucket: string;
  /** The milliseconds until the tokens return. */
  readonly cost: number;
  /** The milliseconds until an empty bucket is full. */
  readonly burst: number;
};

/** The state that keeps requests within their limits over all instances. Instants are epoch milliseconds. */
export interface RequestLimitStore {
  /** Claims a slot, unless its lease still runs. Exactly one of any number of concurrent calls gets it. */
  takeSlot(slot: RequestSlot, now: number, until: number): Promise<boolean>;
  /** Releases a slot. Does nothing if another holder has taken over the lease. */
  releaseSlot(slot: RequestSlot): Promise<void>;

  /** Takes all tokens or none; returns 0, or the milliseconds to wait. Concurrent calls never take more than exist. */
  takeTokens(tokens: TokenRequest, now: number): Promise<number>;
  /** Empties the bucket until `until`. */
  drain(bucket: string, burst: number, until: number): Promise<void>;

  /** Returns those of the given operations that failed and have not succeeded since. */
  circuitsOf(accountKey: string, operations: readonly string[]): Promise<Circuit[]>;
  /** Leases the probe of a circuit whose `openUntil` has come to exactly one call, unless it closed or reopened. */
  leaseProbe(circuit: CircuitName, now: number, until: number): Promise<boolean>;
  /**
   * Counts a failure. `openUntil` returns the end of the open circuit for the number of failures in a row. A failure
   * while it is open belongs to an earlier request and changes nothing. Does nothing if the account is deleted.
   */
  countFailure(
    failed: CircuitName & { readonly failure: SyncFailure },
    now: number,
    openUntil: (failures: number) => number | undefined,
  ): Promise<void>;
  /** Closes the circuit: the operation works again. */
  closeCircuit(circuit: CircuitName): Promise<void>;

  /** Deletes slots whose lease expired and buckets that are full. Returns the number of rows. */
  deleteUnusedLimits(now: number): Promise<number>;
}
