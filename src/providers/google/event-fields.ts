/** Parses the fields of an event, except its times. */
import type { calendar_v3 } from '@googleapis/calendar';

import type { CalendarEvent } from '../../calendars/event.ts';
import { isObject, text, withoutUndefined } from '../json-value.ts';
import { readOwnResponse, toAttendees } from './attendees.ts';
import { findConferenceLink } from './conference.ts';
import { parseCustom } from './custom-fields.ts';
import { toHexColor } from './event-colors.ts';
import { parseDateTime } from './event-times.ts';
import { toPrivacy } from './privacy.ts';

type GoogleEvent = calendar_v3.Schema$Event;
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
