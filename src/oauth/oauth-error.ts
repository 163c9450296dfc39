/** Errors of `/token`, `/revoke` and `/par` (RFC 6749 §5.2, docs/wire.md O7). */
import { ANY_CALL, type ErrorRow, errorTable, Refusal, retryHeader } from '../http/refusal.ts';

export const AUTHORIZATION = errorTable({
  invalid_grant: {
    status: 400,
    message: 'Invalid authorization code',
    when: 'The code or the refresh token cannot be used. `error_description` gives the reason. For a code: `Invalid authorization code` (unknown or redeemed already), `Authorization code was redeemed already` (an opaque one; its grant has ended), `Authorization code expired` (older than ten minutes, or the code lifetime of the application), `Redirect URI mismatch`, or a `code_verifier` that does not match. For a refresh token: `Invalid refresh token` (unknown, rotated or revoked), `Refresh token expired` (older than the application allows). For both: `Client mismatch` (given to another application).',
    fix: 'A code works once: send the user to `/authorize` again. For a mismatch, send the registered redirect URI, character by character. Keep the newest refresh token, and let one process refresh at a time. If a response is lost, repeat the request: an application with a [replay window](operations.md#what-an-application-may-do) gets the same refresh token again; otherwise the user authorizes again.',
  },
  invalid_client: {
    status: 400,
    otherStatuses: [401],
    message: 'Client authentication failed',
    when: 'The application is unknown, or its secret or assertion is wrong. The status is 401 with HTTP Basic and at `/authorize`, otherwise 400.',
    fix: 'Compare the client id with the dashboard. If the secret is lost, create a new one there. For an assertion, the log event `client_refused` names the wrong claim; its audience is the issuer as one string.',
  },
  unauthorized_client: {
    status: 400,
    message: 'This application belongs to another issuer',
    when: 'The endpoint is that of another issuer: applications with the profile `fapi2` use the endpoints under `/fapi2`, all others those without this prefix. Or a public application requested `client_credentials` or an introspection.',
    fix: 'Configure the client with the issuer that `error_description` names. A public application uses the tokens of its users.',
  },
  invalid_scope: {
    status: 400,
    message: 'scope is not one of free-busy, read, read-write',
    when: 'The scope is not `free-busy`, `read` or `read-write`, or with `client_credentials` not `application`.',
    fix: 'Request one of these scopes.',
  },
  invalid_target: {
    status: 400,
    message: 'resource is not a resource of this server',
    when: 'The application has resource indicators, and `resource` is not the URL of this server (RFC 8707).',
    fix: 'Send the `issuer` of the metadata, character by character, or omit `resource`.',
  },
  invalid_request_uri: {
    status: 400,
    message: 'request_uri is unknown, was used already, or has expired',
    when: 'The pushed request is unknown, was used already, is older than 60 seconds, or belongs to another application.',
    fix: 'Push the request again with `/par`, and redirect the browser immediately.',
  },
  unsupported_grant_type: {
    status: 400,
    message: 'grant_type must be authorization_code or refresh_token',
    when: '`grant_type` is unknown, or it is `client_credentials` and the application has a client secret.',
    fix: 'Use `authorization_code` or `refresh_token`. An application with client authentication `private_key_jwt` can also use `client_credentials`.',
  },
  unsupported_response_type: {
    status: 400,
    message: 'response_type must be code',
    when: '`response_type` is not `code`.',
    fix: 'Send `code`, or omit the parameter.',
  },
  session_expired: {
    status: 400,
    message: 'The authorization has expired',
    when: 'Access was revoked before the code was redeemed, or the authorization request has expired.',
    fix: 'Send the user to `/authorize` again.',
  },
  link_expired: {
    status: 410,
    message: 'This reconnect link has expired, was used, or never existed',
    when: 'A browser opened a reconnect link that is older than seven days, was used, or whose account was disconnected.',
    fix: 'Create a new link with `POST /users/{user_id}/reconnect-links`.',
  },
  access_denied: {
    status: 302,
    message: 'The user did not connect a calendar',
    when: 'The user cancelled. The browser returns to the redirect URI with this value in `error`.',
    fix: 'Offer to connect again. Do not start the flow automatically.',
  },
});

export type OAuthErrorOptions = {
  /** Must be one of the row's `otherStatuses`. */
  readonly status?: number;
  /** `Retry-After` in whole seconds. */
  readonly retryAfter?: number;
  readonly headers?: Readonly<Record<string, string>>;
};

export class OAuthError extends Refusal {
  readonly code: string;
  readonly status: number;
  override readonly headers: Readonly<Record<string, string>>;

  /** `description` is public and names the broken rule. */
  constructor(row: ErrorRow, description = row.message, options: OAuthErrorOptions = {}) {
    super(description);
    this.name = 'OAuthError';
    this.code = row.code;
    this.status = options.status ?? row.status;
    this.headers = { ...retryHeader(options.retryAfter), ...options.headers };
  }

  /** `message` repeats the description: five published clients read only `message` (docs/wire.md 3.1). */
  get body() {
    return { error: this.code, error_description: this.message, message: this.message };
  }
}

export const invalidGrant = (description: string) => new OAuthError(AUTHORIZATION.invalid_grant, description);
export const invalidRequest = (description: string) => new OAuthError(ANY_CALL.invalid_request, description);
