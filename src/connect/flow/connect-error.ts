/** Errors of the Connect pages. People get a page, programs the body of the token endpoint (docs/wire.md 3.1). */
import type { ProviderKind } from '../../calendars/provider-facts.ts';
import { type ANY_CALL, Refusal, retryHeader } from '../../http/refusal.ts';
import type { SERVER } from '../../http/server-error.ts';
import type { AUTHORIZATION } from '../../oauth/oauth-error.ts';
import type { MessageKey } from '../messages/messages.ts';
import { type AuthorizationRequest, isReconnectLink } from './authorization-request-store.ts';
import { selectionPath, signInPath } from './paths.ts';

type Wording = {
  /** Default: 400. */
  readonly status?: number;
  /** The code for programs. Default: `invalid_request`. */
  readonly error?: keyof typeof ANY_CALL | keyof typeof SERVER | keyof typeof AUTHORIZATION;
  readonly title: MessageKey;
  readonly message: MessageKey;
  /** English, for programs. `ConnectErrorContext` can replace it. */
  readonly description: string;
};

const WORDINGS = {
  client_unknown: {
    status: 401,
    error: 'invalid_client',
    title: 'error.link.title',
    message: 'error.client_unknown',
    description: 'client_id is missing or names no application',
  },
  another_issuer: {
    error: 'unauthorized_client',
    title: 'error.link.title',
    message: 'error.push_required',
    description: 'This application belongs to another issuer',
  },
  parameter_missing: {
    title: 'error.link.title',
    message: 'error.parameter_missing',
    description: 'A required parameter is missing',
  },
  parameter_invalid: {
    title: 'error.link.title',
    message: 'error.parameter_invalid',
    description: 'A parameter cannot be used',
  },
  scope_unknown: {
    error: 'invalid_scope',
    title: 'error.link.title',
    message: 'error.scope_unknown',
    description: 'scope is unknown',
  },
  target_unknown: {
    error: 'invalid_target',
    title: 'error.link.title',
    message: 'error.parameter_invalid',
    description: 'resource is not a resource of this server',
  },
  request_uri_invalid: {
    error: 'invalid_request_uri',
    title: 'error.link.title',
    message: 'error.request_uri',
    description: 'request_uri is unknown, was used, or is older than its 60 seconds',
  },
  push_required: {
    title: 'error.link.title',
    message: 'error.push_required',
    description:
      'This application must push its requests to POST /par and send only client_id and request_uri',
  },
  response_type_unsupported: {
    error: 'unsupported_response_type',
    title: 'error.link.title',
    message: 'error.parameter_invalid',
    description: 'response_type must be code',
  },
  user_failed: {
    title: 'error.unexpected.title',
    message: 'error.user_failed',
    description: 'The user could not be created or retrieved',
  },
  session_expired: {
    error: 'session_expired',
    title: 'error.session.title',
    message: 'error.session_expired',
    description: 'The authorization request has expired or is not known to this browser',
  },
  finished: {
    error: 'session_expired',
    title: 'error.finished.title',
    message: 'error.finished',
    description: 'This authorization request has been answered already',
  },
  link_expired: {
    status: 410,
    error: 'link_expired',
    title: 'error.link_expired.title',
    message: 'error.link_expired',
    description: 'This reconnect link has expired, was used, or never existed',
  },
  another_account: {
    status: 403,
    error: 'access_denied',
    title: 'error.another_account.title',
    message: 'error.another_account',
    description: 'The sign-in was to another account than the one to reconnect; nothing was changed',
  },
  sign_in_cancelled: {
    status: 403,
    error: 'access_denied',
    title: 'error.provider.title',
    message: 'selection.just_cancelled',
    description: 'The user cancelled at the provider; nothing was changed',
  },
  calendars_not_allowed: {
    status: 403,
    error: 'access_denied',
    title: 'error.provider.title',
    message: 'error.calendars_not_allowed',
    description: 'The user signed in but did not allow access to calendars; nothing was changed',
  },
  foreign_form: {
    status: 403,
    title: 'error.unexpected.title',
    message: 'error.foreign_form',
    description: 'The form was not sent by a page of this authorization request',
  },
  not_offered: {
    status: 404,
    error: 'not_found',
    title: 'error.link.title',
    message: 'error.not_offered',
    description: 'This provider is not offered here',
  },
  sign_in_replaced: {
    error: 'session_expired',
    title: 'error.provider.title',
    message: 'error.sign_in_replaced',
    description:
      'This sign-in is not in progress: a later one replaced it, or it was started in another browser',
  },
  sign_in_failed: {
    title: 'error.provider.title',
    message: 'error.sign_in_failed',
    description: 'The sign-in at the provider could not be completed',
  },
  admin_consent: {
    status: 403,
    error: 'access_denied',
    title: 'error.admin.title',
    message: 'error.admin',
    description: 'An administrator of the organization must consent at the provider first',
  },
  provider_misconfigured: {
    status: 502,
    error: 'server_error',
    title: 'error.provider.title',
    message: 'error.provider_misconfigured',
    description: 'The provider rejects the provider app that Kalends uses to sign users in',
  },
  provider_unavailable: {
    status: 503,
    error: 'temporarily_unavailable',
    title: 'error.provider.title',
    message: 'error.provider_unavailable',
    description: 'The provider cannot be reached at the moment',
  },
  too_many_requests: {
    status: 429,
    error: 'temporarily_unavailable',
    title: 'error.limit.title',
    message: 'error.limit',
    description: 'Too many requests from this address',
  },
  unreadable: {
    title: 'error.unexpected.title',
    message: 'error.unreadable',
    description: 'The request cannot be read',
  },
  database_away: {
    status: 503,
    error: 'temporarily_unavailable',
    title: 'error.unexpected.title',
    message: 'error.unexpected',
    description: 'The data cannot be reached at the moment: try again in a few seconds',
  },
  unexpected: {
    status: 500,
    error: 'server_error',
    title: 'error.unexpected.title',
    message: 'error.unexpected',
    description: 'An unexpected error occurred',
  },
} as const satisfies Record<string, Wording>;

