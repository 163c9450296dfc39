/** POST /{tenant}/oauth2/v2.0/token: codes and refresh tokens for tokens (RFC 6749 §4.1.3, §6). */
import { hash } from 'node:crypto';

import type { SandboxRequest } from '../core/sandbox-server.ts';
import { aadsts } from './aadsts.ts';
import { authenticatedApp, type MicrosoftApp } from './app-registration.ts';
import { type Directory, missingConsent, needsAdmin } from './directory.ts';
import { idTokenClaims } from './id-token-claims.ts';
import type { IdentityDeps } from './identity-deps.ts';
import { ACCESS_LIFE, type Access } from './microsoft-tokens.ts';
import { readScope, shownScope } from './permission.ts';
import { admits, type TenantPath } from './tenant.ts';

/** The token response. Rejects with refusals by their AADSTS code. */
export async function answerTokenRequest(
  request: SandboxRequest,
  tenant: TenantPath,
  deps: IdentityDeps,
): Promise<Record<string, unknown>> {
  const form = new URLSearchParams(request.body);
  const app = authenticatedApp(form, request.headers.authorization, deps.apps, deps.clock.now());
  switch (form.get('grant_type')) {
    case 'authorization_code':
      return codeGrant(form, app, tenant, deps);
    case 'refresh_token':
      return refreshGrant(form, app, tenant, deps);
    case null:
      throw aadsts(90014);
    default:
      throw aadsts(70003);
  }
}

function codeGrant(form: URLSearchParams, app: MicrosoftApp, tenant: TenantPath, deps: IdentityDeps) {
  const code = deps.vault.redeemCode(required(form, 'code'));
  if (code.clientId !== app.clientId || !admits(tenant, code.account.tenant)) throw aadsts(70000);
  if (form.get('redirect_uri') !== code.redirectUri) throw aadsts(500112);
  if (code.codeChallenge !== undefined) {
    const verifier = form.get('code_verifier') ?? '';
    // RFC 7636 §4.6.
    if (hash('sha256', verifier, 'base64url') !== code.codeChallenge) throw aadsts(50148);
  }
  refuseBlocked(code, deps.directory);
  const { account, permissions, nonce } = code;
  return tokenResponse({ clientId: app.clientId, account, permissions }, nonce, deps);
}

async function refreshGrant(
  form: URLSearchParams,
  app: MicrosoftApp,
  tenant: TenantPath,
  deps: IdentityDeps,
) {
  const token = required(form, 'refresh_token');
  const access = deps.vault.refresh(token, app.clientId);
  if (!admits(tenant, access.account.tenant)) throw aadsts(70000);
  refuseBlocked(access, deps.directory);
  const scope = form.get('scope');
  const permissions = scope === null ? access.permissions : readScope(scope);
  if (missingConsent(deps.directory, access.account, app.clientId, permissions).length > 0)
    throw aadsts(65001);
  const answer = await tokenResponse({ ...access, permissions }, undefined, deps);
  deps.vault.supersede(token);
  return answer;
}

function refuseBlocked({ account, clientId }: Access, directory: Directory): void {
  if (account.blockedBy !== undefined) throw aadsts(account.blockedBy);
  if (needsAdmin(directory, account, clientId)) throw aadsts(65001);
}

async function tokenResponse(
  access: Access,
  nonce: string | undefined,
  deps: IdentityDeps,
): Promise<Record<string, unknown>> {
  const { clientId, account, permissions } = access;
  const { vault, signer, clock, origin } = deps;
  const granted = new Set<string>(permissions);
  const claims = { profile: granted.has('profile'), email: granted.has('email') };
  const request = { account, clientId, nonce, origin: origin(), now: clock.now(), ahead: clock.ahead() };
  return {
    token_type: 'Bearer',
    scope: shownScope(permissions),
    expires_in: ACCESS_LIFE / 1000,
    ext_expires_in: ACCESS_LIFE / 1000,
    access_token: vault.issueAccess(access),
    ...(granted.has('offline_access') ? { refresh_token: vault.issueRefresh(access) } : {}),
    ...(granted.has('openid') ? { id_token: await signer.sign(idTokenClaims(request, claims)) } : {}),
  };
}

function required(form: URLSearchParams, name: string): string {
  const value = form.get(name);
  if (!value) throw aadsts(90014);
  return value;
}
