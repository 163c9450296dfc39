/** Events in Graph v1.0's responses, typed by Microsoft's published types. */
import type { Event as GraphEvent, ItemBody } from '@microsoft/microsoft-graph-types';

import { toInstant } from '../../src/lib/recurrence/event-instant.ts';
import type { TimeWindow } from '../../src/lib/recurrence/series.ts';
import { htmlOfText, plainText } from './body-text.ts';
import { eventTimeOf, graphDate, graphTime, stampOf } from './graph-time.ts';
import { eventId, type IdForm, occurrenceId } from './item-id.ts';
import { changeKeyOf, type EventContent, type EventException, etagOf, type StoredEvent } from './mailbox.ts';
import { type EventInstance, originalTime } from './series-instances.ts';

/** The view of a client on events, by its headers and its permission. */
export type EventView = {
  readonly zoneName: string;
  readonly idForm: IdForm;
  /** `Calendars.ReadBasic`: no body, no extended properties. */
  readonly basic: boolean;
  /** `Prefer: outlook.body-content-type="text"`; otherwise bodies are HTML, whatever was written. */
  readonly textBody: boolean;
  /** The addresses whose responses are missing in the list of guests: the person's own, by the habit. */
  readonly unanswered: ReadonlySet<string>;
  readonly origin: string;
};

/** An event with fields that the published types lack; `occurrenceId` is documented nevertheless. */
export type EventResource = GraphEvent & {
  '@odata.etag'?: string;
  '@odata.type'?: string;
  occurrenceId?: string;
  'exceptionOccurrences@odata.nextLink'?: string;
};

/** Renders a single event or a master. */
export function eventResource(event: StoredEvent, view: EventView): EventResource {
  const { content, recurrence, change, createdAt, modifiedAt, key } = event;
  const start = toInstant(eventTimeOf(content.start, content.isAllDay), 'UTC');
  const end = toInstant(eventTimeOf(content.end, content.isAllDay), 'UTC');
  return {
    ...members(content, view),
    hasAttachments: event.attachments.some(({ isInline }) => !isInline),
    ...stamps({ change, createdAt, modifiedAt }),
    id: eventId(key, view.idForm),
    iCalUId: event.iCalUId,
    transactionId: event.transactionId ?? null,
    type: recurrence === undefined ? 'singleInstance' : 'seriesMaster',
    seriesMasterId: null,
    recurrence: recurrence ?? null,
    ...times(content.isAllDay, { start, end }, view),
    webLink: webLink(key, view),
  };
}

/** Renders an occurrence or exception with all fields of its master, or a single event. */
export function instanceResource(instance: EventInstance, view: EventView): EventResource {
  const { event, original, exception, start, end } = instance;
  if (original === undefined) return eventResource(event, view);
  const content = { ...event.content, ...exception?.content };
  return {
    ...members(content, view),
    ...stamps(exception ?? event),
    id: occurrenceId(event.key, original, view.idForm),
    iCalUId: event.iCalUId,
    transactionId: null,
    type: exception === undefined ? 'occurrence' : 'exception',
    seriesMasterId: eventId(event.key, view.idForm),
    recurrence: null,
    originalStart: stampOf(toInstant(originalTime(event, original), 'UTC')).replace(/\.0+Z$/, 'Z'),
    occurrenceId: dayId(event, original, view),
    ...times(content.isAllDay, { start, end }, view),
    webLink: webLink(event.key, view),
  };
}

/** Renders an occurrence for calendarView/delta: only its id and its times. */
export function occurrenceStub(
  { event, original, start, end }: EventInstance,
  view: EventView,
): EventResource {
  return {
    '@odata.type': '#microsoft.graph.event',
    // No source confirms that stubs have the master's etag.
    '@odata.etag': etagOf(event.change),
    id: occurrenceId(event.key, original ?? '', view.idForm),
    type: 'occurrence',
    seriesMasterId: eventId(event.key, view.idForm),
    ...times(event.content.isAllDay, { start, end }, view),
  };
}

/** Returns the ids of the occurrences deleted from a master. */
export const cancelledOccurrences = (event: StoredEvent, view: EventView): string[] =>
  [...event.deleted].sort().map((original) => dayId(event, original, view));

/** Returns `OID.<master>.<date>`: an occurrence by its day, on the clock of the series. No source confirms that. */
function dayId({ key }: StoredEvent, original: string, { idForm }: EventView): string {
  const day = original.replace(/^(\d{4})(\d\d)(\d\d).*$/, '$1-$2-$3');
  return `OID.${eventId(key, idForm)}.${day}`;
}

function times(isAllDay: boolean, { start, end }: TimeWindow, { zoneName }: EventView) {
  const timeOf = isAllDay ? graphDate : graphTime;
  return { start: timeOf(start, zoneName), end: timeOf(end, zoneName) };
}

function stamps({ change, createdAt, modifiedAt }: Omit<EventException, 'content'>) {
  return {
    '@odata.etag': etagOf(change),
    changeKey: changeKeyOf(change),
    createdDateTime: stampOf(createdAt),
    lastModifiedDateTime: stampOf(modifiedAt),
  };
}

function members(content: EventContent, { basic, textBody, unanswered }: EventView): EventResource {
  const { start, end, startZoneName, endZoneName, organizer, extendedProperties, ...rest } = content;
  const { body, onlineMeeting, onlineMeetingProvider, locations, attendees, ...plain } = rest;
  return {
    ...plain,
    attendees: (attendees ?? []).map((guest) =>
      unanswered.has(guest.emailAddress?.address?.toLowerCase() ?? '')
        ? { ...guest, status: NO_ANSWER }
        : guest,
    ),
    // It is not documented which fields Calendars.ReadBasic omits besides the body.
    ...(basic
      ? {}
      : { body: bodyResource(body, textBody), bodyPreview: plainText(body ?? {}).slice(0, 255) }),
    originalStartTimeZone: startZoneName,
    originalEndTimeZone: endZoneName,
    organizer: { emailAddress: organizer },
    isOrganizer: content.responseStatus?.response === 'organizer',
    isDraft: false,
    hasAttachments: false,
    isOnlineMeeting: onlineMeeting !== undefined,
    onlineMeetingProvider,
    onlineMeeting: onlineMeeting ?? null,
    onlineMeetingUrl: null,
    locations: [...(locations ?? (content.location?.displayName ? [content.location] : []))],
  };
}

const NO_ANSWER = { response: 'none' as const, time: '0001-01-01T00:00:00Z' };

function bodyResource(body: GraphEvent['body'], asText: boolean): ItemBody {
  const { content, contentType } = body ?? {};
  if (asText) return { contentType: 'text', content: plainText(body ?? {}) };
  if (contentType === 'html') return { contentType, content: content ?? '' };
  // Exchange makes a longer document of plain text; no source shows all of it.
  return {
    contentType: 'html',
    content: `<html><head></head><body>${htmlOfText(content ?? '')}</body></html>`,
  };
}

const webLink = (key: string, { origin }: EventView): string =>
  `${origin}/owa/?itemid=${encodeURIComponent(eventId(key, 'default'))}&exvsurl=1&path=/calendar/item`;
