import type { ChangeTerms } from '../audit/audit-entry.ts';
import type { Grant } from './grant.ts';
import type { RefreshTokenId } from './refresh-token-id.ts';

/** A new grant and its first refresh token. */
export type NewFamily = { readonly grant: Grant; readonly first: RefreshTokenId };

/** A living grant; `rotatedAt` is when its current refresh token was issued. */
export type RotatedGrant = Grant & { readonly rotatedAt: number };

/** Grants and the one current refresh token of each. Instants are epoch milliseconds. */
export interface TokenFamilyStore {
  /**
   * Replaces refresh token `id` with `next` and returns their grant, or `undefined` if `id` is not its family's current
   * token (rotated) or the grant has ended (revoked). Exactly one concurrent call with one `id` returns the grant.
   * Durable on return.
   */
  rotateRefreshToken(id: RefreshTokenId, next: RefreshTokenId, now: number): Promise<Grant | undefined>;

  /**
   * Returns the living grant whose current token is `current`, if it was issued at most `withinMs` before or after
   * `now` (the clocks of instances differ); otherwise `undefined`. Changes nothing.
   */
  findRotatedGrant(current: RefreshTokenId, now: number, withinMs: number): Promise<RotatedGrant | undefined>;

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
