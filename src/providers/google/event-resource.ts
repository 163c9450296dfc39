/**
 * Maps Google's events to resources. A master, a single event and an exception are separate events; an exception names
 * its master by `recurringEventId`. By `eventType`: working locations are left out, since they would fill every day;
 * absences and focus time are busy, birthdays free; events that Gmail found in e-mails are like any other.
 */
import type { calendar_v3 } from '@googleapis/calendar';
import type { CalendarEvent, EventResource, LeftOutResource } from '../../calendars/event.ts';
import { ICalendarError } from '../../lib/icalendar/icalendar-error.ts';
import { parseRecurrence } from '../../lib/icalendar/recurrence-lines.ts';
import { TooComplexError } from '../../lib/icalendar/resource-budget.ts';
import { DAY } from '../../lib/recurrence/civil.ts';
import {
  movedEnd,
  parseInstanceId,
  resolveClockZone,
  timeLike,
  toInstant,
  toLocalMs,
} from '../../lib/recurrence/event-instant.ts';
import type { EventTime, Recurrence } from '../../lib/recurrence/event-time.ts';
import { isObject, text, texts, withoutUndefined } from '../json-value.ts';
import { readOwnResponse, toAttendees } from './attendees.ts';
import { findConferenceLink } from './conference.ts';
import { parseCustom } from './custom-fields.ts';
import { toHexColor } from './event-colors.ts';
import { parseDateTime, parseExactTime, parseGoogleTime } from './event-times.ts';
import { toPrivacy } from './privacy.ts';

type GoogleEvent = calendar_v3.Schema$Event;

/** Returns whether the event is a master, which has the rules of its series. */
export const isSeries = ({ recurrence }: GoogleEvent): boolean => (recurrence ?? []).length > 0;

/** An event of a listing, as the mirror stores it. */
export type ListedEvent =
  | { readonly is: 'resource'; readonly resource: EventResource }
  | { readonly is: 'gone'; readonly href: string }
  | { readonly is: 'left out' }
  /** Over the budget of a resource; or unreadable: no id (then `href` is empty), no time, or broken rules. */
  | { readonly is: 'too complex' | 'unreadable'; readonly resource: LeftOutResource };

/** Parses one event; a bad one does not affect the others. `calendarZone` is for times without a zone. */
export function listedEvent(event: GoogleEvent, calendarZone: string): ListedEvent {
  try {
    return readEvent(event, calendarZone);
  } catch (error) {
    if (error instanceof TooComplexError)
      return { is: 'too complex', resource: toLeftOut(event, 'too_complex', error.message) };
    if (error instanceof ICalendarError) return toUnreadable(event, 'it has rules that cannot be read');
    throw error;
  }
}

function toLeftOut(event: GoogleEvent, kind: LeftOutResource['kind'], reason: string): LeftOutResource {
  const seriesId = text(event.recurringEventId);
  const names = { href: text(event.id) ?? '', etag: text(event.etag) };
  return { kind, ...names, reason, ...(seriesId === undefined ? {} : { seriesId }) };
}

const toUnreadable = (event: GoogleEvent, reason: string): ListedEvent => ({
  is: 'unreadable',
  resource: toLeftOut(event, 'unreadable', reason),
});

function readEvent(event: GoogleEvent, calendarZone: string): ListedEvent {
  const href = text(event.id);
  const seriesId = text(event.recurringEventId);
  if (href === undefined) return toUnreadable(event, 'it has no id');
  if (event.eventType === 'workingLocation') return { is: 'left out' };
  if (event.status === 'cancelled' && seriesId === undefined) return { is: 'gone', href };
  const calendarEvent =
    seriesId === undefined ? toEvent(event, calendarZone) : toException(event, calendarZone);
  if (calendarEvent === undefined) return toUnreadable(event, 'it has no readable time');
  const resource: EventResource = {
    href,
    etag: text(event.etag),
    eventId: href,
    ...(seriesId === undefined ? {} : { seriesId }),
    events: [calendarEvent],
    original: { ...event },
  };
  return { is: 'resource', resource };
}

