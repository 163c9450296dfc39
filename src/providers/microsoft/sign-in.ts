/** Signing in with Microsoft: what it adds to OpenID Connect. */
import type { RedirectSignIn, SignInRequest } from '../../calendars/calendar-provider.ts';
import type { OpenIdDeps } from '../openid/authorization-server.ts';
import { type OpenIdFacts, openIdSignIn } from '../openid/relying-party.ts';
import { identityOf } from './identity.ts';
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
