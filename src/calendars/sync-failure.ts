import type { HealthReason } from './health-reason.ts';
import { ProviderError, type ProviderErrorKind } from './provider-error.ts';

/** Why an account or a calendar could not be brought up to date, as it is kept and told. */
export type SyncFailure = {
  readonly kind: ProviderErrorKind;
  /** Public: names what happened. */
  readonly message: string;
  /** The exact cause where it is known. */
  readonly reason?: HealthReason;
  /** Epoch milliseconds before which the provider is not to be asked again. */
  readonly retryAt?: number;
  /** How often it has failed in a row, this time included; once when absent. */
  readonly failures?: number;
};

/** A provider's refusal in the words it is kept in. */
export function failureOfError(error: ProviderError, now: number): SyncFailure {
  const { kind, message, reason, retryAfter } = error;
  return {
    kind,
    message,
    ...(reason === undefined ? {} : { reason }),
    ...(retryAfter === undefined ? {} : { retryAt: now + retryAfter }),
  };
}

/** The refusal a kept failure stands for, for whoever asks while it still holds: the provider is not asked. */
export function errorOfFailure({ kind, message, reason, retryAt }: SyncFailure, now: number): ProviderError {
  return new ProviderError(kind, message, {
    notSent: true,
    ...(reason === undefined ? {} : { reason }),
    ...(retryAt === undefined || retryAt <= now ? {} : { retryAfter: retryAt - now }),
  });
}
