/** Maps refused PUT and DELETE requests to errors: RFC 4791 §5.3.2.1, RFC 6638 §3.2.4 and plain HTTP. */
import {
  ProviderError,
  UnsupportedByProvider,
  type UnsupportedReason,
} from '../../../calendars/provider-error.ts';
import type { EgressResponse } from '../../../lib/egress/egress.ts';
import { errorText, toDavError } from './dav-client.ts';
import { conditionsIn } from './multistatus.ts';
import { listHrefs } from './xml.ts';

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