export type ConnectErrorKind = keyof typeof WORDINGS;

export type ConnectErrorContext = {
  readonly parameter?: string;
  /** English, for programs: the exact problem. */
  readonly description?: string;
  readonly request?: AuthorizationRequest;
  readonly provider?: ProviderKind;
  /** The path where the flow starts again or continues, if it is known. */
  readonly wayBack?: { readonly path: string; readonly label: 'start_again' | 'try_again' | 'back' };
  /** The previous page, if continuing leads elsewhere. */
  readonly back?: string;
  /** A page of the provider for the administrator of an organization. */
  readonly link?: string;
  /** Whole seconds until a retry makes sense. */
  readonly retryAfter?: number;
  /** Replaces the status of the kind. */
  readonly status?: number;
  readonly cause?: unknown;
};

/** Leads back to the accounts. A reconnect link shows none, so it leads to its sign-in again. */
export function backToAccounts(request: AuthorizationRequest): ConnectErrorContext {
  const [provider] = request.providers;
  if (!isReconnectLink(request) || provider === undefined)
    return { request, wayBack: { path: selectionPath(request), label: 'back' } };
  return { request, provider, wayBack: { path: signInPath(provider, request), label: 'try_again' } };
}

export class ConnectError extends Refusal {
  readonly kind: ConnectErrorKind;
  readonly status: number;
  readonly body: Readonly<Record<string, string>>;
  override readonly headers: Readonly<Record<string, string>>;
  readonly title: MessageKey;
  readonly text: MessageKey;
  readonly context: ConnectErrorContext;

  constructor(kind: ConnectErrorKind, context: ConnectErrorContext = {}) {
    const { status = 400, error = 'invalid_request', ...wording }: Wording = WORDINGS[kind];
    const description = context.description ?? wording.description;
    super(description, { cause: context.cause });
    this.name = 'ConnectError';
    this.kind = kind;
    this.status = context.status ?? status;
    this.title = wording.title;
    this.text = wording.message;
    this.context = context;
    this.body = { error, error_description: description, message: description };
    this.headers = retryHeader(context.retryAfter);
  }
}
