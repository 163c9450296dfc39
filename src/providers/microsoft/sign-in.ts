/** Signing in with Microsoft: what it adds to OpenID Connect. */

import type { IDToken } from 'oauth4webapi';
import type { RedirectSignIn, SignInRequest } from '../../calendars/calendar-provider.ts';
import type { OpenIdDeps } from '../openid/authorization-server.ts';
import { type AccountIdentity, type OpenIdFacts, openIdSignIn } from '../openid/relying-party.ts';
import { covers, requestedScope } from './scopes.ts';
import { SIGN_IN_MEANINGS } from './sign-in-failure.ts';
import { adminConsentUrl, issuerIn, ofAccount, ofCallback, ofTokens } from './tenant-issuer.ts';

/**
 * The issuer is as `https://login.microsoftonline.com/common/v2.0`. `asksForShared`: users are asked for the calendars that
 * others shared with them too; the default is false.
 */
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
    identityOf,
    meanings: SIGN_IN_MEANINGS,
  };
  return {
    ...openIdSignIn(facts, deps),
    // There is none to call: Microsoft lets users and administrators withdraw access on its own pages only.
    revoke: async () => {},
    adminConsentUrl: (app, { redirectUri, scope }) =>
      adminConsentUrl(deps.issuer, app, { redirectUri, scope: scopeFor(scope) }),
  };
}

const parametersFor = ({ language }: SignInRequest) => ({
  response_mode: 'query',
  // Without it the account signed in to this browser would be taken unasked.
  prompt: 'select_account',
  ui_locales: language,
});

/**
 * The account's id is its e-mail address (docs/wire.md 2.2). The sign-in name comes first: its domain is one
 * its tenant has proved, where the claim `email` is whatever an administrator typed. Accounts without an
 * address (some sign in with a phone number) are named by tenant and object.
 *
 * The identity is `oid:`, the tenant, a slash and the object in it, which are the same for every app. Where one is missing,
 * it is `sub:`, the subject, a space and its issuer.
 */
export function identityOf(claims: IDToken): AccountIdentity {
  const signInName = readText(claims.preferred_username);
  const email = [signInName, readText(claims.email)].find((name) => name !== undefined && ADDRESS.test(name));
  const accountId =
    email?.toLowerCase() ?? `${readText(claims.tid) ?? ''}.${readText(claims.oid) ?? claims.sub}`;
  const display = signInName ?? email ?? readText(claims.name) ?? accountId;
  return { accountId, identity: subjectOf(claims), display };
}

function subjectOf({ tid, oid, sub, iss }: IDToken): string {
  const [tenant, object] = [readText(tid), readText(oid)];
  if (tenant === undefined || object === undefined) return `sub:${sub} ${iss}`;
  return `oid:${tenant}/${object}`.toLowerCase();
}

const ADDRESS = /^[^\s@]+@[^\s@]+$/;

const readText = (claim: unknown): string | undefined =>
  typeof claim === 'string' && claim.trim() !== '' ? claim.trim() : undefined;
