/** What Microsoft's refusals of a sign-in or of a refresh token mean, and who can mend it. */
import {
  AuthorizationResponseError,
  OperationProcessingError,
  ResponseBodyError,
  UnsupportedOperationError,
} from 'oauth4webapi';

import type { HealthReason } from '../../calendars/health-reason.ts';
import { ProviderError, type ProviderErrorKind } from '../../calendars/provider-error.ts';
import { EgressError } from '../../lib/egress/egress-error.ts';
import { retryAfterOf } from '../../lib/retry-after.ts';
import { connectionFailure } from '../connection-failure.ts';

type Meaning = {
  readonly kind: ProviderErrorKind;
  readonly reason?: HealthReason;
  readonly message: string;
};

const REVOKED: Meaning = {
  kind: 'unauthorized',
  reason: 'access_revoked',
  message: 'Microsoft no longer accepts this sign-in: sign in again',
};
const SIGN_IN_AGAIN: Meaning = {
  kind: 'unauthorized',
  reason: 'reauthentication_demanded',
  message: 'Microsoft wants this user to sign in again',
};
const ADMINISTRATOR: Meaning = {
  kind: 'permission_missing',
  reason: 'admin_consent_required',
  message: "An administrator of the user's organisation must approve this application first",
};
const DECLINED: Meaning = { kind: 'access_denied', message: 'Access was declined at Microsoft' };
const APP_REFUSED: Meaning = {
  kind: 'misconfigured',
  reason: 'app_credentials_refused',
  message: 'Microsoft refuses the app that is set up here',
};
const SECRET_EXPIRED: Meaning = {
  kind: 'misconfigured',
  reason: 'app_secret_expired',
  message: 'The secret of the Microsoft app that is set up here has expired',
};
const LATER: Meaning = {
  kind: 'unavailable',
  reason: 'provider_unavailable',
  message: 'Microsoft cannot sign anybody in at the moment',
};
const UNREADABLE: Meaning = {
  kind: 'invalid_response',
  reason: 'provider_answer_unreadable',
  message: 'The answer of Microsoft to a sign-in cannot be used',
};

/** (k) By the number after AADSTS. */
const MEANINGS: ReadonlyMap<number, Meaning> = new Map<number, Meaning>([
  // The grant was withdrawn: password changed or reset, session revoked, account disabled or deleted.
  ...each(REVOKED, 50173, 50133, 50132, 50034, 50057, 50020, 700081),
  // Unused for too long, a second factor, a device or a place is asked for.
  ...each(SIGN_IN_AGAIN, 700082, 700084, 70008, 70000, 70043, 70044, 50055, 50058, 50072, 50074),
  ...each(SIGN_IN_AGAIN, 50076, 50078, 50079, 50089, 50097, 50158, 53000, 53001, 53003, 54005),
  ...each(ADMINISTRATOR, 65001, 90094, 90095, 90093),
  ...each(DECLINED, 65004),
  ...each(APP_REFUSED, 7000215, 7000216, 7000218, 700016, 7000112, 700025, 70001, 70011, 50011, 50194),
  ...each(APP_REFUSED, 90002, 500011, 9002313),
  ...each(SECRET_EXPIRED, 7000222),
  ...each(LATER, 90033, 90006, 90012, 90024, 50196),
]);

function each(meaning: Meaning, ...codes: readonly number[]): [number, Meaning][] {
  return codes.map((code) => [code, meaning]);
}

/** For codes that are not in the table: the word of RFC 6749 §4.1.2.1 and §5.2, or of OpenID Connect. */
const WORDS: ReadonlyMap<string, Meaning> = new Map([
  ['access_denied', DECLINED],
  ['invalid_grant', SIGN_IN_AGAIN],
  ['interaction_required', SIGN_IN_AGAIN],
  ['login_required', SIGN_IN_AGAIN],
  ['consent_required', ADMINISTRATOR],
  ['invalid_client', APP_REFUSED],
  ['unauthorized_client', APP_REFUSED],
  ['invalid_request', APP_REFUSED],
  ['invalid_scope', APP_REFUSED],
  ['invalid_resource', APP_REFUSED],
  ['unsupported_response_type', APP_REFUSED],
  ['temporarily_unavailable', LATER],
  ['server_error', LATER],
]);

/** The refusal a failure of a sign-in or a renewal is; what is none of Microsoft's doing stays as it is. */
export function signInFailure(failure: unknown): unknown {
  if (failure instanceof EgressError) return connectionFailure(failure);
  if (failure instanceof AuthorizationResponseError)
    return refusal(failure.error, failure.error_description, failure);
  if (failure instanceof ResponseBodyError) {
    const wait = retryAfterOf((name) => failure.response.headers.get(name) ?? undefined);
    if (failure.status === 429) return later('rate_limited', failure, wait);
    return refusal(failure.error, failure.error_description, failure);
  }
  if (failure instanceof OperationProcessingError && failure.cause instanceof Response) {
    const { status, headers } = failure.cause;
    const wait = retryAfterOf((name) => headers.get(name) ?? undefined);
    if (status === 429) return later('rate_limited', failure, wait);
    if (status >= 500) return later('unavailable', failure, wait);
  }
  if (failure instanceof OperationProcessingError || failure instanceof UnsupportedOperationError)
    return meant(UNREADABLE, failure);
  return failure;
}

function refusal(error: string, description: string | undefined, cause: Error): ProviderError {
  const code = Number(/AADSTS(\d+)/.exec(description ?? '')?.[1]);
  const meaning = MEANINGS.get(code) ?? WORDS.get(error) ?? UNREADABLE;
  // Microsoft's own text names the tenant, the app and the user: for the operator's log alone.
  return meant(meaning, new Error(`${error}: ${(description ?? '').slice(0, 500)}`, { cause }));
}

const meant = ({ kind, reason, message }: Meaning, cause: Error): ProviderError =>
  new ProviderError(kind, message, { cause, ...(reason === undefined ? {} : { reason }) });

function later(kind: 'rate_limited' | 'unavailable', cause: Error, wait: number | undefined): ProviderError {
  const retryAfter = wait === undefined ? {} : { retryAfter: wait };
  return new ProviderError(kind, LATER.message, { cause, reason: 'provider_unavailable', ...retryAfter });
}
