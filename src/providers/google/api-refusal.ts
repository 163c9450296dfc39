/** Maps errors of the Calendar API to their meaning: who can fix it, and when to retry. */
import { type ProviderError, UnsupportedByProvider } from '../../calendars/provider-error.ts';
import type { EgressResponse } from '../../lib/egress/egress.ts';
import { jsonIn } from '../../lib/json.ts';
import { parseRetryAfter } from '../../lib/retry-after.ts';
import { readMember, text } from '../json-value.ts';
import { type Meaning, meaningsBy, refusalWith, unreadableAnswer } from '../meaning.ts';

const APP_LIMIT: Meaning = ['rate_limited', 'Google asks this app to wait', 'quota_exhausted'];
const EVENT_DELETED: Meaning = ['not_found', 'Google no longer has this event'];

/** By Google's reason (`errors[].reason`, or that of an ErrorInfo), which is more precise than the status. */
const BY_REASON = meaningsBy<string>(
  [APP_LIMIT, ['rateLimitExceeded', 'RATE_LIMIT_EXCEEDED', 'dailyLimitExceeded']],
  [
    ['rate_limited', 'Google asks to wait for this user', 'user_quota_exhausted'],
    // `quotaExceeded` means "Calendar usage limits exceeded" by the user, and lasts for hours.
    ['userRateLimitExceeded', 'quotaExceeded'],
  ],
  [
    [
      'permission_missing',
      'The permission for calendars was not granted at Google',
      'calendar_permission_missing',
    ],
    ['insufficientPermissions', 'ACCESS_TOKEN_SCOPE_INSUFFICIENT'],
  ],
  [
    ['misconfigured', 'The Google Calendar API is not enabled for the provider app', 'provider_not_set_up'],
    ['accessNotConfigured', 'SERVICE_DISABLED'],
  ],
  [
    ['permission_missing', 'An administrator blocks this provider app at Google', 'admin_consent_required'],
    ['domainPolicy'],
  ],
  [['no_calendars', 'This Google account has no calendar'], ['notACalendarUser']],
);

/** Returns the error for an unsuccessful response to a request with `method`. */
export function toGoogleError(answer: EgressResponse, method: string): ProviderError | UnsupportedByProvider {
  const { status, body, url } = answer;
  // A proxy's error page has no reasons. Then only the status counts.
  const error = readMember(jsonIn(body.toString('utf8')), 'error');
  const reasons = parseReasons(error);
  const meaning = reasons.map((name) => BY_REASON.get(name)).find((meaning) => meaning !== undefined);
  const isWrite = method !== 'GET';
  const limit = meaning === undefined && isWrite ? toWriteLimit(status, reasons, error) : undefined;
  if (limit !== undefined) return limit;
  const isEventGone = (method === 'PATCH' || method === 'DELETE') && (status === 404 || status === 410);
  return refusalWith(meaning ?? (isEventGone ? EVENT_DELETED : chooseByStatus(status, url.searchParams)), {
    cause: new Error(`Google answered ${status} ${reasons.join(' ')}`.trim()),
    retryAfter: parseRetryAfter((name) => answer.header(name)),
  });
}

/** A change that Google does not accept for events of this type, such as "birthday". */
export class EventTypeRestriction extends UnsupportedByProvider {
  constructor(kind: string | null = null) {
    const ofKind = kind === null ? 'of its kind' : `of the kind "${kind}"`;
    super('field_not_supported_by_provider', `Google does not accept this change of an event ${ofKind}`);
  }
}

/** Returns whether Google cannot do what was requested, as opposed to a failure at Google. */
export const isLimit = (refusal: Error): boolean => refusal instanceof UnsupportedByProvider;

/** Returns the error for a write that Google refuses permanently, by its reason. */
function toWriteLimit(
  status: number,
  reasons: readonly string[],
  error: unknown,
): UnsupportedByProvider | undefined {
  if (reasons.includes('forbiddenForNonOrganizer'))
    return new UnsupportedByProvider('organizer_only', 'Only the organizer of the event can change this');
  if (status === 403)
    return new UnsupportedByProvider('calendar_read_only', 'This user cannot change this at Google');
  if (status !== 400) return undefined;
  if (reasons.includes('eventTypeRestriction')) return new EventTypeRestriction();
  const explanation = text(readMember(error, 'message'))?.slice(0, 200).toWellFormed();
  const message = `Google does not accept this${explanation === undefined ? '' : `: ${explanation}`}`;
  return /recurren/i.test(explanation ?? '')
    ? new UnsupportedByProvider('recurrence_not_supported_by_provider', message, 'recurrence')
    : new UnsupportedByProvider('field_not_supported_by_provider', message);
}

function chooseByStatus(status: number, query: URLSearchParams): Meaning {
  // Google seems to send 400 for an unreadable token, which no source confirms. A full listing shows whether that was
  // it.
  if (query.has('syncToken') && (status === 410 || status === 400))
    return ['sync_token_expired', 'Google no longer accepts the sync token'];
  if (status === 401) return ['unauthorized', 'Google no longer accepts this sign-in', 'access_revoked'];
  // A request without `maxResults` is no listing: 410 means a deleted event.
  if (status === 410 && !query.has('maxResults')) return EVENT_DELETED;
  // A calendar that is no longer shared with the user counts as absent.
  if (status === 403 || status === 404) return ['not_found', 'Google has no such calendar for this user'];
  if (status === 409 || status === 412) return ['precondition_failed', 'It was changed in the meantime'];
  if (status === 429) return APP_LIMIT;
  // 410: a page of a listing has expired. The listing starts again without it.
  if (status >= 500 || status === 410)
    return ['unavailable', 'Google Calendar has a server error', 'provider_unavailable'];
  return ['invalid_response', 'Google did not accept the request', 'provider_answer_unreadable'];
}

/** Returns the error for a successful response with an unusable body. */
export const unreadable = (message = 'Google’s response cannot be read'): ProviderError =>
  unreadableAnswer(message);

/** Parses `{error: {errors: [{reason}], details: [{reason}]}}`. Both lists and the body are optional. */
function parseReasons(error: unknown): string[] {
  const entries = [readMember(error, 'errors'), readMember(error, 'details')].flatMap((list): unknown[] =>
    Array.isArray(list) ? list : [],
  );
  return entries
    .map((entry) => readMember(entry, 'reason'))
    .filter((reason) => typeof reason === 'string')
    .filter((reason) => /^\w{1,60}$/.test(reason));
}
