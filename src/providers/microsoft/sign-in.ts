/** Sign-in with Microsoft: its additions to OpenID Connect. */

import type { IDToken } from 'oauth4webapi';
import type { RedirectSignIn, SignInRequest } from '../../calendars/calendar-provider.ts';
import type { OpenIdDeps } from '../openid/authorization-server.ts';
import { type AccountIdentity, type OpenIdFacts, openIdSignIn } from '../openid/relying-party.ts';
import { covers, requestedScope } from './scopes.ts';
import { SIGN_IN_MEANINGS } from './sign-in-failure.ts';
import { adminConsentUrl, issuerIn, ofAccount, ofCallback, ofTokens } from './tenant-issuer.ts';

/** `asksForShared`: users are also asked for calendars that others share with them. Default: false. */
export type MicrosoftSignInDeps = OpenIdDeps & { readonly asksForShared?: boolean };

export function microsoftSignIn(deps: MicrosoftSignInDeps): RedirectSignIn {
  const scopeFor = requestedScope(deps.asksForShared ?? false);
  const facts: OpenIdFacts = {
    name: 'Microsoft',
    issuerIn,
    requiresSameOrigin: true,
    issuers: { ofCallback, ofTokens, ofAccount: (...account) => ofAccount(deps.issuer, ...account) },
    requestedScope: scopeFor,
    covers,
    parametersFor,
    identityOf: toAccountIdentity,
    meanings: SIGN_IN_MEANINGS,
  };
  return {
    ...openIdSignIn(facts, deps),
    // Microsoft cannot revoke by request: users and administrators withdraw access on its own pages.
    revoke: async () => {},
    adminConsentUrl: (app, { redirectUri, scope }) =>
      adminConsentUrl(deps.issuer, app, { redirectUri, scope: scopeFor(scope) }),
  };
}

const parametersFor = ({ language }: SignInRequest) => ({
  response_mode: 'query',
  // Without it, Microsoft uses the account that is signed in to this browser.
  prompt: 'select_account',
  ui_locales: language,
});

/**
 * Returns the account. `accountId` is the e-mail address (docs/wire.md 2.2): the sign-in name, whose domain the tenant
 * has proved, else the claim `email`, which an administrator can set freely; without an address, tenant and object.
 * `identity` is `oid:`, the tenant, a slash and the object, which are the same for every app. If one is missing, it is
 * `sub:`, the subject, a space and the issuer.
 */
export function toAccountIdentity(claims: IDToken): AccountIdentity {
  const signInName = readText(claims.preferred_username);
  const email = [signInName, readText(claims.email)].find((name) => name !== undefined && ADDRESS.test(name));
  const accountId =
    email?.toLowerCase() ?? `${readText(claims.tid) ?? ''}.${readText(claims.oid) ?? claims.sub}`;
  const display = signInName ?? email ?? readText(claims.name) ?? accountId;
  return { accountId, identity: buildSubject(claims), display };
}

function buildSubject({ tid, oid, sub, iss }: IDToken): string {
  const [tenant, object] = [readText(tid), readText(oid)];
  if (tenant === undefined || object === undefined) return `sub:${sub} ${iss}`;
  return `oid:${tenant}/${object}`.toLowerCase();
}

const ADDRESS = /^[^\s@]+@[^\s@]+$/;

const readText = (claim: unknown): string | undefined =>
  typeof claim === 'string' && claim.trim() !== '' ? claim.trim() : undefined;
