/** Errors in the shapes Google gives them: of the APIs, of the OAuth endpoints, and as a page. */
import { html } from '../../src/http/html.ts';
import { DEAD_END, jsonAnswer, pageAnswer } from '../core/page-answer.ts';
import type { SandboxAnswer } from '../core/sandbox-server.ts';

export type GoogleError = {
  readonly status: number;
  readonly reason?: string;
  readonly message?: string;
  readonly operation: string;
};

/** By the operation, which shape it is. */
export function googleErrorAnswer(error: GoogleError): SandboxAnswer {
  if (error.operation === 'auth') return errorPage(error);
  if (['token', 'revoke', 'userinfo'].includes(error.operation)) return oauthError(error);
  return apiError(error);
}

/** RFC 6749 §5.2. */
function oauthError({
  status,
  reason = REASONS[status] ?? 'internal_failure',
  message,
}: GoogleError): SandboxAnswer {
  const headers = status === 401 && reason === 'invalid_token' ? BEARER : {};
  // Faults of the whole provider are named as its APIs name them.
  const error = reason.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);
  return jsonAnswer(status, { error, error_description: message ?? MESSAGES[reason] ?? reason }, headers);
}

const BEARER = { 'www-authenticate': 'Bearer realm="https://accounts.google.com/", error="invalid_token"' };

function errorPage({
  status,
  reason = 'invalid_request',
  message = MESSAGES[reason] ?? reason,
}: GoogleError) {
  return pageAnswer(status, {
    provider: 'Google',
    title: status >= 500 ? 'Something went wrong' : 'Access blocked: Authorization Error',
    content: html`<p>${message}</p><p class="quiet">Error ${status}: ${reason}</p>${DEAD_END}`,
  });
}

function apiError({
  status,
  reason = REASONS[status] ?? 'backendError',
  message,
}: GoogleError): SandboxAnswer {
  const text = message ?? MESSAGES[reason] ?? reason;
  const domain = DOMAINS[reason] ?? 'global';
  const location = LOCATIONS[reason];
  const errors = [{ domain, reason, message: text, ...location }];
  const headers = status === 401 ? BEARER : {};
  return jsonAnswer(status, { error: { errors, code: status, message: text } }, headers);
}

/** The reason that comes with a status when no other is asked for. */
const REASONS: Readonly<Record<number, string>> = {
  400: 'badRequest',
  401: 'authError',
  403: 'forbidden',
  404: 'notFound',
  409: 'duplicate',
  410: 'fullSyncRequired',
  412: 'conditionNotMet',
  429: 'rateLimitExceeded',
  500: 'backendError',
  503: 'backendError',
};

const MESSAGES: Readonly<Record<string, string>> = {
  authError: 'Invalid Credentials',
  badRequest: 'Bad Request',
  forbidden: 'Forbidden',
  forbiddenForNonOrganizer: 'Shared properties can only be changed by the organizer of the event.',
  notFound: 'Not Found',
  fullSyncRequired: 'Sync token is no longer valid, a full sync is required.',
  insufficientPermissions: 'Insufficient Permission: Request had insufficient authentication scopes.',
  rateLimitExceeded: 'Rate Limit Exceeded',
  userRateLimitExceeded: 'User Rate Limit Exceeded',
  quotaExceeded: 'Calendar usage limits exceeded.',
  dailyLimitExceeded: 'Daily Limit Exceeded',
  accessNotConfigured: 'Google Calendar API has not been used in this project before or it is disabled.',
  backendError: 'Backend Error',
  invalid_client: 'The OAuth client was not found.',
  invalid_grant: 'Token has been expired or revoked.',
  unauthorized_client: 'Unauthorized',
  invalid_token: 'Invalid Value',
  admin_policy_enforced: 'This app is blocked by an administrator of your organization.',
};

const DOMAINS: Readonly<Record<string, string>> = {
  rateLimitExceeded: 'usageLimits',
  userRateLimitExceeded: 'usageLimits',
  quotaExceeded: 'usageLimits',
  dailyLimitExceeded: 'usageLimits',
  accessNotConfigured: 'usageLimits',
  fullSyncRequired: 'calendar',
  requiredAccessLevel: 'calendar',
  forbiddenForNonOrganizer: 'calendar',
  timeRangeEmpty: 'calendar',
};

const LOCATIONS: Readonly<Record<string, { readonly locationType: string; readonly location: string }>> = {
  authError: { locationType: 'header', location: 'Authorization' },
  conditionNotMet: { locationType: 'header', location: 'If-Match' },
  fullSyncRequired: { locationType: 'parameter', location: 'syncToken' },
};
