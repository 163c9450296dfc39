import type { Grant } from './grant.ts';
import type { RefreshTokenId } from './refresh-token-id.ts';

/** A grant that begins, under a number of its own, and its first refresh token. */
export type NewFamily = { readonly grant: Grant; readonly first: RefreshTokenId };

/** A living grant, and when its current refresh token was issued. */
export type RotatedGrant = Grant & { readonly rotatedAt: number };

/** Grants and the one current refresh token of each. Instants are epoch milliseconds. */
export interface TokenFamilyStore {
  /**
   * Puts `next` in the place of `id` and answers the grant both belong to; `undefined` when `id` is
   * not its family's current token (rotated) or the grant has ended (revoked). Of any number of
   * concurrent calls with one `id`, exactly one gets the grant. Durable when it answers.
   */
  rotateRefreshToken(id: RefreshTokenId, next: RefreshTokenId, now: number): Promise<Grant | undefined>;

  /**
   * Returns the living grant whose current token is `current`, if that was issued at most `withinMs` before or after
   * `now` (instances' clocks differ); otherwise `undefined`. Changes nothing.
   */
  findRotatedGrant(current: RefreshTokenId, now: number, withinMs: number): Promise<RotatedGrant | undefined>;

  /** The grant while it lives: a grant ended by any instance is gone for all at once. */
  findLivingGrant(familyId: number): Promise<Grant | undefined>;

  /**
   * Ends every living grant of the (application, user) that `grant` belongs to, provided `grant`
   * itself lives; an ended one changes nothing, so that an old token cannot end a later
   * authorization. Answers how many ended. Durable when it answers.
   */
  endGrantsWith(grant: Omit<Grant, 'scope' | 'coverageId'>, now: number): Promise<number>;

  /**
   * Ends every living grant of a user and withdraws its pending code, in one transaction: the operator's
   * `user revoke`. Answers how many grants ended.
   */
  endGrantsOf(clientId: string, userId: string, now: number): Promise<number>;

  /** Forgets grants that ended before `endedBefore`: their tokens are refused as unknown ones are. */
  deleteEndedGrants(endedBefore: number): Promise<number>;
}