function toEvent(event: GoogleEvent, calendarZone: string): CalendarEvent | undefined {
  const placed = parseGoogleTime(event.start, calendarZone);
  if (placed === undefined) return undefined;
  const recurrence = toRecurrence(event, placed, calendarZone);
  const exact = parseExactTime(event.start, calendarZone) ?? placed;
  const start = recurrence === undefined ? exact : placed;
  return {
    uid: chooseUid(event),
    start,
    end: movedEnd(chooseEnd(exact, parseExactTime(event.end, calendarZone)), exact, start),
    ...(recurrence === undefined ? {} : { recurrence }),
    status: toEventStatus(event),
    ...toEventFields(event),
  };
}

/** > Cancelled exceptions are only guaranteed to have values for the id, recurringEventId and originalStartTime */
function toException(event: GoogleEvent, calendarZone: string): CalendarEvent | undefined {
  const recurrenceId =
    parseGoogleTime(event.originalStartTime, calendarZone) ??
    parseInstanceId(text(event.id) ?? '')?.originalStart;
  if (recurrenceId === undefined) return undefined;
  const status = toEventStatus(event);
  const start =
    parseExactTime(event.start, calendarZone) ?? (status === 'cancelled' ? recurrenceId : undefined);
  if (start === undefined) return undefined;
  const end = chooseEnd(start, parseExactTime(event.end, calendarZone));
  return { uid: chooseUid(event), start, end, recurrenceId, status, ...toEventFields(event) };
}

const chooseUid = (event: GoogleEvent): string =>
  text(event.iCalUID) ?? text(event.recurringEventId) ?? text(event.id) ?? '';

function toRecurrence(
  { recurrence }: GoogleEvent,
  start: EventTime,
  calendarZone: string,
): Recurrence | undefined {
  const lines = texts(recurrence);
  if (lines.length === 0) return undefined;
  const parsed = parseRecurrence(lines, resolveClockZone(start, calendarZone));
  return parsed.rrules.length + parsed.rdates.length > 0 ? parsed : undefined;
}

/** Returns the end if it has the start's type and is later. Otherwise a date lasts one day, a time has no length. */
function chooseEnd(start: EventTime, end: EventTime | undefined): EventTime {
  if (end !== undefined && (end.type === 'date') === (start.type === 'date')) {
    const length = toInstant(end, 'UTC') - toInstant(start, 'UTC');
    if (length > 0) return end;
  }
  return start.type === 'date' ? timeLike(start, toLocalMs(start) + DAY) : start;
}

type Fields = Omit<
  CalendarEvent,
  'uid' | 'start' | 'end' | 'recurrence' | 'recurrenceId' | 'thisAndFuture' | 'status'
>;

export function toEventFields(event: GoogleEvent): Fields {
  return withoutUndefined({
    title: text(event.summary) ?? '',
    availability: toAvailability(event),
    privacy: toPrivacy(event),
    description: text(event.description),
    location: text(event.location),
    color: toHexColor(text(event.colorId)),
    attendees: toAttendees(event),
    response: readOwnResponse(event),
    conference: findConferenceLink(event),
    conferenceData: isObject(event.conferenceData) ? { ...event.conferenceData } : undefined,
    link: text(event.htmlLink),
    custom: parseCustom(event.extendedProperties),
    lastModified: parseDateTime(text(event.updated) ?? ''),
  });
}

export function toEventStatus({ status }: GoogleEvent): CalendarEvent['status'] {
  return status === 'cancelled' || status === 'tentative' ? status : 'confirmed';
}

/** Birthdays are free whatever `transparency` says. It is right for focus time and absences, which are busy. */
function toAvailability({ transparency, eventType, status }: GoogleEvent): CalendarEvent['availability'] {
  const isFree = transparency === 'transparent' || eventType === 'birthday' || status === 'cancelled';
  return isFree ? 'free' : 'busy';
}
