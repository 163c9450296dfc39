/** Reads a calendar object resource (RFC 4791 §4.1): a master with its overrides, or a single event. */
import type { Attendee, CalendarEvent, EventResource, LeftOutResource } from '../../../calendars/event.ts';
import { ProviderError } from '../../../calendars/provider-error.ts';
import { endsInReturns } from '../../../lib/icalendar/content-line.ts';
import { ICalendarError } from '../../../lib/icalendar/icalendar-error.ts';
import { type ReadEvents, readICalendar } from '../../../lib/icalendar/parse-icalendar.ts';
import {
  type ResourceBudget,
  resourceBudget,
  spend,
  TooComplexError,
} from '../../../lib/icalendar/resource-budget.ts';
import type { VAttendee, VEvent } from '../../../lib/icalendar/v-event.ts';
import { toOriginalStart } from '../../../lib/recurrence/event-instant.ts';
import type { EventTime } from '../../../lib/recurrence/event-time.ts';
import { lastSegment, percentDecoded } from '../dav/href.ts';
import { findConference } from './conference.ts';
import { parseCustom } from './custom-text.ts';
import { exclusionBy, latestVersions, modifiedAt } from './event-versions.ts';

export type CalDavObject = {
  readonly href: string;
  readonly etag: string | undefined;
  readonly icalendar: string;
};

/**
 * Reads a resource. `unreadable` names its unreadable events. Fails as `invalid_response` if no event is left, and with
 * TooComplexError if the resource is over its budget (docs/security.md T13).
 */
export function parseEventResource({ href, etag, icalendar }: CalDavObject): EventResource {
  const budget = resourceBudget();
  const read = readable(icalendar, budget);
  const versions = latestVersions(read.events).map(({ event }) => event);
  if (versions.length === 0)
    throw new ProviderError('invalid_response', 'The calendar sent an event without a start');
  const master = versions.find(({ recurrenceId }) => recurrenceId === undefined);
  const readCustom = customReader(budget);
  return {
    href,
    etag,
    eventId: lastSegment(href) ?? href,
    events: versions.map((event) => toCalendarEvent(event, master, readCustom)),
    ...(read.unreadable.length > 0 && { unreadable: unreadableParts(read.unreadable) }),
    original: { icalendar: withCrlf(icalendar) },
  };
}

function unreadableParts([first = '', ...others]: readonly string[]): string {
  const rest = others.length === 0 ? '' : ` and ${others.length} other${others.length === 1 ? '' : 's'}`;
  return `${first}${rest} cannot be read`;
}

export function leftOutResource(
  names: Pick<LeftOutResource, 'href' | 'etag' | 'eventId'>,
  failure: unknown,
): LeftOutResource {
  if (failure instanceof TooComplexError) return { kind: 'too_complex', ...names, reason: failure.message };
  return { kind: 'unreadable', ...names, reason: 'it has no readable start, or is not iCalendar' };
}

/**
 * Returns the text with CRLF line ends (RFC 5545 §3.1): a GET keeps CRLF, but XML turns it into LF. A bare CR within a
 * line stays, unless all lines end in CR.
 */
export function withCrlf(icalendar: string): string {
  const text = endsInReturns(icalendar) ? icalendar.replaceAll('\r', '\n') : icalendar;
  return text.replace(/\r?\n/g, '\r\n');
}

/** Overrides mostly repeat the custom data of their master: each text is read, and counts in the budget, once. */
function customReader(budget: ResourceBudget): (text: string | undefined) => CalendarEvent['custom'] {
  const customByUid = new Map<string, CalendarEvent['custom']>();
  return (text) => {
    if (text === undefined) return undefined;
    if (customByUid.has(text)) return customByUid.get(text);
    spend(budget, 'custom', text.length);
    const custom = parseCustom(text);
    customByUid.set(text, custom);
    return custom;
  };
}

function readable(icalendar: string, budget: ResourceBudget): ReadEvents {
  try {
    return readICalendar(icalendar, budget);
  } catch (error) {
    if (!(error instanceof ICalendarError) || error instanceof TooComplexError) throw error;
    throw new ProviderError('invalid_response', 'The calendar sent an event that cannot be read', {
      cause: error,
    });
  }
}

/** Returns one event by itself, without its custom data. */
export const toPlainEvent = (event: VEvent): CalendarEvent =>
  toCalendarEvent(event, undefined, () => undefined);

