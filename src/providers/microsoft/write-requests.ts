/** Sends writes to a calendar. If Outlook cannot store something, they fail with the reason. */
import type { Calendar as GraphCalendar, Event as GraphEvent } from '@microsoft/microsoft-graph-types';
import {
  ProviderError,
  UnsupportedByProvider,
  type UnsupportedReason,
} from '../../calendars/provider-error.ts';
import type { JsonObject } from '../bearer-api.ts';
import type { GraphWrite } from './api.ts';
import { findGraphCode, findGraphStatus } from './api-refusal.ts';
import type { Current } from './current-event.ts';
import { CALENDAR_QUERY } from './event-queries.ts';
import { eventUrl, type Source } from './read-events.ts';

type Limit = readonly [reason: UnsupportedReason, message: string, field?: string];

/** The limits by Exchange's own codes. No source confirms which of them Graph sends when. */
const LIMITS: ReadonlyMap<string, Limit> = new Map([
  [
    'erroroccurrencecrossingboundary',
    [
      'mode_not_supported_by_provider',
      'Outlook keeps the occurrences of a series in order, each on its own day: this one cannot be moved to or past its neighbor',
      'start',
    ],
  ],
  [
    'erroroccurrencetimespantoobig',
    ['recurrence_not_supported_by_provider', 'In Outlook an occurrence ends before the next starts', 'end'],
  ],
  [
    'errorrecurrencehasnooccurrence',
    ['recurrence_not_supported_by_provider', 'The rule has no occurrence', 'recurrence'],
  ],
  [
    'errorcalendardurationistoolong',
    ['field_not_supported_by_provider', 'An Outlook event cannot be longer than five years', 'end'],
  ],
  [
    'errorinvalidrecipients',
    ['field_not_supported_by_provider', 'Outlook refuses the address of an attendee', 'attendees'],
  ],
  [
    'timezonenotsupportedexception',
    ['field_not_supported_by_provider', 'Outlook does not know this time zone', 'timeZone'],
  ],
]);

/** Sends a write. Fails with ProviderError, or with UnsupportedByProvider if that gives the reason. */
export async function writeTo(source: Source, request: GraphWrite): Promise<JsonObject | undefined> {
  try {
    return await source.graph.write(request);
  } catch (failure) {
    const limit = LIMITS.get(findGraphCode(failure)?.toLowerCase() ?? '');
    if (limit !== undefined) throw new UnsupportedByProvider(...limit);
    if (isPermanentRefusal(failure)) {
      const message = 'Outlook does not accept the event with this change';
      throw new UnsupportedByProvider('field_not_supported_by_provider', message);
    }
    const isForbidden = failure instanceof ProviderError && failure.kind === 'permission_missing';
    if (isForbidden && (await readCalendarFacts(source)).canEdit === false)
      throw new UnsupportedByProvider('calendar_read_only', 'This calendar is read-only');
    throw failure;
  }
}

/** Returns whether Graph refuses the request permanently, as invalid or too long, for no known reason. */
function isPermanentRefusal(failure: unknown): boolean {
  const status = findGraphStatus(failure);
  const isOther = failure instanceof ProviderError && failure.kind === 'invalid_response';
  return isOther && (status === 400 || status === 413);
}

/** Changes an event or occurrence in exactly this version. Sends nothing if the body is empty. */
export async function patchEvent(source: Source, { id, ifMatch }: Current, body: GraphEvent): Promise<void> {
  if (Object.keys(body).length === 0) return;
  const request = { operation: 'events.update', method: 'PATCH', url: eventUrl(source, id) } as const;
  await writeTo(source, { ...request, body, ifMatch });
}

/** Reads the properties of the calendar that a write depends on. */
export const readCalendarFacts = async ({ graph, url }: Source): Promise<GraphCalendar> =>
  graph.get({ operation: 'calendars.get', url: `${url}?${CALENDAR_QUERY}` });
