/**
 * Revocation (docs/wire.md O4.4, RFC 7009 §2). Departs from RFC 7009 §2.1: the holder of a token may end its grant
 * without client authentication. See docs/departures.md#unauthenticated-revocation.
 */
import type { RefreshTokenDeps } from './refresh-token-grant.ts';

export type RevocationDeps = Omit<RefreshTokenDeps, 'successorKey'>;

/**
 * Ends every living grant of the token's (application, user), if Kalends signed the token (even if expired or rotated)
 * and its own grant lives. The result reveals nothing of the token's state.
 */
export async function revokeToken(
  token: string,
  { families, signer, log, now }: RevocationDeps,
): Promise<void> {
  // The signature is verified first: a forged token must not end a grant.
  const owner = await signer.readAnyToken(token);
  if (owner === undefined) return;
  const ended = await families.endGrantsWith(owner, now());
  log.info({ event: 'grants_revoked', clientId: owner.clientId, grants: ended }, 'A token was revoked');
}