function toCalendarEvent(
  event: VEvent,
  master: VEvent | undefined,
  readCustom: ReturnType<typeof customReader>,
): CalendarEvent {
  const { summary, description, location, url, recurrence, recurrenceId, thisAndFuture } = event;
  const recurs = recurrenceId === undefined && isSeries(event);
  const conference = findConference(event);
  const custom = readCustom(event.custom);
  const color = toEventColor(event);
  const lastModified = modifiedAt(event);
  return {
    uid: event.uid,
    title: summary ?? '',
    start: event.start,
    end: event.end,
    ...(recurs && { recurrence }),
    ...(recurrenceId && { recurrenceId: matchType(master?.start, recurrenceId) }),
    ...(recurrenceId && thisAndFuture && { thisAndFuture }),
    status: toEventStatus(event),
    availability: toAvailability(event),
    privacy: toPrivacy(event),
    ...(description !== undefined && { description }),
    ...(location !== undefined && { location }),
    ...(color !== undefined && { color }),
    attendees: listAttendees(event),
    ...(conference !== undefined && { conference }),
    ...(url !== undefined && /^https?:\/\//i.test(url) && { link: url }),
    ...(custom !== undefined && { custom }),
    ...(lastModified !== undefined && { lastModified }),
  };
}

/** An event whose EXDATE names its start is a series too, without an occurrence. */
function isSeries({ start, recurrence }: VEvent): boolean {
  const { rrules, rdates, exdates } = recurrence;
  if (rrules.length + rdates.length > 0) return true;
  return exdates.length > 0 && exclusionBy({ start, recurrence })(start);
}

/** Floating times stay: only the calendar's zone, which is unknown here, relates them to others. */
function matchType(start: EventTime | undefined, recurrenceId: EventTime): EventTime {
  if (start === undefined || (start.type === 'floating') !== (recurrenceId.type === 'floating'))
    return recurrenceId;
  return toOriginalStart(start, recurrenceId, 'UTC');
}

function toEventStatus({ status }: VEvent): CalendarEvent['status'] {
  if (status === 'CANCELLED') return 'cancelled';
  return status === 'TENTATIVE' ? 'tentative' : 'confirmed';
}

/** Exchange has its own property beside TRANSP. Either can mark the time as free. */
function toAvailability({ status, transparency, busyStatus }: VEvent): CalendarEvent['availability'] {
  return status === 'CANCELLED' || transparency === 'TRANSPARENT' || busyStatus === 'FREE' ? 'free' : 'busy';
}

function toPrivacy({ classification }: VEvent): CalendarEvent['privacy'] {
  if (classification === 'CONFIDENTIAL') return 'confidential';
  // > Applications MUST treat x-name and iana-token values they don't recognize the same way as they would the
  // > PRIVATE value.
  return classification === undefined || classification === 'PUBLIC' ? 'public' : 'private';
}

/** Returns a CSS name as it is, and Apple's `#rrggbbaa` without its opacity. */
function toEventColor({ color }: VEvent): string | undefined {
  return color?.replace(/^(#[\da-f]{6})[\da-f]{2}$/i, '$1');
}

/**
 * Returns the attendees, each address once, without those that have no e-mail address. iCalendar keeps the organizer
 * outside the guest list; here the organizer is in it, marked (docs/wire.md 2.5).
 */
export function listAttendees({ organizer, attendees }: Pick<VEvent, 'organizer' | 'attendees'>): Attendee[] {
  const organizerEmail = organizer && readEmail(organizer);
  const byAddress = new Map<string, Attendee>();
  if (organizer !== undefined && organizerEmail !== undefined) {
    // An organizer attends, unless an entry of the guest list says otherwise.
    const organizerEntry: Attendee = {
      ...toAttendee(organizer, organizerEmail),
      status: 'accepted',
      organizer: true,
    };
    byAddress.set(organizerEmail.toLowerCase(), organizerEntry);
  }
  for (const attendee of attendees) {
    const email = readEmail(attendee);
    if (email === undefined) continue;
    const key = email.toLowerCase();
    const organizes = byAddress.get(key)?.organizer;
    if (byAddress.has(key) && organizes === undefined) continue;
    const entry = toAttendee(attendee, email);
    byAddress.set(
      key,
      organizes === undefined ? entry : { ...byAddress.get(key), ...entry, organizer: true },
    );
  }
  return [...byAddress.values()];
}

function toAttendee({ name, participation }: VAttendee, email: string): Attendee {
  return { email, ...(name?.trim() && { name: name.trim() }), status: toAttendeeStatus(participation) };
}

function toAttendeeStatus(participation: string | undefined): Attendee['status'] {
  if (participation === 'ACCEPTED') return 'accepted';
  if (participation === 'DECLINED') return 'declined';
  return participation === 'TENTATIVE' ? 'tentative' : 'none';
}

/** Longer addresses reach nobody (RFC 5321 §4.5.3.1.3), even if they are percent-encoded. */
const LONGEST_ADDRESS = 1000;

/** Rooms and principals have addresses of other kinds, sometimes with an EMAIL parameter. */
function readEmail({ address, email }: VAttendee): string | undefined {
  const candidates = [address, email ?? ''].map((text) => text.slice(0, LONGEST_ADDRESS));
  return candidates
    .map((candidate) => candidate.replace(/^mailto:/i, '').replace(/\?.*$/s, ''))
    .map((candidate) => percentDecoded(candidate.trim()))
    .find((candidate) => /^[^\s@<>:/]+@[^\s@<>:/]+$/.test(candidate));
}
