/**
 * Reads and writes calendar object resources on their server. Replacing and deleting affect only the version that was
 * read. The caller holds the calendar's lease, so no other instance writes in between.
 */
import {
  ProviderError,
  UnsupportedByProvider,
  type UnsupportedReason,
} from '../../../calendars/provider-error.ts';
import type { EgressResponse } from '../../../lib/egress/egress.ts';
import { comparableEtag } from '../../../lib/etag.ts';
import {
  bodyText,
  type DavCondition,
  type DavRequest,
  type DavSession,
  davRequest,
  errorText,
  toDavError,
} from './dav-client.ts';
import { conditionsIn } from './multistatus.ts';
import { isGone } from './status.ts';
import { listHrefs } from './xml.ts';

export type StoredObject = {
  readonly url: URL;
  readonly etag: string | undefined;
  readonly icalendar: string;
};

/** Returns `undefined` if there is no resource. */
export async function getObject(session: DavSession, url: URL): Promise<StoredObject | undefined> {
  const answer = await davRequest(session, url, { method: 'GET' });
  if (isGone(answer.status)) return undefined;
  if (answer.status !== 200) throw toDavError(answer);
  return { url, etag: answer.header('etag'), icalendar: bodyText(answer) };
}

export type Creation =
  | { readonly outcome: 'created'; readonly object: StoredObject }
  | { readonly outcome: 'exists' }
  /** The calendar has the UID elsewhere: at `href`, if the server names it. */
  | { readonly outcome: 'uid taken'; readonly href: string | undefined };

/** Puts a new resource, and never replaces one (RFC 4791 §5.3.2). */
export async function createObject(session: DavSession, url: URL, icalendar: string): Promise<Creation> {
  const condition = { 'if-none-match': '*' } as const;
  const answer = await davRequest(session, url, { method: 'PUT', body: icalendar, condition });
  if (isSuccess(answer))
    return { outcome: 'created', object: { url, etag: answer.header('etag'), icalendar } };
  const conflict = findUidConflict(answer);
  if (conflict !== undefined) return { outcome: 'uid taken', href: conflict.href };
  if (answer.status === 412) return { outcome: 'exists' };
  // Some servers send 409 instead of the 412 of RFC 9110.
  if (answer.status === 409 && (await getObject(session, url)) !== undefined) return { outcome: 'exists' };
  throw toWriteError(answer);
}

/** Replaces exactly `base`: fails as `precondition_failed` if it has changed, `not_found` if it is gone. */
export async function replaceObject(
  session: DavSession,
  base: StoredObject,
  icalendar: string,
): Promise<StoredObject> {
  const answer = await sendIfUnchanged(session, base, { method: 'PUT', body: icalendar });
  if (answer === undefined) throw new ProviderError('not_found', 'The event was deleted');
  if (!isSuccess(answer)) throw toWriteError(answer);
  return { url: base.url, etag: answer.header('etag'), icalendar };
}

/** Deletes exactly `base`; resolves if it is already gone. */
export async function deleteObject(session: DavSession, base: StoredObject): Promise<void> {
  const answer = await sendIfUnchanged(session, base, { method: 'DELETE' });
  if (answer !== undefined && !isGone(answer.status) && !isSuccess(answer)) throw toWriteError(answer);
}

/**
 * Sends the request with If-Match. Some servers refuse their own etags: weak ones equal none (RFC 9110 §8.8.3.2), and
 * proxies append to them. While the text is unchanged, it is sent again with the comparable etag, and finally without a
 * condition. `undefined` if the resource is gone.
 */
async function sendIfUnchanged(
  session: DavSession,
  base: StoredObject,
  request: DavRequest,
): Promise<EgressResponse | undefined> {
  for (const condition of conditionsFor(base.etag)) {
    const answer = await davRequest(session, base.url, { ...request, condition });
    if (answer.status !== 412 || condition === undefined) return answer;
    const current = await getObject(session, base.url);
    if (current === undefined) return undefined;
    if (current.icalendar !== base.icalendar) break;
  }
  throw new ProviderError('precondition_failed', 'The event was changed in the meantime');
}

