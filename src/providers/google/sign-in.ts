/** Signing in with Google: what it adds to OpenID Connect. */
import type { IDToken } from 'oauth4webapi';

import type { RedirectSignIn, SignInRequest } from '../../calendars/calendar-provider.ts';
import { unreadableAnswer } from '../meaning.ts';
import type { OpenIdDeps } from '../openid/authorization-server.ts';
import { type AccountIdentity, type OpenIdFacts, openIdSignIn } from '../openid/relying-party.ts';
import { covers, requestedScope } from './scopes.ts';
import { revocationReason, SIGN_IN_MEANINGS } from './sign-in-failure.ts';

/** `asksForCalendars`: users are asked to let calendars be created, changed and deleted, not only events; not unless it is said. */
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
  // What was granted before stays granted, so that a larger scope later is asked for on top.
  include_granted_scopes: 'true',
  hl: language,
});

/**
 * The account is known by its address on the wire (docs/wire.md 2.2): Google's `sub` would tell its user
 * nothing. Its identity is `sub:` and that subject: an address can become another person's.
 */
function identityOf({ sub, email, email_verified: isVerified }: IDToken): AccountIdentity {
  // An address that anybody could have typed would take the place of the account that is really its.
  if (typeof email === 'string' && email !== '' && isVerified !== false)
    return { accountId: email, identity: `sub:${sub}`, display: email };
  throw unreadableAnswer('Google does not say whose account it is');
}

/**
 * An app's id begins with the number of its project. What a user granted seems to be granted to the whole project, since
 * it is asked for with `include_granted_scopes`: revoking it for one of its apps revokes it for all. No source confirms
 * that.
 */
const grantOf = (appClientId: string): string => /^(\d+)-/.exec(appClientId)?.[1] ?? appClientId;
