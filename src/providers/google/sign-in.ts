/** Sign-in with Google: its additions to OpenID Connect. */
import type { IDToken } from 'oauth4webapi';

import type { RedirectSignIn, SignInRequest } from '../../calendars/calendar-provider.ts';
import { unreadableAnswer } from '../meaning.ts';
import type { OpenIdDeps } from '../openid/authorization-server.ts';
import { type AccountIdentity, type OpenIdFacts, openIdSignIn } from '../openid/relying-party.ts';
import { covers, requestedScope } from './scopes.ts';
import { revocationReason, SIGN_IN_MEANINGS } from './sign-in-failure.ts';

/** `asksForCalendars`: users are also asked for permission to write calendars, not only events. Default: false. */
export type GoogleSignInDeps = OpenIdDeps & { readonly asksForCalendars?: boolean };

export function googleSignIn(deps: GoogleSignInDeps): RedirectSignIn {
  const { asksForCalendars = false } = deps;
  const facts: OpenIdFacts = {
    name: 'Google',
    requestedScope: requestedScope(asksForCalendars),
    covers,
    parametersFor,
    identityOf: toAccountIdentity,
    meanings: SIGN_IN_MEANINGS,
    revocationReason,
  };
  return { ...openIdSignIn(facts, deps), grantOf: readProjectNumber };
}

const parametersFor = ({ language }: SignInRequest) => ({
  // Without both, a returning user gets no refresh token.
  access_type: 'offline',
  prompt: 'consent',
  // Earlier grants stay valid; a larger scope is added to them.
  include_granted_scopes: 'true',
  hl: language,
});

/**
 * Returns the account. `accountId` is the address, since `sub` would tell users nothing (docs/wire.md 2.2). `identity`
 * is the subject, since an address can pass to another person.
 */
function toAccountIdentity({ sub, email, email_verified: isVerified }: IDToken): AccountIdentity {
  // An unverified address could be anybody's, and would replace the account that really has it.
  if (typeof email === 'string' && email !== '' && isVerified !== false)
    return { accountId: email, identity: `sub:${sub}`, display: email };
  throw unreadableAnswer('Google does not identify the account');
}

/**
 * Returns the project number, with which an app's id begins. Revoking a grant for one app seems to revoke it for the
 * whole project (`include_granted_scopes`), which no source confirms.
 */
const readProjectNumber = (appClientId: string): string => /^(\d+)-/.exec(appClientId)?.[1] ?? appClientId;
