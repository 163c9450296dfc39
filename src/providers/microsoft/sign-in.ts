/** Signing in with Microsoft: what it adds to OpenID Connect. */
import type { RedirectSignIn, SignInRequest } from '../../calendars/calendar-provider.ts';
import type { OpenIdDeps } from '../openid/authorization-server.ts';
import { openIdSignIn } from '../openid/relying-party.ts';
import { identityOf } from './identity.ts';
import { covers, scopeFor } from './scopes.ts';
import { SIGN_IN_MEANINGS } from './sign-in-failure.ts';
import { adminConsentUrl, issuerIn, ofCallback, ofTokens } from './tenant-issuer.ts';

/** The issuer is as `https://login.microsoftonline.com/common/v2.0`. */
export function microsoftSignIn(deps: OpenIdDeps): RedirectSignIn {
  const facts = {
    name: 'Microsoft',
    issuerIn,
    hasOwnEndpoints: true,
    issuers: { ofCallback, ofTokens },
    scopeFor,
    covers,
    parametersFor,
    identityOf,
    meanings: SIGN_IN_MEANINGS,
  };
  return {
    ...openIdSignIn(facts, deps),
    // There is none to call: Microsoft lets users and administrators withdraw access on its own pages only.
    revoke: async () => {},
    adminConsentUrl: (app, asked) => adminConsentUrl(deps.issuer, app, asked),
  };
}

const parametersFor = ({ language }: SignInRequest) => ({
  response_mode: 'query',
  // Without it the account signed in to this browser would be taken unasked.
  prompt: 'select_account',
  ui_locales: language,
});
