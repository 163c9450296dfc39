import type { HealthReason } from './health-reason.ts';
import { ProviderError, type ProviderErrorKind } from './provider-error.ts';

/** Why an account or a calendar could not be synced, as it is stored and answered. */
export type SyncFailure = {
  readonly kind: ProviderErrorKind;
  /** Public: names what happened. */
  readonly message: string;
  /** The exact cause where it is known. */
  readonly reason?: HealthReason;
  /** When to try again at the earliest, epoch milliseconds. */
  readonly retryAt?: number;
  /** How often it has failed in a row, this time included; once when absent. */
  readonly failures?: number;
};

/** The failure to store for an error. */
export function failureOfError(error: ProviderError, now: number): SyncFailure {
  const { kind, message, reason, retryAfter } = error;
  return {
    kind,
    message,
    ...(reason === undefined ? {} : { reason }),
    ...(retryAfter === undefined ? {} : { retryAt: now + retryAfter }),
  };
}

/** The error to throw, in place of a request, while a stored failure holds. */
export function errorOfFailure({ kind, message, reason, retryAt }: SyncFailure, now: number): ProviderError {
  return new ProviderError(kind, message, {
    notSent: true,
    ...(reason === undefined ? {} : { reason }),
    ...(retryAt === undefined || retryAt <= now ? {} : { retryAfter: retryAt - now }),
  });
}
