/** An authorization request that an application pushed (RFC 9126 §2). */
export type PushedRequest = {
  readonly clientId: string;
  /**
   * The pushed parameters that are read, form-encoded as received, with `client_id` and without the client's
   * credentials.
   */
  readonly query: string;
  /** Epoch milliseconds. */
  readonly createdAt: number;
};

/**
 * The application and transaction that use a pushed request, and the earliest time at which it may have been pushed
 * (epoch milliseconds).
 */
export type Spending = {
  readonly clientId: string;
  readonly transactionId: string;
  readonly createdSince: number;
};

/** Pushed requests, each under the SHA-256 (hex) of its `request_uri`. */
export interface PushedRequestStore {
  /** Stores it. If the application then has more than `mostUnspent` unused ones, the oldest of them are deleted. */
  add(uriHash: string, request: PushedRequest, mostUnspent: number): Promise<void>;

  /**
   * Marks it as used by a transaction. Of concurrent calls one returns the request. While it is stored, the others
   * return the transaction that used it. `undefined` if it is unknown, another application's, or unused and too old.
   */
  spend(
    uriHash: string,
    by: Spending,
  ): Promise<{ request: PushedRequest } | { spentFor: string } | undefined>;

  /** Deletes requests pushed before that instant, used or not. Returns how many it deleted. */
  deleteExpired(createdBefore: number): Promise<number>;
}
