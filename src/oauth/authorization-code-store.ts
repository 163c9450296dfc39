import type { Scope } from './scope.ts';
import type { NewFamily } from './token-family-store.ts';

/**
 * The record of a code. The code's value is the user's id (docs/wire.md O2.3), so it is only a look-up key: this record
 * authorizes, and only an approval creates it. An (application, user) has at most one for each code challenge, and one
 * without.
 */
export type AuthorizationCode = {
  /** The transaction that was allowed. It also identifies the coverage of its grant. */
  readonly approvalId: string;
  readonly clientId: string;
  readonly userId: string;
  readonly redirectUri: string;
  readonly scope: Scope;
  readonly codeChallenge: string | undefined;
  /** Epoch milliseconds. */
  readonly approvedAt: number;
  /** When the authorization was withdrawn (user deleted, last account disconnected). */
  readonly withdrawnAt: number | undefined;
};

/** A code as a token request presents it. */
export type Redemption = {
  readonly clientId: string;
  readonly code: string;
  readonly redirectUri: string;
  /** The challenge that its verifier proves; `undefined` if it sent none. */
  readonly codeChallenge: string | undefined;
  /** Only an approval of this instant or a later one counts; epoch milliseconds. */
  readonly approvedSince: number;
};

export interface AuthorizationCodeStore {
  /** Returns the code's records at this application, the latest first. */
  findCodes(clientId: string, code: string): Promise<readonly AuthorizationCode[]>;

  /** Whether the value is pending at any other application. */
  isCodeOfAnotherClient(clientId: string, code: string): Promise<boolean>;

  /**
   * Deletes the record and starts the grant it authorizes, both or neither. Accounts that were connected for this
   * approval become the user's in the same transaction (docs/security.md T3). Returns `undefined`, and changes nothing,
   * unless there is a record that is not withdrawn, with this redirect URI, this challenge (or none, as presented) and
   * this age. Of any number of concurrent calls exactly one returns the grant. Durable when it returns.
   */
  redeemCode(presented: Redemption, now: number): Promise<NewFamily | undefined>;

  /** Deletes records approved before `approvedBefore`. */
  deleteExpiredCodes(approvedBefore: number): Promise<number>;
}
