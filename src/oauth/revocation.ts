/**
 * Revocation (docs/wire.md O4.4, RFC 7009 §2). Departs from RFC 7009 §2.1: the holder of a token may end its grant
 * without client authentication. See docs/departures.md#unauthenticated-revocation.
 */
import type { ClientStore } from './client-store.ts';
import type { RefreshTokenDeps } from './refresh-token-grant.ts';

export type RevocationDeps = Omit<RefreshTokenDeps, 'successorKey'> & {
  readonly clients: Pick<ClientStore, 'findClientWithSecrets'>;
};

/**
 * Ends every living grant of the token's (application, user), if Kalends signed the token (even if expired or rotated)
 * and its own grant lives. Anybody can get a token of a public application for any user id, so such a token ends only its
 * own grant. The result reveals nothing of the token's state.
 */
export async function revokeToken(
  token: string,
  { clients, families, signer, log, now }: RevocationDeps,
): Promise<void> {
  // The signature is verified first: a forged token must not end a grant.
  const owner = await signer.readAnyToken(token);
  if (owner === undefined) return;
  const at = now();
  const match = await clients.findClientWithSecrets(owner.clientId, at);
  const isPublic = match?.client.clientAuthentication === 'none';
  const ended = await families.endGrantsWith(owner, at, isPublic ? 'alone' : undefined);
  log.info({ event: 'grants_revoked', clientId: owner.clientId, grants: ended }, 'A token was revoked');
}
