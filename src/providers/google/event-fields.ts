/** Parses the fields of an event, except its times. */
import type { calendar_v3 } from '@googleapis/calendar';

import type { CalendarEvent } from '../../calendars/event.ts';
import { isObject, text, withoutUndefined } from '../json-value.ts';
import { attendeesOf, responseOf } from './attendees.ts';
import { conferenceOf } from './conference.ts';
import { customOf } from './custom-fields.ts';
import { colorOf } from './event-colors.ts';
import { instantIn } from './event-times.ts';
import { privacyOf } from './privacy.ts';

type GoogleEvent = calendar_v3.Schema$Event;
type Fields = Omit<
  CalendarEvent,
  'uid' | 'start' | 'end' | 'recurrence' | 'recurrenceId' | 'thisAndFuture' | 'status'
>;

export function fieldsOf(event: GoogleEvent): Fields {
  return withoutUndefined({
    title: text(event.summary) ?? '',
    availability: availabilityOf(event),
    privacy: privacyOf(event),
    description: text(event.description),
    location: text(event.location),
    color: colorOf(text(event.colorId)),
    attendees: attendeesOf(event),
    response: responseOf(event),
    conference: conferenceOf(event),
    conferenceData: isObject(event.conferenceData) ? { ...event.conferenceData } : undefined,
    link: text(event.htmlLink),
    custom: customOf(event.extendedProperties),
    lastModified: instantIn(text(event.updated) ?? ''),
  });
}

export function statusOf({ status }: GoogleEvent): CalendarEvent['status'] {
  return status === 'cancelled' || status === 'tentative' ? status : 'confirmed';
}

/** Birthdays are free whatever `transparency` says. It is right for focus time and absences, which are busy. */
function availabilityOf({ transparency, eventType, status }: GoogleEvent): CalendarEvent['availability'] {
  const isFree = transparency === 'transparent' || eventType === 'birthday' || status === 'cancelled';
  return isFree ? 'free' : 'busy';
}
