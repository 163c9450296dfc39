/** Maps Graph's events to resources: a single event, or a series and each of its exceptions. */
import type { Event as GraphEvent, Sensitivity } from '@microsoft/microsoft-graph-types';

import type { CalendarEvent, EventResource } from '../../calendars/event.ts';
import type { ProviderError } from '../../calendars/provider-error.ts';
import { resourceBudget, spend } from '../../lib/icalendar/resource-budget.ts';
import { dayOfLocal, formatDate, formatLocal, parseLocal } from '../../lib/recurrence/civil.ts';
import { movedEnd, toInstant, toOriginalStart } from '../../lib/recurrence/event-instant.ts';
import type { EventTime, Zone } from '../../lib/recurrence/event-time.ts';
import { unreadableAnswer } from '../meaning.ts';
import { readOwnResponse, toAttendees } from './attendees.ts';
import { parseCustom, readStoredConference } from './custom-fields.ts';
import { parseGraphTime, parseTimestamp, resolveFirstZone, toZonedTime } from './event-times.ts';
import { toRecurrence } from './recurrence.ts';

/** An event as Graph returns it. The members added here are documented or OData's, but not in the published types. */
export type GraphItem = GraphEvent & {
  readonly occurrenceId?: string | null;
  /** The link to more exceptions, if there are too many for one response. */
  readonly 'exceptionOccurrences@odata.nextLink'?: unknown;
};

/** The facts that an event itself does not contain. */
export type Surroundings = {
  /** The zone of a series that names none. */
  readonly zone?: Zone | undefined;
  /** The address of the calendar's owner, who is among the guests. */
  readonly owner?: string | undefined;
};

export const isSeries = ({ type, recurrence }: GraphItem): boolean =>
  type === 'seriesMaster' || (type !== 'occurrence' && type !== 'exception' && Boolean(recurrence));

/** Maps a single event or a master. Fails as `invalid_response` if unreadable, with TooComplexError if over budget. */
export function toResource(
  item: GraphItem,
  { zone = chooseItemZone(item), owner }: Surroundings = {},
): EventResource {
  const id = requireId(item);
  const { exceptionOccurrences: _, 'exceptionOccurrences@odata.nextLink': _link, ...original } = item;
  return {
    href: id,
    etag: item.changeKey ?? undefined,
    eventId: id,
    events: [toEvent(item, zone, owner)],
    original,
  };
}

/** Maps an exception. Its href contains that of the series, so that the mirror finds both. `zone` is the series'. */
export function toException(
  item: GraphItem,
  master: GraphItem,
  { zone = chooseItemZone(master), owner }: Surroundings = {},
): EventResource {
  const id = requireId(item);
  const seriesId = requireId(master);
  // An exception in another zone than its series seems to name it, which no source confirms.
  const event = toEvent(item, resolveFirstZone(item.originalStartTimeZone) ?? zone, owner);
  const {
    recurrence: _,
    custom = parseCustom(master),
    conference = readStoredConference(master),
    ...fields
  } = event;
  return {
    href: buildExceptionHref(seriesId, id),
    etag: item.changeKey ?? undefined,
    eventId: id,
    seriesId,
    events: [
      {
        ...fields,
        uid: master.iCalUId ?? fields.uid,
        recurrenceId: readOriginalStart(item, master, zone),
        ...(custom !== undefined && { custom }),
        ...(conference !== undefined && { conference }),
      },
    ],
    original: { ...item },
  };
}

/** Graph's ids do not contain this character. */
const SERIES_SEPARATOR = '#';

export const buildExceptionHref = (seriesId: string, id: string): string =>
  `${seriesId}${SERIES_SEPARATOR}${id}`;

/** Parses the href of an exception; `undefined` for any other href. */
export function parseExceptionHref(
  href: string,
): { readonly seriesId: string; readonly id: string } | undefined {
  const at = href.indexOf(SERIES_SEPARATOR);
  return at === -1 ? undefined : { seriesId: href.slice(0, at), id: href.slice(at + 1) };
}

/** Returns the zone of the rule, else the one that the event was created in; `undefined` if no name is known. */
export function findItemZone(item: GraphItem): Zone | undefined {
  const { recurrence, originalStartTimeZone, originalEndTimeZone } = item;
  return resolveFirstZone(recurrence?.range?.recurrenceTimeZone, originalStartTimeZone, originalEndTimeZone);
}

/** Times are requested in UTC, so instants are right whatever the zone. */
const chooseItemZone = (item: GraphItem): Zone => findItemZone(item) ?? 'UTC';

