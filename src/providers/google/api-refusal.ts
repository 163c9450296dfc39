/** Maps errors of the Calendar API to their meaning: who can fix it, and when to retry. */
import { type ProviderError, UnsupportedByProvider } from '../../calendars/provider-error.ts';
import type { EgressResponse } from '../../lib/egress/egress.ts';
import { jsonIn } from '../../lib/rendered-json.ts';
import { retryAfterOf } from '../../lib/retry-after.ts';
import { memberOf, text } from '../json-value.ts';
import { type Meaning, meaningsBy, refusalWith, unreadableAnswer } from '../meaning.ts';

const APP_LIMIT: Meaning = ['rate_limited', 'Google asks this app to wait', 'quota_exhausted'];
const EVENT_GONE: Meaning = ['not_found', 'Google has no such event any more'];

/**
 * The meanings by Google's own reason (`errors[].reason`, or that of an ErrorInfo), which says more than the status.
 */
const BY_REASON = meaningsBy<string>(
  [APP_LIMIT, ['rateLimitExceeded', 'RATE_LIMIT_EXCEEDED', 'dailyLimitExceeded']],
  [
    ['rate_limited', 'Google asks to wait for this user', 'user_quota_exhausted'],
    // The second is "Calendar usage limits exceeded": the user's, and for hours.
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
    [
      'misconfigured',
      'The Google Calendar API is not switched on for the app that is set up here',
      'provider_not_set_up',
    ],
    ['accessNotConfigured', 'SERVICE_DISABLED'],
  ],
  [
    ['permission_missing', 'An administrator does not let this app in at Google', 'admin_consent_required'],
    ['domainPolicy'],
  ],
  [['no_calendars', 'This Google account has no calendar'], ['notACalendarUser']],
);

/** Returns the error for a response that is no success. `method` is that of the request. */
export function refusalOf(answer: EgressResponse, method: string): ProviderError | UnsupportedByProvider {
  const { status, body, url } = answer;
  // Nothing in a proxy's page: the status has to do.
  const error = memberOf(jsonIn(body.toString('utf8')), 'error');
  const reasons = reasonsIn(error);
  const meaning = reasons.map((name) => BY_REASON.get(name)).find((meaning) => meaning !== undefined);
  const isWrite = method !== 'GET';
  const limit = meaning === undefined && isWrite ? limitIn(status, reasons, error) : undefined;
  if (limit !== undefined) return limit;
  const isEventGone = (method === 'PATCH' || method === 'DELETE') && (status === 404 || status === 410);
  return refusalWith(meaning ?? (isEventGone ? EVENT_GONE : byStatus(status, url.searchParams)), {
    cause: new Error(`Google answered ${status} ${reasons.join(' ')}`.trim()),
    retryAfter: retryAfterOf((name) => answer.header(name)),
  });
}

/** The refusal of a change that Google does not take for an event of this kind, such as "birthday". */
export class EventTypeRestriction extends UnsupportedByProvider {
  constructor(kind: string | null = null) {
    const ofKind = kind === null ? 'of its kind' : `of the kind "${kind}"`;
    super('field_not_supported_by_provider', `Google does not accept this change of an event ${ofKind}`);
  }
}

/** Whether a refusal is a limit of what Google can keep, and no failure of Google's. */
export const isLimit = (refusal: Error): boolean => refusal instanceof UnsupportedByProvider;

/** Returns the error for a write that Google refuses permanently, by its reason. A retry would change nothing. */
function limitIn(
  status: number,
  reasons: readonly string[],
  error: unknown,
): UnsupportedByProvider | undefined {
  if (reasons.includes('forbiddenForNonOrganizer'))
    return new UnsupportedByProvider('organizer_only', 'Only the organizer of the event can change this');
  if (status === 403)
    return new UnsupportedByProvider('calendar_read_only', 'This user may not change that at Google');
  if (status !== 400) return undefined;
  if (reasons.includes('eventTypeRestriction')) return new EventTypeRestriction();
  const explanation = text(memberOf(error, 'message'))?.slice(0, 200);
  const message = `Google does not accept this${explanation === undefined ? '' : `: ${explanation}`}`;
  return /recurren/i.test(explanation ?? '')
    ? new UnsupportedByProvider('recurrence_not_supported_by_provider', message, 'recurrence')
    : new UnsupportedByProvider('field_not_supported_by_provider', message);
}

function byStatus(status: number, query: URLSearchParams): Meaning {
  // A token that Google cannot read at all seems to be a bad request to it, which no source confirms: a full listing
  // shows whether it was that.
  if (query.has('syncToken') && (status === 410 || status === 400))
    return ['sync_token_expired', 'Google has forgotten what was synced before'];
  if (status === 401) return ['unauthorized', 'Google no longer accepts this sign-in', 'access_revoked'];
  // A request without `maxResults` is no listing: 410 means a deleted event.
  if (status === 410 && !query.has('maxResults')) return EVENT_GONE;
  // A calendar that is no longer shared with the user does not exist for us.
  if (status === 403 || status === 404) return ['not_found', 'Google has no such calendar for this user'];
  if (status === 409 || status === 412) return ['precondition_failed', 'It was changed meanwhile'];
  if (status === 429) return APP_LIMIT;
  // 410: a page of a listing has expired. The listing starts again without it.
  if (status >= 500 || status === 410)
    return ['unavailable', 'Google Calendar is out of order', 'provider_unavailable'];
  return ['invalid_response', 'Google did not understand what it was asked', 'provider_answer_unreadable'];
}

/** The refusal for a success whose body cannot be used. */
export const unreadable = (message = 'Google’s answer cannot be read'): ProviderError =>
  unreadableAnswer(message);

/** `{error: {errors: [{reason}], details: [{reason}]}}`; both lists are optional, and so is the body. */
function reasonsIn(error: unknown): string[] {
  const entries = [memberOf(error, 'errors'), memberOf(error, 'details')].flatMap((list): unknown[] =>
    Array.isArray(list) ? list : [],
  );
  return entries
    .map((entry) => memberOf(entry, 'reason'))
    .filter((reason) => typeof reason === 'string')
    .filter((reason) => /^\w{1,60}$/.test(reason));
}
