import type { Scope } from './scope.ts';
import type { NewFamily } from './token-family-store.ts';

/**
 * The record of a code, whose value is only a look-up key: the user's id (docs/wire.md O2.3). Only an approval creates
 * a record. An (application, user) has at most one for each code challenge, and one without.
 */
export type AuthorizationCode = {
  /** The coverage of its grant: the family's number in 12 hex digits. */
  readonly approvalId: string;
  readonly clientId: string;
  readonly userId: string;
  readonly redirectUri: string;
  readonly scope: Scope;
  readonly codeChallenge: string | undefined;
  /** The thumbprint of the DPoP key that it is bound to (RFC 9449 §10). */
  readonly dpopJkt?: string | undefined;
  readonly approvedAt: number;
  /** The time of the withdrawal (user deleted, or last account disconnected). Instants are epoch milliseconds. */
  readonly withdrawnAt: number | undefined;
};

export type Redemption = {
  readonly clientId: string;
  readonly code: string;
  readonly redirectUri: string;
  /** The challenge that its verifier proves; `undefined` if it sent none. */
  readonly codeChallenge: string | undefined;
  /** The thumbprint of the proved DPoP key, null without a proof. If it is absent, codes are not compared with it. */
  readonly dpopJkt?: string | null;
  /** Only an approval of this instant or a later one counts; epoch milliseconds. */
  readonly approvedSince: number;
};

/** Returns whether a code is bound to another DPoP key than the presented one, or needs one. */
export const isBoundToOther = (
  code: Pick<AuthorizationCode, 'dpopJkt'>,
  presented: Pick<Redemption, 'dpopJkt'>,
): boolean =>
  code.dpopJkt !== undefined && presented.dpopJkt !== undefined && code.dpopJkt !== presented.dpopJkt;

export interface AuthorizationCodeStore {
  /** Returns the code's records at this application, the latest first. */
  findCodes(clientId: string, code: string): Promise<readonly AuthorizationCode[]>;

  /** Returns whether the value is pending at any other application. */
  isCodeOfAnotherClient(clientId: string, code: string): Promise<boolean>;

  /**
   * Turns the record into its grant; accounts connected for this approval become the user's in the same transaction
   * (docs/security.md T3). Returns `undefined`, without a change, unless a record that is not withdrawn has this redirect
   * URI, challenge, key and age. Exactly one of concurrent calls returns the grant. Durable on return.
   */
  redeemCode(presented: Redemption, now: number): Promise<NewFamily | undefined>;

  /** Deletes records approved before `approvedBefore`, and what their grants keep of redeemed ones. */
  deleteExpiredCodes(approvedBefore: number): Promise<number>;
}
