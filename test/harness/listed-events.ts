/** A page of a listing with what its events say. */

import { eventPieces } from '../../src/reading/event-pieces.ts';
import type { EventReader } from '../../src/reading/event-reader.ts';
import type { ListedEvent } from '../../src/reading/event-text.ts';
import type { PageRequest } from '../../src/reading/expand-calendar.ts';
import { pageOfEvents } from '../../src/reading/page-of-events.ts';
import { openReadTurns } from '../../src/reading/read-turns.ts';

export type PageOptions = {
  /** How many bytes the calendars count as; large ones are read in pieces. */
  readonly bytes?: number;
};

/** `zones`: the time zones of the calendars that are read, by their keys. */
export async function pageFrom(
  reader: EventReader,
  request: PageRequest,
  zones: ReadonlyMap<string, string>,
  { bytes = 0 }: PageOptions = {},
) {
  const calendars = [...zones].map(([calendarKey, timeZone]) => ({ calendarKey, timeZone, bytes }));
  const user = { clientId: 'acme', userId: 'ada' };
  const { signal } = new AbortController();
  const deps = { events: reader, ...openReadTurns(1_000) };
  const page = await pageOfEvents(request, { user, calendars, signal }, deps);
  const events: ListedEvent[] = [];
  for await (const piece of eventPieces(page.events, { events: reader, zones, originals: true }))
    events.push(...piece);
  return { ...page, events };
}
