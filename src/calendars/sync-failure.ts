import type { HealthReason } from './health-reason.ts';
import { ProviderError, type ProviderErrorKind } from './provider-error.ts';

/** The reason why an account or a calendar could not be synced, as stored and returned. */
export type SyncFailure = {
  readonly kind: ProviderErrorKind;
  readonly message: string;
  /** The exact cause, if known. */
  readonly reason?: HealthReason;
  /** The earliest time of the next attempt, epoch milliseconds. */
  readonly retryAt?: number;
  /** Consecutive failures, including this one. Undefined: one. */
  readonly failures?: number;
};

/** Returns the failure to store for an error. */
export function failureOfError(error: ProviderError, now: number): SyncFailure {
  const { kind, message, reason, retryAfter } = error;
  return {
    kind,
    message,
    ...(reason === undefined ? {} : { reason }),
    ...(retryAfter === undefined ? {} : { retryAt: now + retryAfter }),
  };
}

/** Returns the error to throw instead of sending a request, while a stored failure applies. */
export function errorOfFailure({ kind, message, reason, retryAt }: SyncFailure, now: number): ProviderError {
  return new ProviderError(kind, message, {
    notSent: true,
    ...(reason === undefined ? {} : { reason }),
    ...(retryAt === undefined || retryAt <= now ? {} : { retryAfter: retryAt - now }),
  });
}
