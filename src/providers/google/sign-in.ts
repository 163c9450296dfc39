/** Sign-in with Google: its additions to OpenID Connect. */
import type { IDToken } from 'oauth4webapi';
import type { OAuthCredentials, RedirectSignIn, SignInRequest } from '../../calendars/calendar-provider.ts';
import { type Meaning, meaningsBy, unreadableAnswer } from '../meaning.ts';
import type { OpenIdDeps } from '../openid/authorization-server.ts';
import { type AccountIdentity, type OpenIdFacts, openIdSignIn } from '../openid/relying-party.ts';
import type { SignInMeanings } from '../openid/sign-in-failure.ts';
import { covers, requestedScope } from './scopes.ts';

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

const UNAVAILABLE: Meaning = [
  'unavailable',
  'Google cannot sign users in at the moment',
  'provider_unavailable',
];

/** Errors of RFC 6749 §5.2 and §4.1.2.1, and Google's own. No source lists in full which of them Google sends. */
const MEANING_BY_ERROR = meaningsBy<string>(
  [['access_denied', 'Access to the Google account was not granted'], ['access_denied']],
  [
    ['misconfigured', 'Google rejects the provider app', 'app_credentials_refused'],
    [
      'invalid_client',
      'unauthorized_client',
      'deleted_client',
      'disabled_client',
      'redirect_uri_mismatch',
      'invalid_scope',
      'unsupported_grant_type',
      'org_internal',
    ],
  ],
  // Set by an administrator of Google Workspace.
  [
    ['permission_missing', 'An administrator blocks this provider app at Google', 'admin_consent_required'],
    ['admin_policy_enforced', 'access_not_configured'],
  ],
  // `revocationReason` finds out why.
  [
    ['unauthorized', 'Google no longer accepts this sign-in'],
    [
      'invalid_grant',
      'interaction_required',
      'login_required',
      'consent_required',
      'account_selection_required',
    ],
  ],
  [UNAVAILABLE, ['temporarily_unavailable', 'server_error', 'internal_failure']],
);

export const SIGN_IN_MEANINGS: SignInMeanings = {
  refused: (error) => MEANING_BY_ERROR.get(error),
  tooMany: ['rate_limited', 'Google asks to wait before signing in again', 'quota_exhausted'],
  unavailable: UNAVAILABLE,
  unavailableFrom: 430,
  saysHowLong: false,
  unusable: [
    'invalid_response',
    'Google’s response to the sign-in cannot be used',
    'provider_answer_unreadable',
  ],
};

const HOUR = 3_600_000;
const DAY = 24 * HOUR;
const TEST_LIFETIME = 7 * DAY;
/** An access token is renewed hourly while an account is used. */
const ACCESS_LIFETIME = HOUR;

/**
 * Returns why a refresh token was refused, by its age: Google sends `invalid_grant` for everything. An app in Testing
 * status loses its tokens seven days after they were issued. That is the reason if one failed within an hour of that
 * moment, or between two refreshes at most a day apart around it.
 */
export function revocationReason(
  { issuedAt, expiresAt }: Pick<OAuthCredentials, 'issuedAt' | 'expiresAt'>,
  now: number,
): Meaning {
  const age = now - issuedAt;
  const lastAlive = expiresAt - ACCESS_LIFETIME - issuedAt;
  const isAtSevenDays = Math.abs(age - TEST_LIFETIME) <= HOUR;
  const isBetweenRenewals =
    lastAlive <= TEST_LIFETIME + HOUR && age >= TEST_LIFETIME - HOUR && age - lastAlive <= DAY;
  return isAtSevenDays || isBetweenRenewals ? TESTING_EXPIRED : REVOKED;
}

const TESTING_EXPIRED: Meaning = [
  'unauthorized',
  'Google ended the access after seven days, as it does for apps in Testing status: publish the app at Google',
  'google_testing_expired',
];
const REVOKED: Meaning = [
  'unauthorized',
  'Google no longer accepts this sign-in: sign in again',
  'access_revoked',
];
