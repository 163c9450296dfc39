/**
 * GET /{tenant}/oauth2/v2.0/authorize (RFC 6749 §4.1.1) and its two forms: the account, the consent. No state is kept
 * between them; every step reads the request again. There is no session: the chooser always appears, unless a
 * `login_hint` selects an account and no `prompt` requires the chooser.
 */
import { SandboxRefusal } from '../core/sandbox-refusal.ts';
import type { SandboxAnswer, SandboxRequest } from '../core/sandbox-server.ts';
import { aadsts, oauthError } from './aadsts.ts';
import { type AuthorizeRequest, readRequest, redirectTo, targetOf } from './authorize-request.ts';
import {
  type Access,
  type Account,
  findAccount,
  giveConsent,
  missingConsent,
  needsAdmin,
} from './directory.ts';
import type { IdentityDeps } from './identity-deps.ts';
import { chooserPage, consentPage, needsAdminPage } from './sign-in.page.ts';
import { admits, type TenantPath } from './tenant.ts';

export function answerAuthorize(
  { url }: SandboxRequest,
  tenant: TenantPath,
  deps: IdentityDeps,
): SandboxAnswer {
  return redirectingErrors({ query: url.searchParams, tenant }, deps, (request) => {
    const { prompt, loginHint } = request;
    if (prompt === 'none') throw aadsts(50058);
    const hinted = loginHint === undefined ? undefined : findAccount(deps.directory, loginHint);
    // With prompt=select_account the hint only puts the account first; no source confirms it.
    if (hinted !== undefined && prompt !== 'select_account' && prompt !== 'login') {
      return withAccount(hinted, request, deps);
    }
    const accounts = [...deps.directory.accounts.values()].filter((account) =>
      admits(tenant, account.tenant),
    );
    return chooserPage(accounts, hinted, request);
  });
}

/** Returns the address that one of these forms was submitted for. */
export const chosenEmail = (request: SandboxRequest): string | undefined =>
  new URLSearchParams(request.body).get('account') ?? undefined;

/** Continues after the choice of the account. */
export function answerChoice(
  { body }: SandboxRequest,
  tenant: TenantPath,
  deps: IdentityDeps,
): SandboxAnswer {
  return onForm({ form: new URLSearchParams(body), tenant }, deps, (account, request) =>
    withAccount(account, request, deps),
  );
}

/** Continues after Accept or Cancel, or after the page that only an administrator can pass. */
export function answerConsent(
  { body }: SandboxRequest,
  tenant: TenantPath,
  deps: IdentityDeps,
): SandboxAnswer {
  const form = new URLSearchParams(body);
  return onForm({ form, tenant }, deps, (account, request) => {
    const access = accessFor(account, request);
    if (needsAdmin(deps.directory, access)) throw aadsts(90094);
    if (form.get('decision') !== 'accept') throw aadsts(65004);
    giveConsent(access);
    return withAccount(account, { ...request, prompt: undefined }, deps);
  });
}

function onForm(
  { form, tenant }: { readonly form: URLSearchParams; readonly tenant: TenantPath },
  deps: IdentityDeps,
  answer: (account: Account, request: AuthorizeRequest) => SandboxAnswer,
): SandboxAnswer {
  const query = new URLSearchParams(form.get('request') ?? '');
  return redirectingErrors({ query, tenant }, deps, (request) => {
    const account = findAccount(deps.directory, form.get('account') ?? '');
    if (account === undefined) throw aadsts(50020);
    return answer(account, request);
  });
}

const accessFor = (account: Account, { app, permissions }: AuthorizeRequest): Access => ({
  account,
  clientId: app.clientId,
  permissions,
});

function withAccount(account: Account, request: AuthorizeRequest, deps: IdentityDeps): SandboxAnswer {
  const { redirectUri, codeChallenge, nonce, prompt, tenant } = request;
  const access = accessFor(account, request);
  if (!admits(tenant, account.tenant)) throw aadsts(50020);
  // Signing in again removes the other reasons to refuse a refresh.
  if (account.blockedBy === BLOCKED_BY_POLICY) throw aadsts(BLOCKED_BY_POLICY);
  if (needsAdmin(deps.directory, access)) return needsAdminPage(account, request);
  if (missingConsent(deps.directory, access).length > 0 || prompt === 'consent') {
    return consentPage(account, request);
  }
  account.blockedBy = undefined;
  const code = deps.tokens.issueCode({ ...access, redirectUri, codeChallenge, nonce });
  return redirectTo(request, { code, session_state: account.oid });
}

/** The error of conditional access, if the user does not meet its conditions. */
const BLOCKED_BY_POLICY = 53003;

/** Errors go to the redirect URI if it is known to be the app's own (RFC 6749 §4.1.2.1), otherwise to a page. */
function redirectingErrors(
  { query, tenant }: { readonly query: URLSearchParams; readonly tenant: TenantPath },
  deps: IdentityDeps,
  answer: (request: AuthorizeRequest) => SandboxAnswer,
): SandboxAnswer {
  const target = targetOf(query, deps.apps);
  try {
    return answer({ ...target, ...readRequest(query), tenant });
  } catch (refusal) {
    if (!(refusal instanceof SandboxRefusal)) throw refusal;
    const { error, description } = oauthError(refusal.reason, deps.clock.now());
    const subcode = refusal.reason === 'AADSTS65004' ? { error_subcode: 'cancel' } : {};
    // Only the token endpoint uses the code `invalid_grant`.
    const code = error === 'invalid_grant' ? 'access_denied' : error;
    return redirectTo(target, { error: code, ...subcode, error_description: description });
  }
}
