/** One user's calendars as an application reads them, in a form that is the same for every provider. */
import assert from 'node:assert/strict';

import type { ProviderKind } from '../../src/calendars/provider-facts.ts';
import { type CalendarServer, get } from '../harness/calendar-server.ts';

/** An event as GET /events gives it, without what names it and where it came from. */
export type ReadEvent = {
  readonly title: string;
  readonly start: string;
  readonly end: string;
  readonly allDay: boolean;
  /** An instance of a series. */
  readonly recurs: boolean;
  readonly status: string;
  readonly availability: string;
  readonly privacy: string;
  readonly attendees: readonly { email: string; name?: string; status: string; organizer?: boolean }[];
  readonly description?: string;
  readonly location?: string;
  readonly conference?: string;
};

export type ReadWindow = { readonly start: number; readonly end: number };
export type Problem = { readonly code: string; readonly reason?: string; readonly actor?: string };
export type Read = {
  readonly events: readonly (ReadEvent & { id: string })[];
  readonly problems: readonly Problem[];
};

/** A query for the events of one calendar. */
type EventQuery = {
  readonly kind: ProviderKind;
  readonly calendarId: string;
  readonly window: ReadWindow;
};

/** Every page of the listing. */
export async function readEvents(server: CalendarServer, token: string, request: EventQuery): Promise<Read> {
  const { kind, calendarId, window } = request;
  const query = new URLSearchParams({
    start: new Date(window.start).toISOString(),
    end: new Date(window.end).toISOString(),
    calendarIds: JSON.stringify({ [kind]: [calendarId] }),
    pageSize: '1000',
  });
  const events: Read['events'][number][] = [];
  const problems: Problem[] = [];
  for (;;) {
    const answer = await get(server, `/events?${query}`, token);
    const body = answer.json();
    // Without a list of problems it is a server that stops.
    if (answer.statusCode === 503) return { events, problems: body.errors ?? [{ code: 'stopping' }] };
    assert.equal(answer.statusCode, 200, answer.body);
    events.push(...body.events.map(readEvent));
    problems.push(...(body.errors ?? []));
    if (body.nextPageToken === undefined) return { events, problems };
    query.set('nextPageToken', body.nextPageToken);
  }
}

type Wire = Omit<ReadEvent, 'recurs'> & { readonly id: string; readonly recurringEventId?: string };

function readEvent(wire: Wire): ReadEvent & { id: string } {
  const { id, title, start, end, allDay, status, availability, privacy, attendees } = wire;
  const { description, location, conference } = wire;
  return {
    id,
    title,
    start,
    end,
    allDay,
    recurs: wire.recurringEventId !== undefined,
    status,
    availability,
    privacy,
    attendees,
    ...(description === undefined ? {} : { description }),
    ...(location === undefined ? {} : { location }),
    ...(conference === undefined ? {} : { conference }),
  };
}
