import type { ChangeTerms } from '../audit/audit-entry.ts';
import type { Grant } from './grant.ts';
import type { RefreshTokenId } from './refresh-token-id.ts';

/** A new grant and its first refresh token. */
export type NewFamily = {
  readonly grant: Grant;
  readonly first: RefreshTokenId;
  /** The resource that the authorization request named, if any. */
  readonly resource?: string | undefined;
};

/** A living grant with what decides about its refresh tokens. Instants are epoch milliseconds. */
export type DatedGrant = Grant & {
  /** The one of the given tokens that is the grant's current one. */
  readonly current: RefreshTokenId | undefined;
  readonly createdAt: number;
  /** When its current token was issued, or last noted as used if tokens do not rotate. */
  readonly refreshedAt: number;
};

/** The age that a rotation allows: it requires a grant that was refreshed and created after these instants, if given. */
export type RotationTerms = {
  readonly now: number;
  readonly refreshedAfter?: number | undefined;
  readonly createdAfter?: number | undefined;
};

/** A refresh token that its application presented, with the user that the token names. */
export type SpentToken = Pick<Grant, 'clientId' | 'userId'> & { readonly id: RefreshTokenId };

/** Grants and the one current refresh token of each. Instants are epoch milliseconds. */
export interface TokenFamilyStore {
  /**
   * Replaces refresh token `id` with `next` and returns their grant, or `undefined` if `id` is not its family's current
   * token (rotated), the grant has ended (revoked) or is too old. Exactly one concurrent call with one `id` returns the
   * grant. Durable on return.
   */
  rotateRefreshToken(
    id: RefreshTokenId,
    next: RefreshTokenId,
    terms: RotationTerms,
  ): Promise<Grant | undefined>;

  /** Returns the living grant of the first token's family. Any number of concurrent calls get it. Changes nothing. */
  findDatedGrant(tokens: readonly [RefreshTokenId, ...RefreshTokenId[]]): Promise<DatedGrant | undefined>;

  /** Notes a use at `now`, unless one after `notedBefore` is noted or the grant has ended. */
  noteUse(familyId: number, now: number, notedBefore: number): Promise<void>;

  /**
   * Ends the living grant of a token that is not its current one, if its current token was issued before
   * `issuedBefore`, and adds `refresh_reused` to the history of the accounts that it covers. Returns the user's
   * reference, or `undefined` if nothing ended. Exactly one concurrent call ends the grant.
   */
  endReusedGrant(
    spent: SpentToken,
    now: number,
    issuedBefore: number,
  ): Promise<{ readonly user: string | undefined } | undefined>;

  /** Returns the grant while it lives. If any instance ends a grant, it ends for all at once. */
  findLivingGrant(familyId: number): Promise<Grant | undefined>;

  /**
   * Ends every living grant of `grant`'s (application, user), if `grant` lives: an old token cannot end a later
   * authorization. `alone` ends only `grant`. Returns the number of ended grants. Durable on return.
   */
  endGrantsWith(
    grant: Omit<Grant, 'scope' | 'coverageId'>,
    now: number,
    reach?: 'alone' | undefined,
  ): Promise<number>;

  /** Ends every living grant of a user and withdraws its pending code, in one transaction; returns the number. */
  endGrantsOf(clientId: string, userId: string, terms: ChangeTerms): Promise<number>;

  /** Counts the living grants of an application, up to `most`. */
  countLivingGrants(clientId: string, most: number): Promise<number>;

  /** Deletes grants that ended before `endedBefore`. Their tokens are then refused as unknown. */
  deleteEndedGrants(endedBefore: number): Promise<number>;
}
