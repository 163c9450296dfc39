import type { Scope } from './scope.ts';
import type { NewFamily } from './token-family-store.ts';

/**
 * A code's record. Its value is the user's id (docs/wire.md O2.3), so it is a look-up key only: what
 * authorizes is this record, which only an approval makes. Of an (application, user) there is one at most for each code
 * challenge, and one without.
 */
export type AuthorizationCode = {
  /** The transaction that was allowed; also what its grant's coverage is found by. */
  readonly approvalId: string;
  readonly clientId: string;
  readonly userId: string;
  readonly redirectUri: string;
  readonly scope: Scope;
  readonly codeChallenge: string | undefined;
  /** Epoch milliseconds. */
  readonly approvedAt: number;
  /** When what it authorized was taken back (user deleted, last account disconnected). */
  readonly withdrawnAt: number | undefined;
};

/** What a token request presents of a code. */
export type Redemption = {
  readonly clientId: string;
  readonly code: string;
  readonly redirectUri: string;
  /** The challenge that its verifier proves; `undefined` when it sent none. */
  readonly codeChallenge: string | undefined;
  /** Only an approval of this instant or a later one counts; epoch milliseconds. */
  readonly approvedSince: number;
};

export interface AuthorizationCodeStore {
  /** The code's records at this application, the latest first. */
  findCodes(clientId: string, code: string): Promise<readonly AuthorizationCode[]>;

  /** Whether the value is pending at any other application. */
  isCodeOfAnotherClient(clientId: string, code: string): Promise<boolean>;

  /**
   * Deletes the record and starts the grant it authorizes, both or neither; accounts that were linked for this approval
   * become the user's in the same transaction (docs/security.md T3). `undefined`, and nothing
   * is changed, when there is no record that is not withdrawn and has this redirect URI, this challenge
   * (or none, as presented) and age. Of any number of concurrent calls exactly one gets the grant.
   * Durable when it answers.
   */
  redeemCode(presented: Redemption, now: number): Promise<NewFamily | undefined>;

  /** Forgets records approved before `approvedBefore`. */
  deleteExpiredCodes(approvedBefore: number): Promise<number>;
}
