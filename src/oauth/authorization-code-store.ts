import type { Grant } from './grant.ts';
import type { Scope } from './scope.ts';
import type { NewFamily } from './token-family-store.ts';

/**
 * The record of a code, whose value is only a look-up key: the user's id (docs/wire.md O2.3). Only an approval creates
 * a record. An (application, user) has at most one for each code challenge, and one without. The record of an opaque
 * code is separate, and found only by the hash of its code.
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

/** The record of an opaque code. It remains for a day after the redemption. */
export type OpaqueCode = AuthorizationCode & {
  /** The time of the redemption. */
  readonly redeemedAt: number | undefined;
};

export type Redemption = {
  readonly clientId: string;
  readonly code: string;
  /** The SHA-256 of an opaque code, which then alone selects the record. */
  readonly codeHash?: string | undefined;
  readonly redirectUri: string;
  /** The challenge that its verifier proves; `undefined` if it sent none. */
  readonly codeChallenge: string | undefined;
  /** The thumbprint of the proved DPoP key, null without a proof. If it is absent, codes are not compared with it. */
  readonly dpopJkt?: string | null;
  /** Only an approval of this instant or a later one counts; epoch milliseconds. */
  readonly approvedSince: number;
};

export type RedeemedCode = {
  readonly codeHash: string;
  readonly clientId: string;
  readonly redeemedSince: number;
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

  /** Returns the record of an opaque code, whichever application has it. */
  findOpaqueCode(codeHash: string): Promise<OpaqueCode | undefined>;

  /**
   * Ends the grant of an opaque code that this application redeemed at `redeemedSince` or later. Returns the grant if it
   * lived; of concurrent calls, exactly one does. Durable on return.
   */
  endRedeemedGrant(code: RedeemedCode, now: number): Promise<Grant | undefined>;

  /**
   * Turns the record into its grant; accounts connected for this approval become the user's in the same transaction
   * (docs/security.md T3). Returns `undefined`, without a change, unless a record that is not withdrawn has this redirect
   * URI, challenge, key and age. Exactly one of concurrent calls returns the grant. Durable on return.
   */
  redeemCode(presented: Redemption, now: number): Promise<NewFamily | undefined>;

  /**
   * Deletes records approved before `approvedBefore`, and what their grants keep of redeemed ones; of opaque ones, if they
   * were redeemed before then.
   */
  deleteExpiredCodes(approvedBefore: number): Promise<number>;
}
