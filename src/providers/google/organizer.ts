/**
 * What of an event its guests may change. Google refuses the rest (`forbiddenForNonOrganizer`), or answers as if it had
 * been changed and changes nothing (googleapis/google-api-nodejs-client#2989): so it is refused here, before anything is sent.
 */
import { isDeepStrictEqual } from 'node:util';

import type { calendar_v3 } from '@googleapis/calendar';

import type { Attendee } from '../../calendars/event.ts';
import type { EventChange } from '../../calendars/event-writing.ts';
import { UnsupportedByProvider } from '../../calendars/provider-error.ts';
import { objects } from '../json-value.ts';
import { addressOf } from './attendees.ts';
import type { EventBody } from './event-body.ts';
import type { GoogleEvents } from './events.ts';

type GoogleEvent = calendar_v3.Schema$Event;

/** Each guest has a value of their own of these. */
const OWN_MEMBERS: ReadonlySet<string> = new Set(['colorId', 'transparency', 'visibility', 'reminders']);

/** `self`: the organizer is the calendar that this copy of the event is on. An event that tells of none is nobody else's. */
const isOrganizer = ({ organizer }: GoogleEvent): boolean =>
  organizer === undefined || organizer === null || organizer.self === true;

const mayChangeAll = (event: GoogleEvent): boolean => isOrganizer(event) || event.guestsCanModify === true;

/** What all guests share, with the guests themselves. */
const SHARED_FIELDS = [
  'title',
  'description',
  'location',
  'status',
  'start',
  'end',
  'recurrence',
  'conference',
] as const;

/** Of a guest's change what is other than it is: who sends back what was read changes nothing of it. */
export async function withoutUnchanged(
  change: EventChange,
  event: GoogleEvent,
  events: Pick<GoogleEvents, 'resourceOf'>,
): Promise<EventChange> {
  if (mayChangeAll(event)) return change;
  const [read] = (await events.resourceOf(event)).events;
  if (read === undefined) return change;
  const same: (keyof EventChange)[] = SHARED_FIELDS.filter((field) =>
    isDeepStrictEqual(change[field] ?? undefined, read[field]),
  );
  if (change.attendees && isSameList(change.attendees, read.attendees)) same.push('attendees');
  return Object.fromEntries(Object.entries(change).filter(([field]) => !same.some((name) => name === field)));
}

/** Whether both have the same guests, by the names that they are given. Answers are the guests' own, whatever a list says. */
function isSameList(list: readonly Attendee[], read: readonly Attendee[]): boolean {
  const names = new Map(read.map(({ email, name }) => [email.toLowerCase(), name]));
  const isThere = ({ email, name }: Attendee) =>
    names.has(email.toLowerCase()) && (name === undefined || name === names.get(email.toLowerCase()));
  return list.length === read.length && list.every(isThere);
}

/** Fails as `organizer_only` for a change of what all guests share, where they may not change it. */
export function refuseGuestChange(event: GoogleEvent, body: EventBody): void {
  if (mayChangeAll(event)) return;
  const shared = Object.keys(body).some((name) => {
    if (name === 'extendedProperties') return body.extendedProperties?.shared !== undefined;
    if (name === 'attendees') return !isInviting(event, body);
    return !OWN_MEMBERS.has(name);
  });
  if (shared) throw organizerOnly('Only the organizer of the event can change this');
}

/**
 * Fails as `organizer_only` for a guest, who may be one that is allowed to change the series: the organizer of a new series
 * is always the calendar that it is made in.
 */
export function refuseGuestSplit(event: GoogleEvent): void {
  if (isOrganizer(event)) return;
  throw organizerOnly('Only the organizer can give a part of the series to a series of its own');
}

/** Guests may invite others, unless the organizer says no; they take nobody away. */
function isInviting(
  { attendees: former, guestsCanInviteOthers }: GoogleEvent,
  { attendees }: EventBody,
): boolean {
  const invited = new Set(objects(attendees).map(addressOf));
  return guestsCanInviteOthers !== false && objects(former).every((guest) => invited.has(addressOf(guest)));
}

const organizerOnly = (message: string) => new UnsupportedByProvider('organizer_only', message);
