/**
 * Revocation (docs/wire.md O4.4, RFC 7009 §2). Departs from RFC 7009 §2.1: the holder of a token may end its grant
 * without client authentication, unless the token's application requires it. See
 * docs/departures.md#unauthenticated-revocation.
 */
import type { Client } from './client.ts';
import { BASIC_CHALLENGE } from './client-authentication.ts';
import type { ClientStore } from './client-store.ts';
import { AUTHORIZATION, invalidGrant, OAuthError } from './oauth-error.ts';
import type { RefreshTokenDeps } from './refresh-token-grant.ts';

export type RevocationDeps = Omit<RefreshTokenDeps, 'successorKey'> & {
  readonly clients: Pick<ClientStore, 'findClientWithSecrets'>;
};

export type RevocationRequest = {
  readonly token: string;
  /** Authenticates the caller, only if the token's application requires it. Throws OAuthError. */
  readonly authenticate: () => Promise<Client>;
};

/**
 * Ends every living grant of the token's (application, user), if Kalends signed the token (even if expired or rotated)
 * and its own grant lives. Anyone can get a token of a public application for any user id, so such a token ends only its
 * own grant. The result reveals nothing of the token's state. Throws OAuthError 401 `invalid_client` or 400
 * `invalid_grant` if the token's application requires authentication and another or no application authenticates.
 */
export async function revokeToken(
  { token, authenticate }: RevocationRequest,
  { clients, families, signer, log, now }: RevocationDeps,
): Promise<void> {
  // The signature is verified first: a forged token must not end a grant.
  const owner = await signer.readAnyToken(token);
  if (owner === undefined) return;
  const at = now();
  const match = await clients.findClientWithSecrets(owner.clientId, at);
  if (match?.client.revocation === 'authenticated') {
    const { clientId } = await authenticate().catch(toChallenge);
    if (clientId !== owner.clientId) throw invalidGrant('Client mismatch');
  }
  const isPublic = match?.client.clientAuthentication === 'none';
  const ended = await families.endGrantsWith(owner, at, isPublic ? 'alone' : undefined);
  log.info({ event: 'grants_revoked', clientId: owner.clientId, grants: ended }, 'A token was revoked');
}

/** Throws failed authentication as 401 by any method: a caller with only a token learns what is missing. */
function toChallenge(reason: unknown): never {
  if (!(reason instanceof OAuthError) || reason.code !== AUTHORIZATION.invalid_client.code) throw reason;
  throw new OAuthError(AUTHORIZATION.invalid_client, reason.message, {
    status: 401,
    headers: BASIC_CHALLENGE,
  });
}
