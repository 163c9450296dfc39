import type { Scope } from './scope.ts';
import type { NewFamily } from './token-family-store.ts';

/**
 * A code's record. Its value is the user's id (docs/wire.md O2.3), so it is a look-up key only: what
 * authorizes is this record, which only an approval makes. One at most for an (application, user).
 */
export type AuthorizationCode = {
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
  /** The code's record at this application. */
  findCode(clientId: string, code: string): Promise<AuthorizationCode | undefined>;

  /** Whether the value is pending at any other application. */
  isCodeOfAnotherClient(clientId: string, code: string): Promise<boolean>;

  /**
   * Deletes the record and starts the grant it authorizes, both or neither; `undefined`, and nothing
   * is changed, when there is no record that is not withdrawn and has this redirect URI, this challenge
   * (or none, as presented) and age. Of any number of concurrent calls exactly one gets the grant.
   * Durable when it answers.
   */
  redeemCode(presented: Redemption, now: number): Promise<NewFamily | undefined>;

  /** Forgets records approved before `approvedBefore`. */
  deleteExpiredCodes(approvedBefore: number): Promise<number>;
}
