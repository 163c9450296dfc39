/** The one class of refusal adapters throw, whatever the provider answered. */
export type ProviderErrorKind =
  | 'unauthorized'
  | 'not_found'
  | 'precondition_failed'
  | 'sync_token_expired'
  | 'rate_limited'
  | 'unavailable'
  | 'forbidden_address'
  | 'no_calendars'
  | 'invalid_response';

export class ProviderError extends Error {
  readonly kind: ProviderErrorKind;
  /** Milliseconds the provider asked to wait, where it said so. */
  readonly retryAfter: number | undefined;

  /** `message` is public and names what happened, never an address with credentials; the rest is `cause`. */
  constructor(
    kind: ProviderErrorKind,
    message: string,
    options: { cause?: unknown; retryAfter?: number } = {},
  ) {
    super(message, { cause: options.cause });
    this.name = 'ProviderError';
    this.kind = kind;
    this.retryAfter = options.retryAfter;
  }
}
