/** POST /{tenant}/oauth2/v2.0/token: exchanges codes and refresh tokens for tokens (RFC 6749 §4.1.3, §6). */
import { hash } from 'node:crypto';

import type { SandboxRequest } from '../core/sandbox-server.ts';
import { aadsts } from './aadsts.ts';
import { authenticatedApp } from './app-registration.ts';
import { type Access, type Directory, isPersonal, missingConsent, needsAdmin } from './directory.ts';
import { idTokenClaims } from './id-token-claims.ts';
import type { IdentityDeps } from './identity-deps.ts';
import { ACCESS_LIFE } from './microsoft-tokens.ts';
import { readScope, scopeText, withoutShared } from './permission.ts';
import { admits, type TenantPath } from './tenant.ts';

/** Returns the token response. Rejects with errors by their AADSTS code. */
export async function answerTokenRequest(
  request: SandboxRequest,
  tenant: TenantPath,
  deps: IdentityDeps,
): Promise<Record<string, unknown>> {
  const form = new URLSearchParams(request.body);
  const { clientId } = authenticatedApp(request, deps);
  switch (form.get('grant_type')) {
    case 'authorization_code':
      return codeGrant({ form, clientId, tenant }, deps);
    case 'refresh_token':
      return refreshGrant({ form, clientId, tenant }, deps);
    case null:
      throw aadsts(90014);
    default:
      throw aadsts(70003);
  }
}

/** A request of an app that proved its secret. */
type TokenRequest = {
  readonly form: URLSearchParams;
  readonly clientId: string;
  readonly tenant: TenantPath;
};

function codeGrant({ form, clientId, tenant }: TokenRequest, deps: IdentityDeps) {
  const code = deps.tokens.redeemCode(required(form, 'code'));
  if (code.clientId !== clientId || !admits(tenant, code.account.tenant)) throw aadsts(70000);
  if (form.get('redirect_uri') !== code.redirectUri) throw aadsts(500112);
  if (code.codeChallenge !== undefined) {
    const verifier = form.get('code_verifier') ?? '';
    // RFC 7636 §4.6.
    if (hash('sha256', verifier, 'base64url') !== code.codeChallenge) throw aadsts(50148);
  }
  refuseBlocked(code, deps.directory);
  const { account, permissions, nonce } = code;
  return tokenResponse({ clientId, account, permissions }, nonce, deps);
}

async function refreshGrant({ form, clientId, tenant }: TokenRequest, deps: IdentityDeps) {
  const token = required(form, 'refresh_token');
  const access = deps.tokens.refresh(token, clientId);
  if (!admits(tenant, access.account.tenant)) throw aadsts(70000);
  refuseBlocked(access, deps.directory);
  const scope = form.get('scope');
  const requested = scope === null ? access : { ...access, permissions: readScope(scope) };
  if (missingConsent(deps.directory, requested).length > 0) throw aadsts(65001);
  const answer = await tokenResponse(requested, undefined, deps);
  deps.tokens.supersede(token);
  return answer;
}

function refuseBlocked(access: Access, directory: Directory): void {
  if (access.account.blockedBy !== undefined) throw aadsts(access.account.blockedBy);
  if (needsAdmin(directory, access)) throw aadsts(65001);
}

async function tokenResponse(
  requested: Access,
  nonce: string | undefined,
  deps: IdentityDeps,
): Promise<Record<string, unknown>> {
  const { clientId, account } = requested;
  const permissions = isPersonal(account) ? withoutShared(requested.permissions) : requested.permissions;
  const access = { ...requested, permissions };
  const { tokens, signer, clock, origin } = deps;
  const granted = new Set<string>(permissions);
  const claims = { profile: granted.has('profile'), email: granted.has('email') };
  const request = { account, clientId, nonce, origin: origin(), now: clock.now(), ahead: clock.ahead() };
  return {
    token_type: 'Bearer',
    scope: scopeText(permissions),
    expires_in: ACCESS_LIFE / 1000,
    ext_expires_in: ACCESS_LIFE / 1000,
    access_token: tokens.issueAccess(access),
    ...(granted.has('offline_access') ? { refresh_token: tokens.issueRefresh(access) } : {}),
    ...(granted.has('openid') ? { id_token: await signer.sign(idTokenClaims(request, claims)) } : {}),
  };
}

function required(form: URLSearchParams, name: string): string {
  const value = form.get(name);
  if (!value) throw aadsts(90014);
  return value;
}
