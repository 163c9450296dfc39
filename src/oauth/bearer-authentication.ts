/** The check of the access token at every protected endpoint (RFC 6750 §2.1, §3): signature, expiry, grant, binding. */
import { ANY_CALL, ApiError } from '../http/refusal.ts';
import type { AccessChecks, AccessRequest } from './dpop.ts';
import type { Grant } from './grant.ts';
import { type Scope, scopeCovers } from './scope.ts';
import type { TokenFamilyStore } from './token-family-store.ts';
import type { TokenSigner } from './token-signer.ts';

export type BearerDeps = AccessChecks & { readonly signer: TokenSigner; readonly families: TokenFamilyStore };

/** The part of a request that the check reads; the check sets its caller. */
export type BearerRequest = AccessRequest;

/** Returns the token's living grant. Throws 401: `invalid_token`, or no `error` without a token (RFC 6750 §3.1). */
export async function authenticateBearer(request: BearerRequest, deps: BearerDeps): Promise<Grant> {
  const [, scheme = '', token] = /^(Bearer|DPoP) +(\S+) *$/i.exec(request.headers.authorization ?? '') ?? [];
  if (token === undefined)
    throw new ApiError(ANY_CALL.missing_token, { headers: { 'www-authenticate': 'Bearer' } });
  const claims = await deps.signer.readAccessToken(token);
  const living = claims && (await deps.families.findLivingGrant(claims.familyId));
  // A new family may, very rarely, have the key of a deleted one, so application and user are compared too.
  if (!living || living.clientId !== claims.clientId || living.userId !== claims.userId) {
    const owner = claims ?? (await deps.signer.readAnyToken(token));
    if (owner) request.asker = { clientId: owner.clientId, userId: owner.userId, isRefused: true };
    const isRefreshToken = claims === undefined && (await deps.signer.readRefreshToken(token)) !== undefined;
    throw deps.dpop.refuseToken({ scheme, isRefreshToken });
  }
  const check = deps.dpop.checkAccess(request, { scheme, text: token, claims });
  if (check !== undefined) await check;
  request.asker = living;
  return living;
}

/**
 * Throws 403 if the grant's scope, or the scope at which it covers an account, is smaller than `needed` (docs/wire.md
 * C2). `error` is the body's short name.
 */
export function requireScope(
  grant: Pick<Grant, 'scope'>,
  needed: Scope,
  refusal: string | { readonly message: string; readonly error: string },
): void {
  if (scopeCovers(grant.scope, needed)) return;
  const headers = { 'www-authenticate': `Bearer error="insufficient_scope", scope="${needed}"` };
  const error = typeof refusal === 'string' ? { message: refusal } : refusal;
  throw new ApiError(ANY_CALL.insufficient_scope, { ...error, headers });
}
