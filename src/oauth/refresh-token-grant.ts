/**
 * Refresh token grant, RFC 6749 §6: the presented token is spent and a successor issued.
 *
 * Departs from RFC 9700 §4.14.2: a second use of a spent token is refused, but the rest of its
 * family stays valid, as docs/wire.md O3.2 promises. See docs/departures.md#refresh-token-reuse.
 * Within the application's window a second use returns the successor again, as long as no one has used it. See
 * docs/departures.md#refresh-replay-window.
 */
import type { Log } from '../lib/log.ts';
import type { Client } from './client.ts';
import { bindTokens, type TokenProof, useProof } from './dpop.ts';
import { invalidGrant } from './oauth-error.ts';
import { deriveSuccessor, newTokenIn } from './refresh-token-id.ts';
import type { TokenFamilyStore } from './token-family-store.ts';
import type { TokenResponse, TokenSigner } from './token-signer.ts';

export type RefreshTokenRequest = {
  readonly client: Client;
  readonly proof?: TokenProof | undefined;
  readonly refreshToken: string;
};
export type RefreshTokenDeps = {
  readonly families: TokenFamilyStore;
  readonly signer: TokenSigner;
  /** Derives the successors of applications with a replay window; 32 bytes. */
  readonly successorKey: Buffer;
  readonly log: Log;
  readonly now: () => number;
};

/** `replayed`: a spent token returned its successor again. */
export type RefreshedTokens = { readonly tokens: TokenResponse; readonly outcome: 'ok' | 'replayed' };

/** Throws OAuthError `invalid_grant`. */
export async function refreshTokenGrant(
  { client, proof, refreshToken }: RefreshTokenRequest,
  { families, signer, successorKey, log, now }: RefreshTokenDeps,
): Promise<RefreshedTokens> {
  const presented = await signer.readRefreshToken(refreshToken);
  if (presented === undefined) throw invalidGrant('Invalid refresh token');
  // The client is compared first: another client does not learn the state of a token.
  if (presented.clientId !== client.clientId) throw invalidGrant('Client mismatch');

  const { clientId, familyId, id } = presented;
  const jkt = bindTokens({ client, proof, boundTo: presented.jkt });
  await useProof({ client, proof }, async () => (await families.findLivingGrant(familyId)) !== undefined);
  const windowMs = client.refreshReplayWindow * 1000;
  const successor = windowMs === 0 ? newTokenIn(familyId) : deriveSuccessor(id, successorKey);
  const at = now();
  // The scope is the grant's, never the request's: refreshing cannot raise it (docs/wire.md O4.3).
  const grant = await families.rotateRefreshToken(id, successor, at);
  if (grant !== undefined)
    return { tokens: signer.signTokenResponse({ ...grant, jkt }, successor, at), outcome: 'ok' };

  const rotated = windowMs > 0 && (await families.findRotatedGrant(successor, at, windowMs));
  if (!rotated) {
    log.warn(
      { event: 'refresh_refused', clientId, familyId },
      'A rotated or revoked refresh token was presented',
    );
    throw invalidGrant('Invalid refresh token');
  }
  log.info(
    { event: 'refresh_replayed', clientId, familyId },
    'A rotated refresh token was presented again within the replay window',
  );
  const tokens = signer.signTokenResponse({ ...rotated, jkt }, successor, rotated.rotatedAt);
  return { tokens, outcome: 'replayed' };
}
