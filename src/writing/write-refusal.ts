/**
 * What a write failed of, as its caller is told (docs/wire.md 3.2): a status, a code, and when to try again.
 */

import { ProviderError, type ProviderErrorKind, UnsupportedByProvider } from '../calendars/provider-error.ts';
import { ApiError } from '../http/refusal.ts';
import type { MirroredAccount } from '../reading/event-reader.ts';

type RefusalAnswer = { readonly status: number; readonly code: string; readonly retryAfter?: number };

/** Never 401, which would make a published client spend a refresh for nothing. */
const ANSWERS: Readonly<Record<ProviderErrorKind, RefusalAnswer>> = {
  unauthorized: { status: 403, code: 'reauth_required' },
  access_denied: { status: 403, code: 'reauth_required' },
  permission_missing: { status: 403, code: 'calendar_permission_required' },
  misconfigured: { status: 503, code: 'provider_not_set_up', retryAfter: 300 },
  not_found: { status: 404, code: 'event_not_found' },
  precondition_failed: { status: 409, code: 'conflict', retryAfter: 1 },
  sync_token_expired: { status: 502, code: 'provider_error' },
  rate_limited: { status: 429, code: 'rate_limited', retryAfter: 30 },
  unavailable: { status: 503, code: 'provider_unavailable', retryAfter: 5 },
  forbidden_address: { status: 502, code: 'provider_error' },
  no_calendars: { status: 502, code: 'provider_error' },
  invalid_response: { status: 502, code: 'provider_error' },
  too_large: { status: 422, code: 'calendar_too_large' },
  set_aside: { status: 503, code: 'calendar_set_aside', retryAfter: 3_600 },
  busy: { status: 503, code: 'temporarily_unavailable', retryAfter: 5 },
};

const LONGEST_RETRY_S = 3_600;

/** 503 for what may well be done in a few seconds. */
export function tryAgain(code: string, message: string): ApiError {
  return new ApiError(503, code, { message, headers: { 'retry-after': '5' } });
}

/** The refusal that an adapter's failure stands for; anything else is answered as it is. */
export function refusalOf(reason: unknown, { provider, accountId }: MirroredAccount): unknown {
  if (reason instanceof UnsupportedByProvider) {
    const details = { [reason.field ?? 'provider']: [reason.message] };
    return new ApiError(422, reason.reason, { message: reason.message, details, cause: reason });
  }
  if (!(reason instanceof ProviderError)) return reason;
  const { status, code, retryAfter } = ANSWERS[reason.reason === 'internal_fault' ? 'busy' : reason.kind];
  const requested = reason.retryAfter === undefined ? undefined : Math.ceil(reason.retryAfter / 1000);
  const seconds =
    retryAfter === undefined ? undefined : Math.min(Math.max(requested ?? retryAfter, 1), LONGEST_RETRY_S);
  return new ApiError(status, code, {
    message: reason.message,
    ...(status === 502 ? { error: 'Bad Gateway' } : {}),
    ...(seconds === undefined ? {} : { headers: { 'retry-after': String(seconds) } }),
    ...(status === 403 ? { fields: { accounts: [{ provider, account: accountId }] } } : {}),
    cause: reason,
  });
}
