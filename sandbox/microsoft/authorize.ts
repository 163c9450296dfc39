/**
 * GET /{tenant}/oauth2/v2.0/authorize (RFC 6749 §4.1.1) and the two forms it leads through: the account, the consent.
 * Nothing is remembered between them; every step reads the request anew. There is no session: the chooser comes
 * always, unless a `login_hint` names an account and no `prompt` asks for it.
 */
import { SandboxRefusal } from '../core/sandbox-refusal.ts';
import type { SandboxAnswer, SandboxRequest } from '../core/sandbox-server.ts';
import { aadsts, oauthError } from './aadsts.ts';
import { type AuthorizeRequest, readRequest, redirectTo, targetOf } from './authorize-request.ts';
import { type Account, findAccount, giveConsent, missingConsent, needsAdmin } from './directory.ts';
import type { IdentityDeps } from './identity-deps.ts';
import { chooserPage, consentPage, needsAdminPage } from './sign-in.page.ts';
import { admits, type TenantPath } from './tenant.ts';

export function answerAuthorize(
  request: SandboxRequest,
  tenant: TenantPath,
  deps: IdentityDeps,
): SandboxAnswer {
  return redirectingErrors(request.url.searchParams, deps, (asked) => {
    if (asked.prompt === 'none') throw aadsts(50058);
    const hinted = asked.loginHint === undefined ? undefined : findAccount(deps.directory, asked.loginHint);
    // (k) With prompt=select_account the hint only puts the account first.
    if (hinted !== undefined && asked.prompt !== 'select_account' && asked.prompt !== 'login') {
      return withAccount(hinted, asked, tenant, deps);
    }
    const accounts = [...deps.directory.accounts.values()].filter((account) =>
      admits(tenant, account.tenant),
    );
    return chooserPage(accounts, hinted, { tenant, asked });
  });
}

/** The address that a form of ours was submitted for. */
export const chosenEmail = (request: SandboxRequest): string | undefined =>
  new URLSearchParams(request.body).get('account') ?? undefined;

/** The account was chosen. */
export function answerChoice(request: SandboxRequest, tenant: TenantPath, deps: IdentityDeps): SandboxAnswer {
  return onForm(request, deps, (account, asked) => withAccount(account, asked, tenant, deps));
}

/** Accept or Cancel was chosen, or the way back from a page that only an administrator can pass. */
export function answerConsent(
  request: SandboxRequest,
  tenant: TenantPath,
  deps: IdentityDeps,
): SandboxAnswer {
  const decision = new URLSearchParams(request.body).get('decision');
  return onForm(request, deps, (account, asked) => {
    if (needsAdmin(deps.directory, account, asked.app.clientId)) throw aadsts(90094);
    if (decision !== 'accept') throw aadsts(65004);
    giveConsent(account, asked.app.clientId, asked.permissions);
    return withAccount(account, { ...asked, prompt: undefined }, tenant, deps);
  });
}

function onForm(
  request: SandboxRequest,
  deps: IdentityDeps,
  answer: (account: Account, asked: AuthorizeRequest) => SandboxAnswer,
): SandboxAnswer {
  const form = new URLSearchParams(request.body);
  return redirectingErrors(new URLSearchParams(form.get('request') ?? ''), deps, (asked) => {
    const account = findAccount(deps.directory, form.get('account') ?? '');
    if (account === undefined) throw aadsts(50020);
    return answer(account, asked);
  });
}

function withAccount(
  account: Account,
  asked: AuthorizeRequest,
  tenant: TenantPath,
  deps: IdentityDeps,
): SandboxAnswer {
  const { app, permissions, redirectUri, codeChallenge, nonce, prompt } = asked;
  if (!admits(tenant, account.tenant)) throw aadsts(50020);
  // Other reasons to refuse a refresh are those that signing in anew does away with.
  if (account.blockedBy === BLOCKED_BY_POLICY) throw aadsts(BLOCKED_BY_POLICY);
  if (needsAdmin(deps.directory, account, app.clientId)) {
    return needsAdminPage(account, { tenant, asked });
  }
  const missing = missingConsent(deps.directory, account, app.clientId, permissions);
  if (missing.length > 0 || prompt === 'consent') {
    return consentPage(account, { tenant, asked });
  }
  account.blockedBy = undefined;
  const issued = { clientId: app.clientId, account, redirectUri, permissions, codeChallenge, nonce };
  const code = deps.vault.issueCode(issued);
  return redirectTo(asked, { code, session_state: account.oid });
}

/** Conditional access lets nobody in who does not meet it. */
const BLOCKED_BY_POLICY = 53003;

/** Refusals go to the redirect URI once it is known to be the app's own (RFC 6749 §4.1.2.1); before, to a page. */
function redirectingErrors(
  query: URLSearchParams,
  deps: IdentityDeps,
  answer: (asked: AuthorizeRequest) => SandboxAnswer,
): SandboxAnswer {
  const target = targetOf(query, deps.apps);
  try {
    return answer({ ...target, ...readRequest(query) });
  } catch (error) {
    if (!(error instanceof SandboxRefusal)) throw error;
    const told = oauthError(error.reason, deps.clock.now());
    const subcode = error.reason === 'AADSTS65004' ? { error_subcode: 'cancel' } : {};
    // `invalid_grant` is a code of the token endpoint's only.
    const code = told.error === 'invalid_grant' ? 'access_denied' : told.error;
    return redirectTo(target, { error: code, ...subcode, error_description: told.description });
  }
}
