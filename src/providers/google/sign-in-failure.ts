/** Maps Google's errors for a sign-in or a refresh token to their meaning, and to who can fix it. */
import type { OAuthCredentials } from '../../calendars/calendar-provider.ts';
import { type Meaning, meaningsBy } from '../meaning.ts';
import type { SignInMeanings } from '../openid/sign-in-failure.ts';

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
