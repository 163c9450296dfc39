/** Refusals of the token and revocation endpoints (RFC 6749 §5.2, docs/wire.md O7). */
import { Refusal } from '../http/refusal.ts';

export type OAuthErrorCode =
  | 'invalid_request'
  | 'invalid_client'
  | 'invalid_grant'
  | 'invalid_request_uri'
  | 'invalid_scope'
  | 'unsupported_grant_type'
  | 'unsupported_response_type'
  | 'session_expired'
  | 'temporarily_unavailable';

export type OAuthErrorOptions = {
  readonly status?: number;
  readonly headers?: Readonly<Record<string, string>>;
};

export class OAuthError extends Refusal {
  readonly code: OAuthErrorCode;
  readonly status: number;
  override readonly headers: Readonly<Record<string, string>>;

  /** `description` is public: which rule was broken. Status 400 unless said. */
  constructor(code: OAuthErrorCode, description: string, options: OAuthErrorOptions = {}) {
    super(description);
    this.name = 'OAuthError';
    this.code = code;
    this.status = options.status ?? 400;
    this.headers = options.headers ?? {};
  }

  /**
   * `message` repeats the description: five of the published clients read nothing else (docs/wire.md 3.1).
   */
  get body() {
    return { error: this.code, error_description: this.message, message: this.message };
  }
}

export const invalidGrant = (description: string) => new OAuthError('invalid_grant', description);
export const invalidRequest = (description: string) => new OAuthError('invalid_request', description);
