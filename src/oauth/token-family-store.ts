import type { Grant } from './grant.ts';
import type { RefreshTokenId } from './refresh-token-id.ts';

/** A new grant with its family id, and its first refresh token. */
export type NewFamily = { readonly grant: Grant; readonly first: RefreshTokenId };

/** A living grant, and when its current refresh token was issued. */
export type RotatedGrant = Grant & { readonly rotatedAt: number };

/** Grants and the one current refresh token of each. Instants are epoch milliseconds. */
export interface TokenFamilyStore {
  /**
   * Replaces refresh token `id` with `next` and returns their grant, or `undefined` if `id` is not its family's current
   * token (rotated) or the grant has ended (revoked). Of any number of concurrent calls with one `id`, exactly one
   * returns the grant. Durable when it returns.
   */
  rotateRefreshToken(id: RefreshTokenId, next: RefreshTokenId, now: number): Promise<Grant | undefined>;

  /**
   * Returns the living grant whose current token is `current`, if that was issued at most `withinMs` before or after
   * `now` (instances' clocks differ); otherwise `undefined`. Changes nothing.
   */
  findRotatedGrant(current: RefreshTokenId, now: number, withinMs: number): Promise<RotatedGrant | undefined>;

  /** Returns the grant while it lives. A grant ended by any instance has ended for all at once. */
  findLivingGrant(familyId: number): Promise<Grant | undefined>;

  /**
   * Ends every living grant of the (application, user) that `grant` belongs to, if `grant` itself lives. An ended one
   * changes nothing, so an old token cannot end a later authorization. Returns how many ended. Durable when it returns.
   */
  endGrantsWith(grant: Omit<Grant, 'scope' | 'coverageId'>, now: number): Promise<number>;

  /**
   * Ends every living grant of a user and withdraws its pending code, in one transaction: the operator's `user revoke`.
   * Returns how many grants ended.
   */
  endGrantsOf(clientId: string, userId: string, now: number): Promise<number>;

  /** Deletes grants that ended before `endedBefore`. Their tokens are then refused as unknown. */
  deleteEndedGrants(endedBefore: number): Promise<number>;
}
