/** What a write answers (wire 2.5): the event's fields at the root with `success`, and the same event under `event`. */

import { ApiError } from '../http/api-error.ts';
import { eventText } from '../reading/event-text.ts';
import { eventsNamed } from '../reading/named-event.ts';
import type { ChosenCalendar } from './find-calendar.ts';
import type { KnownEvent } from './known-events.ts';
import type { WriteDeps } from './write-deps.ts';

/**
 * The event's JSON text from the mirror, as GET /event has it. A cancelled one, which no read shows, is rendered from
 * its own row. `undefined` when the mirror has none.
 */
export async function renderedEvent(
  id: string,
  { account, calendar }: ChosenCalendar,
  { events, knownEvents }: Pick<WriteDeps, 'events' | 'knownEvents'>,
): Promise<string | undefined> {
  const { calendarKey, timeZone } = calendar;
  const [event] = await eventsNamed(id, new Map([[calendarKey, timeZone]]), events);
  const toText = eventText();
  if (event !== undefined) return toText(event, calendar, account);
  const known = await knownEvents.findEvents(calendarKey, id);
  const own = known.find(({ eventId }) => eventId === id);
  return own && toText(cancelled(own, calendarKey), calendar, account);
}

function cancelled(
  { eventId: id, startsAt, content, original, etag, endsAt, event }: KnownEvent,
  calendarKey: string,
) {
  const listed = { calendarKey, id, startsAt, content, original, etag: etag ?? null };
  // The row of a single event has its id and times in its content, that of a master has not.
  if (content.startsWith('"id":')) return listed;
  return { ...listed, times: { start: startsAt, end: endsAt, allDay: event.start.type === 'date' } };
}

/** The body of an answer to a create or an update. */
export function writtenBody(event: string): string {
  return `{"success":true,${event.slice(1, -1)},"event":${event}}`;
}

/** The version an event is of, as answers tell it; `undefined` where its server gives none. */
export function versionOf(event: string): string | undefined {
  // Written by eventText.
  const { etag }: { readonly etag?: string } = JSON.parse(event);
  return etag;
}

/**
 * Throws 412 with the event as it is now when `ifMatch`, the value of an If-Match header (RFC 9110 §13.1.1), does not
 * name its version. Quotes and weakness are a matter of spelling: versions are compared without them.
 */
export function requireVersion(ifMatch: string | undefined, event: string): void {
  if (ifMatch === undefined || ifMatch.trim() === '*') return;
  const current = versionOf(event);
  const matches = current !== undefined && versionsIn(ifMatch).has(bare(current));
  if (!matches) throw changedMeanwhile(event);
}

/** 412 with the event as it is now. */
export function changedMeanwhile(event: string): ApiError {
  const current = versionOf(event);
  const message = 'The event was changed since the version that If-Match names; event is what it is now';
  return new ApiError(412, 'precondition_failed', {
    message,
    fields: { event: JSON.parse(event) },
    ...(current === undefined ? {} : { headers: { etag: asHeader(current) } }),
  });
}

const bare = (version: string): string => version.trim().replace(/^W\//i, '').replace(/^"|"$/g, '');

/** The whole value too: a version may have a comma in it. */
const versionsIn = (header: string): ReadonlySet<string> => new Set([header, ...header.split(',')].map(bare));

/** A header holds visible ASCII only. */
const asHeader = (version: string): string => `"${bare(version).replace(/[^\x21\x23-\x7e]/g, '')}"`;
