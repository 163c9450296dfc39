/** What Google says of an event besides its times, in our words. */
import type { calendar_v3 } from '@googleapis/calendar';

import type { Attendee, CalendarEvent } from '../../calendars/event.ts';
import { isObject, objects, text } from '../json-value.ts';
import { conferenceOf } from './conference.ts';
import { customOf } from './custom-fields.ts';
import { colorOf } from './event-colors.ts';
import { instantIn } from './event-times.ts';

type GoogleEvent = calendar_v3.Schema$Event;
type Words = Omit<
  CalendarEvent,
  'uid' | 'start' | 'end' | 'recurrence' | 'recurrenceId' | 'thisAndFuture' | 'status'
>;

/** Absent ones are left out, as `exactOptionalPropertyTypes` has it. */
export function wordsOf(event: GoogleEvent): Words {
  const description = text(event.description);
  const location = text(event.location);
  const color = colorOf(text(event.colorId));
  const conference = conferenceOf(event);
  const link = text(event.htmlLink);
  const custom = customOf(event.extendedProperties);
  const lastModified = instantIn(text(event.updated) ?? '');
  return {
    title: text(event.summary) ?? '',
    availability: availabilityOf(event),
    privacy: privacyOf(event),
    ...(description === undefined ? {} : { description }),
    ...(location === undefined ? {} : { location }),
    ...(color === undefined ? {} : { color }),
    attendees: attendeesOf(event),
    ...(conference === undefined ? {} : { conference }),
    ...(isObject(event.conferenceData) ? { conferenceData: { ...event.conferenceData } } : {}),
    ...(link === undefined ? {} : { link }),
    ...(custom === undefined ? {} : { custom }),
    ...(lastModified === undefined ? {} : { lastModified }),
  };
}

export function statusOf({ status }: GoogleEvent): CalendarEvent['status'] {
  return status === 'cancelled' || status === 'tentative' ? status : 'confirmed';
}

/** A birthday keeps nobody busy, whatever it says. Focus time and absences say that they do. */
function availabilityOf({ transparency, eventType, status }: GoogleEvent): CalendarEvent['availability'] {
  const isFree = transparency === 'transparent' || eventType === 'birthday' || status === 'cancelled';
  return isFree ? 'free' : 'busy';
}

/** `default` is the calendar's own visibility, which an event does not tell. */
function privacyOf({ visibility }: GoogleEvent): CalendarEvent['privacy'] {
  return visibility === 'private' || visibility === 'confidential' ? visibility : 'public';
}

/** Google's guest list exactly as it is (wire 2.5): the organizer is in it only where Google lists it. */
function attendeesOf({ attendees }: GoogleEvent): Attendee[] {
  return objects<calendar_v3.Schema$EventAttendee>(attendees).flatMap((attendee) => {
    const email = text(attendee.email);
    const name = text(attendee.displayName);
    if (email === undefined) return [];
    const status = RESPONSES.get(text(attendee.responseStatus) ?? '') ?? 'none';
    return [
      {
        email,
        ...(name === undefined ? {} : { name }),
        status,
        ...(attendee.organizer === true ? { organizer: true as const } : {}),
      },
    ];
  });
}

const RESPONSES: ReadonlyMap<string, Attendee['status']> = new Map([
  ['accepted', 'accepted'],
  ['declined', 'declined'],
  ['tentative', 'tentative'],
]);
