/** An authorization request that an application pushed (RFC 9126 §2). */
export type PushedRequest = {
  readonly clientId: string;
  /** The pushed parameters that are read, form-encoded as they came, with `client_id` and without what authenticated it. */
  readonly query: string;
  /** Epoch milliseconds. */
  readonly createdAt: number;
};

/** Who spends a pushed request, and since when it may have been pushed (epoch milliseconds). */
export type Spending = {
  readonly clientId: string;
  readonly transactionId: string;
  readonly createdSince: number;
};

/** Pushed requests, each under the SHA-256 (hex) of its `request_uri`. */
export interface PushedRequestStore {
  /** Keeps it. Where the application has more than `mostUnspent` that nobody spent, the oldest of them are forgotten. */
  add(uriHash: string, request: PushedRequest, mostUnspent: number): Promise<void>;

  /**
   * Spends it for a transaction: of concurrent calls one is answered the request. Others, for as long as it is kept, the
   * transaction it was spent for. `undefined` when it is unknown, another application's, or unspent and too old.
   */
  spend(
    uriHash: string,
    by: Spending,
  ): Promise<{ request: PushedRequest } | { spentFor: string } | undefined>;

  /** Deletes those pushed before that instant, spent or not, and answers how many that were. */
  deleteExpired(createdBefore: number): Promise<number>;
}
