/** Maps a failed sign-in, refresh or revocation to its error. */
import {
  AuthorizationResponseError,
  OperationProcessingError,
  ResponseBodyError,
  UnsupportedOperationError,
} from 'oauth4webapi';

import type { ProviderError } from '../../calendars/provider-error.ts';
import { EgressError } from '../../lib/egress/egress-error.ts';
import { parseRetryAfter } from '../../lib/retry-after.ts';
import { connectionFailure } from '../connection-failure.ts';
import { type Meaning, refusalWith } from '../meaning.ts';

export type SignInMeanings = {
  /** Returns the meaning of an `error` and its `error_description` (RFC 6749 §4.1.2.1, §5.2), if it is known. */
  readonly refused: (error: string, description: string) => Meaning | undefined;
  /** For status 429. */
  readonly tooMany: Meaning;
  readonly unavailable: Meaning;
  /** The lowest status that means `unavailable` if the response has no `error`. */
  readonly unavailableFrom: number;
  /** Whether Retry-After counts for `unavailable`. For 429 it always does. */
  readonly saysHowLong: boolean;
  /** For an unusable response, or one that fails a check: state, issuer, nonce, signature, times. */
  readonly unusable: Meaning;
};

/** Returns the error for a failure; an internal error is returned unchanged. */
export function mapSignInFailure(failure: unknown, meanings: SignInMeanings): unknown {
  if (failure instanceof EgressError) return connectionFailure(failure);
  if (failure instanceof AuthorizationResponseError) return toRefusedError(failure, meanings);
  if (failure instanceof ResponseBodyError)
    return failure.status === 429
      ? toRetryableError(failure, failure.response, meanings)
      : toRefusedError(failure, meanings);
  if (failure instanceof OperationProcessingError) {
    const { cause } = failure;
    if (cause instanceof Response && (cause.status === 429 || cause.status >= meanings.unavailableFrom))
      return toRetryableError(failure, cause, meanings);
  }
  const isUnusable =
    failure instanceof OperationProcessingError ||
    // A token or key of an unsupported kind, or one that WebCrypto cannot read.
    failure instanceof UnsupportedOperationError ||
    failure instanceof DOMException;
  return isUnusable ? refusalWith(meanings.unusable, { cause: failure }) : failure;
}

function toRefusedError(failure: AuthorizationResponseError | ResponseBodyError, meanings: SignInMeanings) {
  const { error, error_description: description = '' } = failure;
  // The provider's text may name the app and the user, so it goes only into the log.
  const cause = new Error(`${error}: ${description.slice(0, 500)}`, { cause: failure });
  return refusalWith(meanings.refused(error, description) ?? meanings.unusable, { cause });
}

function toRetryableError(
  cause: Error,
  { status, headers }: Response,
  { tooMany, unavailable, saysHowLong }: SignInMeanings,
): ProviderError {
  const retryAfter = parseRetryAfter((name) => headers.get(name) ?? undefined);
  if (status === 429) return refusalWith(tooMany, { cause, retryAfter });
  return refusalWith(unavailable, { cause, retryAfter: saysHowLong ? retryAfter : undefined });
}