function conditionsFor(etag: string | undefined): (DavCondition | undefined)[] {
  if (etag === undefined) return [undefined];
  const spellings = new Set([etag, `"${comparableEtag(etag)}"`]);
  return [...[...spellings].map((spelling) => ({ 'if-match': spelling })), undefined];
}

const isSuccess = ({ status }: EgressResponse): boolean => status >= 200 && status < 300;

type Limit = { readonly reason: UnsupportedReason; readonly message: string; readonly field?: string };

const NOT_ORGANIZER: Limit = {
  reason: 'organizer_only',
  message: 'Only the organizer can change this field of the event',
};

const LIMITS: Readonly<Record<string, Limit>> = {
  'allowed-attendee-scheduling-object-change': NOT_ORGANIZER,
  'organizer-allowed': NOT_ORGANIZER,
  'allowed-organizer-scheduling-object-change': NOT_ORGANIZER,
  'max-attendees-per-instance': {
    reason: 'field_not_supported_by_provider',
    message: 'The calendar accepts fewer attendees',
    field: 'attendees',
  },
  'max-instances': {
    reason: 'recurrence_not_supported_by_provider',
    message: 'The calendar does not accept a series with so many occurrences',
    field: 'recurrence',
  },
  'min-date-time': {
    reason: 'field_not_supported_by_provider',
    message: 'The calendar does not accept events this early',
    field: 'start',
  },
  'max-date-time': {
    reason: 'field_not_supported_by_provider',
    message: 'The calendar does not accept events this late',
    field: 'end',
  },
  'need-privileges': { reason: 'calendar_read_only', message: 'This calendar is read-only' },
};

/** Statuses with which servers refuse the content, not writing as such. */
const CONTENT_REFUSED: readonly number[] = [400, 413, 415, 422];

export function toWriteError(answer: EgressResponse): ProviderError | UnsupportedByProvider {
  const { status, url } = answer;
  const names = conditionNames(answer);
  const limit = names.map((name) => LIMITS[name]).find((limit) => limit !== undefined);
  if (limit !== undefined) return new UnsupportedByProvider(limit.reason, limit.message, limit.field);
  if (status === 409 && names.length === 0)
    return new ProviderError('not_found', `${url.hostname} has no such calendar`, { cause: toCause(answer) });
  if (CONTENT_REFUSED.includes(status) || ((status === 403 || status === 409) && names.length > 0)) {
    const why = names.join(', ') || `status ${status}`;
    return new UnsupportedByProvider(
      'field_not_supported_by_provider',
      `The calendar refuses this event: ${why}`,
    );
  }
  // The collection could be listed with the same password, so only writing is forbidden.
  if (status === 403 || status === 405)
    return new UnsupportedByProvider('calendar_read_only', 'This calendar is read-only');
  if (status === 423)
    return new ProviderError('unavailable', 'The event is locked', { cause: toCause(answer) });
  return toDavError(answer);
}

const toCause = ({ url, status }: EgressResponse): Error => new Error(`${url.pathname} returned ${status}`);

const conditionNames = (answer: EgressResponse): string[] =>
  conditionsIn(errorText(answer)).map(({ name }) => name.replace(/^\{[^}]*\}/, ''));

/** Returns a value if another resource has the UID (RFC 4791 §5.3.2.1), with its href if the server names it. */
export function findUidConflict(answer: EgressResponse): { readonly href: string | undefined } | undefined {
  if (answer.status !== 403 && answer.status !== 409 && answer.status !== 412) return undefined;
  const conflict = conditionsIn(errorText(answer)).find(({ name }) => name.endsWith('}no-uid-conflict'));
  return conflict && { href: listHrefs(conflict)[0] };
}