/** Parses the day of `OID.{master id}.2026-11-18`, seemingly in the zone of the series, which no source confirms. */
const parseOccurrenceDay = (occurrenceId: string): string | undefined =>
  /\.(\d{4}-\d\d-\d\d)$/.exec(occurrenceId)?.[1];

/** Returns the original start in the type and zone of the master's start. */
function readOriginalStart(item: GraphItem, master: GraphItem, zone: Zone): EventTime {
  const day = parseOccurrenceDay(item.occurrenceId ?? '');
  const instant = parseTimestamp(item.originalStart);
  if (master.isAllDay) {
    if (day !== undefined) return { type: 'date', date: day };
    if (instant !== undefined) return { type: 'date', date: toOriginalDate(instant, zone) };
  } else {
    if (instant !== undefined) return toZonedTime(instant, zone);
    const start = parseGraphTime(master.start, false, zone);
    if (day !== undefined && start !== undefined)
      return toOriginalStart(onClock(start, zone), { type: 'date', date: day }, 'UTC');
  }
  throw unreadable('an exception that names no occurrence');
}

/** Returns the date. Any time but midnight UTC seems to be midnight in `zone`, which no source confirms. */
function toOriginalDate(instant: number, zone: Zone): string {
  const time = toZonedTime(instant, zone);
  const isUtc = formatLocal(instant).endsWith('T00:00:00');
  const local = isUtc || time.type !== 'zoned' ? instant : (parseLocal(time.local) ?? instant);
  return formatDate(dayOfLocal(local));
}

/** Returns the start of a series on the clock of its zone. */
const onClock = (start: EventTime, zone: Zone): EventTime =>
  start.type === 'zoned' ? toZonedTime(toInstant(start, 'UTC'), zone) : start;

function toEvent(item: GraphItem, zone: Zone, owner: string | undefined): CalendarEvent {
  const isAllDay = item.isAllDay === true;
  const exact = parseGraphTime(item.start, isAllDay, zone);
  const end = parseGraphTime(item.end, isAllDay, zone);
  if (exact === undefined || end === undefined) throw unreadable('an event without a time');
  const start = isSeries(item) ? onClock(exact, zone) : exact;
  const { iCalUId, subject, body, location, webLink, recurrence } = item;
  spend(resourceBudget(), 'exdates', item.cancelledOccurrences?.length ?? 0);
  const deletedDays = (item.cancelledOccurrences ?? [])
    .map(parseOccurrenceDay)
    .filter((day) => day !== undefined);
  const rule = recurrence ? toRecurrence(recurrence, deletedDays, start) : undefined;
  const conference = item.onlineMeeting?.joinUrl || item.onlineMeetingUrl || readStoredConference(item);
  const custom = parseCustom(item);
  const response = readOwnResponse(item);
  const lastModified = parseTimestamp(item.lastModifiedDateTime);
  return {
    uid: iCalUId ?? requireId(item),
    title: subject ?? '',
    start,
    end: movedEnd(toInstant(end, 'UTC') < toInstant(exact, 'UTC') ? exact : end, exact, start),
    ...(rule && { recurrence: rule }),
    status: toEventStatus(item),
    availability: toAvailability(item),
    privacy: PRIVACY[item.sensitivity ?? 'normal'] ?? 'private',
    ...(body?.content?.trim() && { description: body.content.trim() }),
    ...(location?.displayName && { location: location.displayName }),
    attendees: toAttendees(item, owner),
    ...(response !== undefined && { response }),
    ...(conference && { conference }),
    ...(item.onlineMeeting && { conferenceData: { ...item.onlineMeeting } }),
    ...(webLink && { link: webLink }),
    ...(custom !== undefined && { custom }),
    ...(lastModified !== undefined && { lastModified }),
  };
}

function toEventStatus({ isCancelled, responseStatus, showAs }: GraphItem): CalendarEvent['status'] {
  if (isCancelled) return 'cancelled';
  const tentative = responseStatus?.response === 'tentativelyAccepted' || showAs === 'tentative';
  return tentative ? 'tentative' : 'confirmed';
}

/** Working elsewhere is free: Outlook's own scheduling seems not to count it as busy, which no source confirms. */
function toAvailability({ isCancelled, showAs }: GraphItem): CalendarEvent['availability'] {
  return isCancelled || showAs === 'free' || showAs === 'workingElsewhere' ? 'free' : 'busy';
}

const PRIVACY: Readonly<Record<Sensitivity, CalendarEvent['privacy']>> = {
  normal: 'public',
  personal: 'private',
  private: 'private',
  confidential: 'confidential',
};

function requireId({ id }: GraphItem): string {
  if (!id) throw unreadable('an event without an id');
  return id;
}

const unreadable = (what: string): ProviderError => unreadableAnswer(`Microsoft sent ${what}`);
