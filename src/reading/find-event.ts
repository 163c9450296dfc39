/** GET /event and GET /events/{id}: one event of the mirror, rendered like a listing (docs/wire.md 2.5). */

import { PROVIDER_KINDS } from '../calendars/provider-facts.ts';
import { type Input, oneOf, readQuery, required, text } from '../http/fields.ts';
import { ApiError } from '../http/refusal.ts';
import type { RenderedObject } from '../lib/rendered-json.ts';
import type { Grant } from '../oauth/grant.ts';
import type { MirroredAccount, ReadableCalendar } from './event-reader.ts';
import { textByScope } from './event-text.ts';
import { findById } from './events-by-id.ts';
import { QUERY } from './events-query.ts';
import {
  type CalendarChoice,
  FRESH_MS,
  freshAccounts,
  LIST_FRESH_MS,
  leftOutProblems,
  listSyncedCalendars,
  type ReadProblem,
} from './freshness.ts';
import type { ListEventsDeps } from './list-events.ts';
import { READING } from './read-error.ts';

const id = (doc: string, example?: string) => text({ allowsControls: true, doc, example });
const account = id('Required if two accounts have the calendar.');
const provider = (doc: string) => oneOf(PROVIDER_KINDS, { doc, example: 'google' });

export const EVENT_QUERY = {
  provider: required(provider('The provider of the calendar.')),
  calendarId: required(id('`primary`: the account’s main calendar.', 'ada@example.com')),
  eventId: required(id('The event, occurrence or series.', 'k3vd8u2q')),
  account,
};

/** The query that accompanies an id in the path. */
export const EVENT_BY_ID_QUERY = {
  provider: provider('Required if several calendars have an event with this id.'),
  calendarId: id('Likewise.', 'ada@example.com'),
  account,
};

export type EventRequest = Input<typeof EVENT_BY_ID_QUERY> & { readonly id: string };

/** Throws ApiError 400 with all mistakes. `id` is the id of the path. */
export function parseEventRequest(query: unknown, id?: string): EventRequest {
  if (id !== undefined) return { ...readQuery(query, EVENT_BY_ID_QUERY), id };
  const { eventId, ...rest } = readQuery(query, EVENT_QUERY);
  return { ...rest, id: eventId };
}

/**
 * Returns the event's JSON. Throws 404 `calendar_not_found` and `event_not_found`, 409 `ambiguous_event` if several
 * calendars have the id and the caller chose none, 422 like findById, and 403 or 503 like freshAccounts.
 */
export async function findEvent(
  request: EventRequest,
  grant: Grant,
  deps: ListEventsDeps,
): Promise<RenderedObject> {
  const choice: CalendarChoice = (calendar, account) => matchesRequest(calendar, account, request);
  const fresh = await freshAccounts(
    { reader: grant, needs: 'free-busy', listAge: LIST_FRESH_MS, eventAge: FRESH_MS, choice },
    deps,
  );
  const served = listSyncedCalendars(fresh.accounts, choice);
  if (served.length === 0 && request.calendarId !== undefined)
    throw new ApiError(READING.calendar_not_found, withErrors(fresh.problems));
  const zones = new Map(served.map(({ calendar }) => [calendar.calendarKey, calendar.timeZone]));
  const [event, ...others] = await findById(request.id, zones, deps.events);
  if (event === undefined) {
    const problems = [...fresh.problems, ...leftOutProblems(served, [])];
    throw new ApiError(READING.event_not_found, withErrors(problems));
  }
  if (others.length > 0) throw new ApiError(QUERY.ambiguous_event);
  const owner = served.find(({ calendar }) => calendar.calendarKey === event.calendarKey);
  if (owner === undefined) throw new Error('An event was found outside the calendars that were read');
  return textByScope(deps.pagingKey)(event, owner);
}

/** Returns fields of a 404: failed accounts and omitted parts, which may contain the event. */
const withErrors = (errors: readonly ReadProblem[]) => ({
  fields: errors.length > 0 ? { errors } : undefined,
});

function matchesRequest(
  { href, alias }: ReadableCalendar,
  { provider, accountId }: MirroredAccount,
  request: EventRequest,
): boolean {
  if (request.provider !== undefined && provider !== request.provider) return false;
  if (request.account !== undefined && accountId !== request.account) return false;
  return request.calendarId === undefined || [href, alias].includes(request.calendarId);
}
