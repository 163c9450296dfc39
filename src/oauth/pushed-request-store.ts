import type { IssuerName } from './issuers.ts';

/** An authorization request that an application pushed (RFC 9126 §2). */
export type PushedRequest = {
  readonly issuer: IssuerName;
  readonly clientId: string;
  /** The pushed parameters, form-encoded as received, with `client_id` but without credentials. */
  readonly query: string;
  /** Epoch milliseconds. */
  readonly createdAt: number;
};

/** A use of a pushed request. `createdSince`, in epoch milliseconds, is the earliest valid creation time. */
export type Spending = {
  readonly issuer: IssuerName;
  readonly clientId: string;
  readonly transactionId: string;
  readonly createdSince: number;
};

/** Pushed requests, each under the SHA-256 (hex) of its `request_uri`. */
export interface PushedRequestStore {
  /** Stores it. Beyond `mostUnspent` unused requests of the application, the oldest are deleted. */
  add(uriHash: string, request: PushedRequest, mostUnspent: number): Promise<void>;

  /**
   * Marks it as used by a transaction. One concurrent call gets the request; the others, while it is stored, the
   * transaction that used it. `undefined` if it is unknown, another application's or issuer's, or unused and too old.
   */
  spend(
    uriHash: string,
    by: Spending,
  ): Promise<{ request: PushedRequest } | { spentFor: string } | undefined>;

  /** Deletes requests pushed before that instant; returns their number. */
  deleteExpired(createdBefore: number): Promise<number>;
}
