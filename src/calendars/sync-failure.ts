import type { ProviderErrorKind } from './provider-error.ts';

/** Why an account or a calendar could not be brought up to date, as it is kept and told. */
export type SyncFailure = {
  readonly kind: ProviderErrorKind;
  /** Public: names what happened. */
  readonly message: string;
  /** Epoch milliseconds before which the provider does not want to be asked again. */
  readonly retryAt?: number;
};
