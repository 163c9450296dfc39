/** Signing in with Google: what it adds to OpenID Connect. */
import type { IDToken } from 'oauth4webapi';

import type { RedirectSignIn, SignInRequest } from '../../calendars/calendar-provider.ts';
import { unreadableAnswer } from '../meaning.ts';
import type { OpenIdDeps } from '../openid/authorization-server.ts';
import { type AccountIdentity, type OpenIdFacts, openIdSignIn } from '../openid/relying-party.ts';
import { covers, requestedScope } from './scopes.ts';
import { revocationReason, SIGN_IN_MEANINGS } from './sign-in-failure.ts';

/**
 * `asksForCalendars`: users are asked to let calendars be created, changed and deleted, not only events; not unless it
 * is said.
 */
export type GoogleSignInDeps = OpenIdDeps & { readonly asksForCalendars?: boolean };

export function googleSignIn(deps: GoogleSignInDeps): RedirectSignIn {
  const { asksForCalendars = false } = deps;
  const facts: OpenIdFacts = {
    name: 'Google',
    requestedScope: requestedScope(asksForCalendars),
    covers,
    parametersFor,
    identityOf,
    meanings: SIGN_IN_MEANINGS,
    revocationReason,
  };
  return { ...openIdSignIn(facts, deps), grantOf };
}

const parametersFor = ({ language }: SignInRequest) => ({
  // Without both a user who came before gets no refresh token.
  access_type: 'offline',
  prompt: 'consent',
  // Earlier grants stay in force, so a larger scope is added to them later.
  include_granted_scopes: 'true',
  hl: language,
});

/**
 * The account is known by its address on the wire (docs/wire.md 2.2): Google's `sub` would tell its user
 * nothing. Its identity is `sub:` and that subject: an address can become another person's.
 */
function identityOf({ sub, email, email_verified: isVerified }: IDToken): AccountIdentity {
  // An unverified address could be anybody's, and would replace the account that really has it.
  if (typeof email === 'string' && email !== '' && isVerified !== false)
    return { accountId: email, identity: `sub:${sub}`, display: email };
  throw unreadableAnswer('Google does not say whose account it is');
}

/**
 * Returns the number of the project, with which an app's id begins. `include_granted_scopes` seems to extend a user's
 * grant to the whole project: revoking it for one of its apps revokes it for all. No source confirms that.
 */
const grantOf = (appClientId: string): string => /^(\d+)-/.exec(appClientId)?.[1] ?? appClientId;
