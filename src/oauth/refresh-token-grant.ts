/**
 * Refresh token grant, RFC 6749 §6: the presented token is spent and a successor issued.
 *
 * Departs from RFC 9700 §4.14.2: a second use of a spent token is refused, but the rest of its
 * family stays valid, as docs/wire.md O3.2 promises. See docs/departures.md#refresh-token-reuse.
 */
import type { Log } from '../lib/log.ts';
import type { Client } from './client.ts';
import { invalidGrant } from './oauth-error.ts';
import { newTokenIn } from './refresh-token-id.ts';
import type { TokenFamilyStore } from './token-family-store.ts';
import type { TokenResponse, TokenSigner } from './token-signer.ts';

export type RefreshTokenRequest = { readonly client: Client; readonly refreshToken: string };
export type RefreshTokenDeps = {
  readonly families: TokenFamilyStore;
  readonly signer: TokenSigner;
  readonly log: Log;
  readonly now: () => number;
};

/** Throws OAuthError `invalid_grant`. */
export async function refreshTokenGrant(
  { client, refreshToken }: RefreshTokenRequest,
  { families, signer, log, now }: RefreshTokenDeps,
): Promise<TokenResponse> {
  const presented = await signer.readRefreshToken(refreshToken);
  if (presented === undefined) throw invalidGrant('Invalid refresh token');
  // The client is compared first: another client does not learn the state of a token.
  if (presented.clientId !== client.clientId) throw invalidGrant('Client mismatch');

  const successor = newTokenIn(presented.familyId);
  const grant = await families.rotateRefreshToken(presented.id, successor, now());
  if (grant === undefined) {
    const { clientId, familyId } = presented;
    log.warn(
      { event: 'refresh_refused', clientId, familyId },
      'A rotated or revoked refresh token was presented',
    );
    throw invalidGrant('Invalid refresh token');
  }
  // The scope is the grant's, never the request's: refreshing cannot raise it (docs/wire.md O4.3).
  return signer.signTokenResponse(grant, successor);
}
