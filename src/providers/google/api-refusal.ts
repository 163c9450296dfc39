/** What it means when the Calendar API does not answer, or answers no: who can mend it, and when to ask again. */
import type { HealthReason } from '../../calendars/health-reason.ts';
import { ProviderError, type ProviderErrorKind } from '../../calendars/provider-error.ts';
import { UnsupportedByProvider } from '../../calendars/unsupported.ts';
import type { EgressResponse } from '../../lib/egress/egress.ts';
import { jsonIn } from '../../lib/json.ts';
import { retryAfterOf } from '../../lib/retry-after.ts';

type Meaning = readonly [kind: ProviderErrorKind, message: string, reason?: HealthReason];

const PERMISSION: Meaning = [
  'permission_missing',
  'The permission for calendars was not granted at Google',
  'calendar_permission_missing',
];
const NOT_SWITCHED_ON: Meaning = [
  'misconfigured',
  'The Google Calendar API is not switched on for the app that is set up here',
  'provider_not_set_up',
];
const APP_LIMIT: Meaning = ['rate_limited', 'Google asks this app to wait', 'quota_exhausted'];
const USER_LIMIT: Meaning = ['rate_limited', 'Google asks to wait for this user', 'user_quota_exhausted'];

/** By Google's own reason (`errors[].reason`, or that of an ErrorInfo), which says more than the status. */
const BY_REASON: ReadonlyMap<string, Meaning> = new Map([
  ['rateLimitExceeded', APP_LIMIT],
  ['RATE_LIMIT_EXCEEDED', APP_LIMIT],
  ['dailyLimitExceeded', APP_LIMIT],
  ['userRateLimitExceeded', USER_LIMIT],
  // "Calendar usage limits exceeded": the user's, and for hours.
  ['quotaExceeded', USER_LIMIT],
  ['insufficientPermissions', PERMISSION],
  ['ACCESS_TOKEN_SCOPE_INSUFFICIENT', PERMISSION],
  ['accessNotConfigured', NOT_SWITCHED_ON],
  ['SERVICE_DISABLED', NOT_SWITCHED_ON],
  [
    'domainPolicy',
    ['permission_missing', 'An administrator does not let this app in at Google', 'admin_consent_required'],
  ],
  ['notACalendarUser', ['no_calendars', 'This Google account has no calendar']],
]);

/** What an answer that is no success means; `method` is what was asked. */
export function refusalOf(answer: EgressResponse, method: string): ProviderError | UnsupportedByProvider {
  const { status, body, url } = answer;
  const error = errorIn(body);
  const reasons = reasonsIn(error);
  const known = reasons.map((name) => BY_REASON.get(name)).find((meaning) => meaning !== undefined);
  if (known === undefined && method !== 'GET') {
    const limit = limitTold(status, reasons, memberOf(error, 'message'));
    if (limit !== undefined) return limit;
  }
  const ofEvent = (method === 'PATCH' || method === 'DELETE') && (status === 404 || status === 410);
  const [kind, message, reason] = known ?? (ofEvent ? EVENT_GONE : byStatus(status, url.searchParams));
  const retryAfter = retryAfterOf((name) => answer.header(name));
  return new ProviderError(kind, message, {
    cause: new Error(`Google answered ${status} ${reasons.join(' ')}`.trim()),
    ...(reason === undefined ? {} : { reason }),
    ...(retryAfter === undefined ? {} : { retryAfter }),
  });
}

const EVENT_GONE: Meaning = ['not_found', 'Google has no such event any more'];

/** What Google refuses to write for good, by its reason; another try would change nothing. */
function limitTold(
  status: number,
  reasons: readonly string[],
  message: unknown,
): UnsupportedByProvider | undefined {
  if (reasons.includes('forbiddenForNonOrganizer'))
    return new UnsupportedByProvider('organizer_only', 'Only the organizer of the event can change this');
  if (status === 403)
    return new UnsupportedByProvider('calendar_read_only', 'This user may not change that at Google');
  if (status !== 400) return undefined;
  const words = typeof message === 'string' ? message.slice(0, 200) : '';
  const told = `Google does not accept this${words === '' ? '' : `: ${words}`}`;
  return /recurren/i.test(words)
    ? new UnsupportedByProvider('recurrence_not_supported_by_provider', told, 'recurrence')
    : new UnsupportedByProvider('field_not_supported_by_provider', told);
}

function byStatus(status: number, asked: URLSearchParams): Meaning {
  // (k) A token that Google cannot read at all is a bad request to it: a full listing tells whether it was that.
  if (asked.has('syncToken') && (status === 410 || status === 400))
    return ['sync_token_expired', 'Google has forgotten what was synced before'];
  if (status === 401) return ['unauthorized', 'Google no longer accepts this sign-in', 'access_revoked'];
  // A listing is begun anew; whatever else is gone is an event.
  if (status === 410 && !asked.has('maxResults')) return EVENT_GONE;
  // What is no longer shared with the user is gone for us.
  if (status === 403 || status === 404) return ['not_found', 'Google has no such calendar for this user'];
  if (status === 409 || status === 412) return ['precondition_failed', 'It was changed meanwhile'];
  if (status === 429) return ['rate_limited', 'Google asks this app to wait', 'quota_exhausted'];
  // 410: of a page, which a listing begun anew does not need.
  if (status >= 500 || status === 410)
    return ['unavailable', 'Google Calendar is out of order', 'provider_unavailable'];
  return ['invalid_response', 'Google did not understand what it was asked', 'provider_answer_unreadable'];
}

/** An answer that says yes and cannot be used. */
export function unreadable(cause: unknown, message = 'Google’s answer cannot be read'): ProviderError {
  return new ProviderError('invalid_response', message, { cause, reason: 'provider_answer_unreadable' });
}

const BELOW: readonly string[] = ['errors', 'details'];

/** Nothing in a proxy's page: the status has to do. */
const errorIn = (body: Buffer): unknown => memberOf(jsonIn(body.toString('utf8')), 'error');

/** `{error: {errors: [{reason}], details: [{reason}]}}`; both lists are optional, and so is the body. */
function reasonsIn(error: unknown): string[] {
  const entries = BELOW.flatMap((list) => {
    const found = memberOf(error, list);
    return Array.isArray(found) ? found : [];
  });
  return entries
    .map((entry: unknown) => memberOf(entry, 'reason'))
    .filter((reason) => typeof reason === 'string')
    .filter((reason) => /^\w{1,60}$/.test(reason));
}

function memberOf(value: unknown, name: string): unknown {
  if (typeof value !== 'object' || value === null) return undefined;
  return Object.entries(value).find(([key]) => key === name)?.[1];
}
