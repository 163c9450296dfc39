/** What it means when signing in, renewing or revoking fails, and who can mend it. */
import {
  AuthorizationResponseError,
  OperationProcessingError,
  ResponseBodyError,
  UnsupportedOperationError,
} from 'oauth4webapi';

import { ProviderError, type ProviderErrorKind } from '../../calendars/provider-error.ts';
import { EgressError } from '../../lib/egress/egress-error.ts';
import { retryAfterOf } from '../../lib/retry-after.ts';
import { connectionFailure } from '../connection-failure.ts';

/** RFC 6749 §5.2 and §4.1.2.1, and Google's own words. (k) Which of them Google sends when. */
const APP_REFUSED: readonly string[] = [
  'invalid_client',
  'unauthorized_client',
  'deleted_client',
  'disabled_client',
  'redirect_uri_mismatch',
  'invalid_scope',
  'unsupported_grant_type',
  'org_internal',
];
const LATER: readonly string[] = ['temporarily_unavailable', 'server_error', 'internal_failure'];
const USER_MUST_ACT: readonly string[] = [
  'invalid_grant',
  'interaction_required',
  'login_required',
  'consent_required',
  'account_selection_required',
];
/** A Workspace administrator does not let this app in. */
const ADMIN: readonly string[] = ['admin_policy_enforced', 'access_not_configured'];

/**
 * The refusal that a failure stands for; a fault of our own is answered as it is. `unauthorized` has no reason yet:
 * only the renewal of tokens knows it.
 */
export function signInFailure(failure: unknown): unknown {
  if (failure instanceof ProviderError) return failure;
  if (failure instanceof EgressError) return connectionFailure(failure);
  if (failure instanceof AuthorizationResponseError) return refused(failure.error, failure);
  if (failure instanceof ResponseBodyError) {
    const { error, status, response } = failure;
    if (status === 429) return tooMany(response, failure);
    return refused(error, failure);
  }
  if (failure instanceof OperationProcessingError) return unreadable(failure);
  // A token or a key of a kind that is not used here, or that WebCrypto cannot read.
  if (failure instanceof UnsupportedOperationError || failure instanceof DOMException)
    return outOfOrder('invalid_response', failure);
  return failure;
}

function refused(error: string, cause: Error): ProviderError {
  const options = { cause };
  if (error === 'access_denied')
    return new ProviderError('access_denied', 'Access to the Google account was not granted', options);
  if (APP_REFUSED.includes(error))
    return new ProviderError('misconfigured', 'Google refuses the app that is set up here', {
      ...options,
      reason: 'app_credentials_refused',
    });
  if (ADMIN.includes(error))
    return new ProviderError('permission_missing', 'An administrator does not let this app in at Google', {
      ...options,
      reason: 'admin_consent_required',
    });
  if (USER_MUST_ACT.includes(error))
    return new ProviderError('unauthorized', 'Google no longer accepts this sign-in', options);
  if (LATER.includes(error)) return outOfOrder('unavailable', cause);
  return outOfOrder('invalid_response', cause);
}

/** An answer that is none: of a broken server, or one that fails what is checked (state, issuer, nonce, signature). */
function unreadable(failure: OperationProcessingError): ProviderError {
  const response = failure.cause instanceof Response ? failure.cause : undefined;
  if (response === undefined || response.status < 429) return outOfOrder('invalid_response', failure);
  return response.status === 429 ? tooMany(response, failure) : outOfOrder('unavailable', failure);
}

function outOfOrder(kind: ProviderErrorKind & ('unavailable' | 'invalid_response'), cause: Error) {
  return kind === 'unavailable'
    ? new ProviderError(kind, 'Google cannot sign users in at the moment', {
        cause,
        reason: 'provider_unavailable',
      })
    : new ProviderError(kind, 'Google’s answer to the sign-in cannot be used', {
        cause,
        reason: 'provider_answer_unreadable',
      });
}

function tooMany(response: Response, cause: Error): ProviderError {
  const retryAfter = retryAfterOf((name) => response.headers.get(name) ?? undefined);
  return new ProviderError('rate_limited', 'Google asks to wait before signing in again', {
    cause,
    reason: 'quota_exhausted',
    ...(retryAfter === undefined ? {} : { retryAfter }),
  });
}
