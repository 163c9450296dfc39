/** What of Graph's refusals is a limit of Outlook's, to be told with its reason. */
import type { Calendar as GraphCalendar } from '@microsoft/microsoft-graph-types';

import { ProviderError } from '../../calendars/provider-error.ts';
import { UnsupportedByProvider, type UnsupportedReason } from '../../calendars/unsupported.ts';
import { graphGet } from './api.ts';
import { codeOf } from './api-refusal.ts';
import { CALENDAR_QUERY } from './event-queries.ts';
import type { Source } from './read-events.ts';

type Limit = readonly [reason: UnsupportedReason, message: string, field?: string];

/** (k) By Exchange's own codes. */
const LIMITS: Readonly<Record<string, Limit>> = {
  erroroccurrencecrossingboundary: [
    'mode_not_supported_by_provider',
    'Outlook keeps the occurrences of a series in order, each on a day of its own: this one cannot be moved to or past its neighbour',
    'start',
  ],
  erroroccurrencetimespantoobig: [
    'recurrence_not_supported_by_provider',
    'In Outlook an occurrence ends before the next begins',
    'end',
  ],
  errorrecurrencehasnooccurrence: [
    'recurrence_not_supported_by_provider',
    'The rule has no occurrence',
    'recurrence',
  ],
  errorcalendardurationistoolong: [
    'field_not_supported_by_provider',
    'An event of Outlook is no longer than five years',
    'end',
  ],
  errorinvalidrecipients: [
    'field_not_supported_by_provider',
    'Outlook refuses the address of a guest',
    'attendees',
  ],
  timezonenotsupportedexception: [
    'field_not_supported_by_provider',
    'Outlook does not know this time zone',
    'timeZone',
  ],
};

/** Runs a write. Fails as `write` does, or with UnsupportedByProvider where that says why. */
export async function toldRefusal<T>(source: Source, write: () => Promise<T>): Promise<T> {
  try {
    return await write();
  } catch (failure) {
    const limit = LIMITS[codeOf(failure)?.toLowerCase() ?? ''];
    if (limit !== undefined) throw new UnsupportedByProvider(...limit);
    if (failure instanceof ProviderError && failure.kind === 'permission_missing' && !(await mayEdit(source)))
      throw new UnsupportedByProvider('calendar_read_only', 'This calendar can be read only');
    throw failure;
  }
}

const mayEdit = async (source: Source): Promise<boolean> => (await calendarFacts(source)).canEdit !== false;

/** What Graph says of the calendar itself. */
export const calendarFacts = async ({ graph, url }: Source): Promise<GraphCalendar> =>
  graphGet(graph, { operation: 'calendars.get', url: `${url}?${CALENDAR_QUERY}` });
