/** Maps Microsoft's errors for a sign-in or a refresh token to their meaning, and to who can fix it. */
import { type Meaning, meaningsBy } from '../meaning.ts';
import type { SignInMeanings } from '../openid/sign-in-failure.ts';

const REVOKED: Meaning = [
  'unauthorized',
  'Microsoft no longer accepts this sign-in: sign in again',
  'access_revoked',
];
const SIGN_IN_AGAIN: Meaning = [
  'unauthorized',
  'Microsoft requires this user to sign in again',
  'reauthentication_demanded',
];
const ADMINISTRATOR: Meaning = [
  'permission_missing',
  "An administrator of the user's organization must approve this application first",
  'admin_consent_required',
];
const DECLINED: Meaning = ['access_denied', 'Access was declined at Microsoft'];
const APP_REFUSED: Meaning = [
  'misconfigured',
  'Microsoft rejects the provider app',
  'app_credentials_refused',
];
const SECRET_EXPIRED: Meaning = [
  'misconfigured',
  'The client secret of the Microsoft provider app has expired',
  'app_secret_expired',
];
const NOT_NOW = 'Microsoft cannot sign users in at the moment';
const UNAVAILABLE: Meaning = ['unavailable', NOT_NOW, 'provider_unavailable'];

/** The meanings by AADSTS number. No source confirms each of them. */
const BY_NUMBER = meaningsBy<number>(
  // Access was revoked: password changed or reset, session revoked, account disabled or deleted.
  [REVOKED, [50173, 50133, 50132, 50034, 50057, 50020, 700081]],
  // The token was unused for too long, or a second factor, a device or a location is required.
  [SIGN_IN_AGAIN, [700082, 700084, 70008, 70000, 70043, 70044, 50055, 50058, 50072, 50074]],
  [SIGN_IN_AGAIN, [50076, 50078, 50079, 50089, 50097, 50158, 53000, 53001, 53003, 54005]],
  [ADMINISTRATOR, [65001, 90094, 90095, 90093]],
  [DECLINED, [65004]],
  [APP_REFUSED, [7000215, 7000216, 7000218, 700016, 7000112, 700025, 70001, 70011, 50011, 50194]],
  [APP_REFUSED, [90002, 500011, 9002313]],
  [SECRET_EXPIRED, [7000222]],
  [UNAVAILABLE, [90033, 90006, 90012, 90024, 50196]],
);

/** The meanings for other numbers, by the code of RFC 6749 §4.1.2.1 and §5.2, or of OpenID Connect. */
const BY_WORD = meaningsBy<string>(
  [DECLINED, ['access_denied']],
  [SIGN_IN_AGAIN, ['invalid_grant', 'interaction_required', 'login_required']],
  [ADMINISTRATOR, ['consent_required']],
  [APP_REFUSED, ['invalid_client', 'unauthorized_client', 'invalid_request', 'invalid_scope']],
  [APP_REFUSED, ['invalid_resource', 'unsupported_response_type']],
  [UNAVAILABLE, ['temporarily_unavailable', 'server_error']],
);

export const SIGN_IN_MEANINGS: SignInMeanings = {
  refused(error, description) {
    const number = Number(/AADSTS(\d+)/.exec(description)?.[1]);
    return BY_NUMBER.get(number) ?? BY_WORD.get(error);
  },
  tooMany: ['rate_limited', NOT_NOW, 'provider_unavailable'],
  unavailable: UNAVAILABLE,
  unavailableFrom: 500,
  saysHowLong: true,
  unusable: [
    'invalid_response',
    'Microsoft’s response to the sign-in cannot be used',
    'provider_answer_unreadable',
  ],
};
