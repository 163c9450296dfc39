/**
 * Refresh token grant, RFC 6749 §6: the presented token is spent and a successor issued, unless the application's tokens
 * do not rotate.
 *
 * Departs from RFC 9700 §4.14.2: a second use of a spent token is refused, but the rest of its
 * family stays valid, as docs/wire.md O3.2 promises, unless the application sets reuse `end-grant`. See
 * docs/departures.md#refresh-token-reuse.
 * Within the application's window a second use returns the successor again, as long as no one has used it. See
 * docs/departures.md#refresh-replay-window.
 */
import type { Log } from '../lib/log.ts';
import type { Client } from './client.ts';
import { bindTokens, type TokenProof, useProof } from './dpop.ts';
import { invalidGrant } from './oauth-error.ts';
import { deriveSuccessor, newTokenIn, type RefreshTokenId } from './refresh-token-id.ts';
import { hasResources } from './resource-indicators.ts';
import type { DatedGrant, TokenFamilyStore } from './token-family-store.ts';
import type { RefreshTokenClaims, TokenGrant, TokenResponse, TokenSigner } from './token-signer.ts';

export type RefreshTokenRequest = {
  readonly client: Client;
  readonly proof?: TokenProof | undefined;
  readonly refreshToken: string;
  /** The resource of the token request; by default, that of the refresh token. */
  readonly resource?: string | undefined;
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

/** The minimum time between two noted uses of a refresh token that does not rotate. */
const NOTED_EVERY_MS = 60_000;

/** Throws OAuthError `invalid_grant`. */
export async function refreshTokenGrant(
  request: RefreshTokenRequest,
  deps: RefreshTokenDeps,
): Promise<RefreshedTokens> {
  const { client, refreshToken } = request;
  const { families, signer, successorKey } = deps;
  const presented = await signer.readRefreshToken(refreshToken);
  if (presented === undefined) throw invalidGrant('Invalid refresh token');
  // The client is compared first: another client does not learn the state of a token.
  if (presented.clientId !== client.clientId) throw invalidGrant('Client mismatch');

  const { familyId, id } = presented;
  const jkt = bindTokens({ ...request, boundTo: presented.jkt });
  await useProof(request, async () => (await families.findLivingGrant(familyId)) !== undefined);
  const bound = {
    resource: hasResources(client) ? (request.resource ?? presented.resource) : undefined,
    jkt,
  };
  // The unbound text of a grant that becomes bound is spent. Otherwise it would get unbound tokens without a proof where bound
  // ones are only accepted, now or after a change of the switch, and tokens of any key from a public application.
  const isBinding = presented.jkt === undefined && jkt !== undefined;
  const successor =
    client.refreshReplayWindow === 0 && !isBinding
      ? newTokenIn(familyId)
      : deriveSuccessor(id, successorKey, jkt);
  const at = deps.now();
  if (client.refreshRotation === 'always' || isBinding) {
    const terms = { now: at, ...requiredAge(client, at) };
    // The scope is the grant's, never the request's: refreshing cannot raise it (docs/wire.md O4.3).
    const grant = await families.rotateRefreshToken(id, successor, terms);
    if (grant !== undefined)
      return { tokens: signer.signTokenResponse({ ...grant, ...bound }, successor, at), outcome: 'ok' };
  }
  return withoutRotation({ client, refreshToken, bound, presented, successor, isBinding, at }, deps);
}

type Unrotated = Pick<RefreshTokenRequest, 'client' | 'refreshToken'> & {
  /** The audience and the key of the new tokens. */
  readonly bound: Pick<TokenGrant, 'resource' | 'jkt'>;
  readonly presented: RefreshTokenClaims;
  readonly successor: RefreshTokenId;
  /** Whether the grant is not bound to a key before this refresh. */
  readonly isBinding: boolean;
  readonly at: number;
};

async function withoutRotation(
  request: Unrotated,
  { families, signer, log }: RefreshTokenDeps,
): Promise<RefreshedTokens> {
  const { client, refreshToken, bound, presented, successor, at } = request;
  const { clientId, familyId, id } = presented;
  const grant = hasSwitches(client) ? await families.findDatedGrant([id, successor]) : undefined;
  const plan = grant === undefined ? 'refuse' : planUnrotated(grant, request);
  if (plan === 'expired') throw invalidGrant('Refresh token expired');
  if (grant !== undefined && plan === 'keep') {
    const notedBefore = at - NOTED_EVERY_MS;
    if (client.refreshIdleLifetime > 0 && grant.refreshedAt < notedBefore)
      await families.noteUse(familyId, at, notedBefore);
    const { current = id } = grant;
    const tokens = signer.signTokenResponse({ ...grant, ...bound }, current);
    // A token that is bound to another key is another text with the same id.
    const isSame = presented.jkt === bound.jkt;
    return { tokens: isSame ? { ...tokens, refresh_token: refreshToken } : tokens, outcome: 'ok' };
  }
  if (grant !== undefined && plan === 'replay') {
    log.info(
      { event: 'refresh_replayed', clientId, familyId },
      'A rotated refresh token was presented again within the replay window',
    );
    const owner = { ...grant, ...bound };
    return { tokens: signer.signTokenResponse(owner, successor, grant.refreshedAt), outcome: 'replayed' };
  }
  const issuedBefore = at - client.refreshReplayWindow * 1000;
  const ended = plan === 'end' ? await families.endReusedGrant(presented, at, issuedBefore) : undefined;
  if (ended !== undefined)
    log.warn(
      { event: 'refresh_reused', clientId, user: ended.user },
      'A rotated refresh token was presented again, which ended its grant',
    );
  else
    log.warn(
      { event: 'refresh_refused', clientId, familyId },
      'A rotated or revoked refresh token was presented',
    );
  throw invalidGrant('Invalid refresh token');
}

/** Decides about a token that was not rotated and whose grant lives. The order counts: lifetime, window, reuse. */
function planUnrotated(
  grant: DatedGrant,
  { client, presented: { id }, successor, isBinding, at }: Unrotated,
): 'expired' | 'keep' | 'replay' | 'end' | 'refuse' {
  const { refreshRotation, refreshReplayWindow: window, refreshReuse } = client;
  if (at >= (refreshExpiry(grant, client) ?? Number.POSITIVE_INFINITY)) return 'expired';
  const isKept = refreshRotation === 'never' && isBinding && grant.current === successor;
  if (grant.current === id || isKept) return refreshRotation === 'never' ? 'keep' : 'refuse';
  // The clocks of instances differ.
  const isInWindow = window > 0 && Math.abs(at - grant.refreshedAt) <= window * 1000;
  if (isInWindow) return grant.current === successor ? 'replay' : 'refuse';
  return refreshReuse === 'end-grant' ? 'end' : 'refuse';
}

type Lifetimes = Pick<Client, 'refreshIdleLifetime' | 'refreshLifetime'>;

/** Returns when the refresh tokens of a grant expire, in epoch milliseconds; `undefined` if they do not. */
export function refreshExpiry(
  { createdAt, refreshedAt }: Pick<DatedGrant, 'createdAt' | 'refreshedAt'>,
  { refreshIdleLifetime: idle, refreshLifetime: whole }: Lifetimes,
): number | undefined {
  const ends = [
    ...(idle > 0 ? [refreshedAt + idle * 1000] : []),
    ...(whole > 0 ? [createdAt + whole * 1000] : []),
  ];
  return ends.length === 0 ? undefined : Math.min(...ends);
}

/** Returns the same limits as a rotation states them. */
const requiredAge = ({ refreshIdleLifetime: idle, refreshLifetime: whole }: Lifetimes, at: number) => ({
  refreshedAfter: idle > 0 ? at - idle * 1000 : undefined,
  createdAfter: whole > 0 ? at - whole * 1000 : undefined,
});

/** Returns whether anything but a rotation can be the result. */
const hasSwitches = (client: Client): boolean =>
  client.refreshRotation === 'never' ||
  client.refreshReuse === 'end-grant' ||
  client.refreshReplayWindow + client.refreshIdleLifetime + client.refreshLifetime > 0;
