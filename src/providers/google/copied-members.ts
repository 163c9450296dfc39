/** Copies all members of an event into another, known to Kalends or not, except those that Google sets. */
import { isDeepStrictEqual } from 'node:util';

import type { calendar_v3 } from '@googleapis/calendar';

import { isObject, withoutUndefined } from '../json-value.ts';
import { copyGuests } from './attendees.ts';
import { buildConferencePatch, copyConference } from './conference.ts';
import type { PropertiesPatch } from './custom-fields.ts';
import type { EventBody } from './event-body.ts';
import { diffMembers } from './merge-patch.ts';

type GoogleEvent = calendar_v3.Schema$Event;

/** The members that Google sets, and the times and rules. */
const UNCOPIED_MEMBERS: ReadonlySet<string> = new Set([
  'kind',
  'etag',
  'id',
  'htmlLink',
  'hangoutLink',
  'created',
  'updated',
  'creator',
  'organizer',
  'iCalUID',
  'sequence',
  'recurringEventId',
  'originalStartTime',
  'endTimeUnspecified',
  'attendeesOmitted',
  'locked',
  'gadget',
  'start',
  'end',
  'recurrence',
]);

const fieldNames = (...events: readonly GoogleEvent[]): string[] =>
  [...new Set(events.flatMap((event) => Object.keys(event)))].filter((name) => !UNCOPIED_MEMBERS.has(name));

/** Returns the members for a new event: all but times and rules. With `meetId`, a new Meet replaces the event's own. */
export function copyMembers(event: GoogleEvent, meetId: string | undefined): GoogleEvent {
  const members: GoogleEvent = Object.fromEntries(
    fieldNames(event).map((name) => [name, Reflect.get(event, name)]),
  );
  const { attendees, conferenceData, eventType } = event;
  return withoutUndefined({
    ...members,
    attendees: attendees && copyGuests(attendees),
    conferenceData: copyConference(conferenceData, meetId),
    // Gmail creates these from e-mails; nobody else can.
    eventType: eventType === 'fromGmail' ? undefined : eventType,
  });
}

/** Members that are not patched individually: Google accepts them only whole, or never for an occurrence. */
const NOT_PATCHED: ReadonlySet<string> = new Set([
  'eventType',
  'attendees',
  'conferenceData',
  'extendedProperties',
  'visibility',
]);

/** Returns the members in which an occurrence differs from its series, without times, as a patch. */
export function ownMembers(occurrence: GoogleEvent, series: GoogleEvent): EventBody {
  const names = fieldNames(occurrence, series).filter((name) => !NOT_PATCHED.has(name));
  const pick = (event: GoogleEvent) =>
    Object.fromEntries(names.map((name) => [name, Reflect.get(event, name)]));
  return withoutUndefined({
    ...diffMembers(pick(series), pick(occurrence)),
    attendees: ownGuests(occurrence, series),
    conferenceData: ownConference(occurrence, series),
    extendedProperties: ownProperties(occurrence, series),
  });
}

/** Returns the whole list if it differs; never a list that Google shortened. */
function ownGuests(occurrence: GoogleEvent, series: GoogleEvent): EventBody['attendees'] {
  if (occurrence.attendeesOmitted === true || series.attendeesOmitted === true) return undefined;
  const guests = copyGuests(occurrence.attendees);
  return isDeepStrictEqual(guests, copyGuests(series.attendees)) ? undefined : guests;
}

function ownConference(
  { conferenceData: own }: GoogleEvent,
  { conferenceData: common }: GoogleEvent,
): EventBody['conferenceData'] {
  if (isDeepStrictEqual(own, common)) return undefined;
  return own ? buildConferencePatch(own, common) : null;
}

function ownProperties(
  { extendedProperties: own }: GoogleEvent,
  { extendedProperties: common }: GoogleEvent,
): PropertiesPatch | undefined {
  const shared = diffTexts(own?.shared, common?.shared);
  const ofThisCopy = diffTexts(own?.private, common?.private);
  if (shared === undefined && ofThisCopy === undefined) return undefined;
  return withoutUndefined({ shared, private: ofThisCopy });
}

function diffTexts(own: unknown, common: unknown): Readonly<Record<string, string | null>> | undefined {
  const listEntries = (value: unknown) => Object.entries(isObject(value) ? value : {});
  const [before, after] = [new Map(listEntries(common)), new Map(listEntries(own))];
  const names = [...new Set([...before.keys(), ...after.keys()])];
  const changed = names.filter((name) => before.get(name) !== after.get(name));
  if (changed.length === 0) return undefined;
  return Object.fromEntries(changed.map((name) => [name, textOrNull(after.get(name))]));
}

const textOrNull = (value: unknown): string | null => (typeof value === 'string' ? value : null);
