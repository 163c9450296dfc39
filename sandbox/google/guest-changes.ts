/** The changes that guests may make to an invitation: those to their own fields. */
import { isDeepStrictEqual } from 'node:util';

import { isJsonObject, type JsonObject } from '../core/json-object.ts';
import { SandboxRefusal } from '../core/sandbox-refusal.ts';
import type { EventInput } from './calendar-events.ts';
import type { EventDetails, StoredEvent } from './google-store.ts';
import type { GoogleHabits } from './habits.ts';

const OWN_DETAILS = ['colorId', 'transparency', 'visibility', 'reminders'] as const;

/** Returns the part of `input` that is stored: all of it for the organizer. Throws if a guest changes shared fields. */
export function permittedInput(
  event: StoredEvent,
  input: EventInput,
  { guestChanges }: GoogleHabits,
): EventInput {
  if (event.invitation === undefined || event.details.guestsCanModify === true) return input;
  const details = { ...event.details, ...ownDetails(event, input.details) };
  const { start, end, recurrence } = event;
  const permitted: EventInput = { start, end, recurrence, status: statusOf(event), details };
  if (guestChanges === 'ignored' || isDeepStrictEqual(plain(permitted), plain(input))) return permitted;
  const message = 'Shared properties can only be changed by the organizer of the event.';
  throw new SandboxRefusal(403, 'forbiddenForNonOrganizer', message);
}

const statusOf = ({ status }: StoredEvent) => (status === 'tentative' ? 'tentative' : 'confirmed');

/** Returns the input without fields that have no value. */
const plain = (input: EventInput): unknown =>
  JSON.parse(JSON.stringify(input, (_name, value: unknown) => value ?? undefined));

function ownDetails(event: StoredEvent, details: EventDetails): EventDetails {
  const ownFields = Object.fromEntries(OWN_DETAILS.map((name) => [name, details[name]]));
  const shared = event.details.extendedProperties?.shared;
  const ofThisCopy = details.extendedProperties?.private;
  const properties = { ...(shared && { shared }), ...(ofThisCopy && { private: ofThisCopy }) };
  const attendees = invitedGuests(event, details.attendees);
  const members = { extendedProperties: Object.keys(properties).length === 0 ? null : properties };
  return { ...ownFields, ...members, ...(attendees && { attendees }) };
}

/** Returns the former guests, with the guest's own response, and the people whom the guest invites. */
function invitedGuests(
  { details, invitation }: StoredEvent,
  attendees: EventDetails['attendees'],
): EventDetails['attendees'] {
  const former = details.attendees ?? [];
  const ownEntry = attendees?.find(({ email }) => email === invitation?.guest);
  const formerEmails = new Set(former.map(({ email }) => email));
  const invited = details.guestsCanInviteOthers === false ? [] : (attendees ?? []);
  return [
    ...former.map((guest) => (ownEntry !== undefined && guest.email === ownEntry.email ? ownEntry : guest)),
    ...invited.filter(({ email }) => !formerEmails.has(email)),
  ];
}

/** Applies `attendeesOmitted` in a body: the guests in it stand only for the calendar's own response. */
export function withOwnAnswer(
  sent: JsonObject,
  { details, invitation }: StoredEvent,
  calendarId: string,
): JsonObject {
  const { attendeesOmitted, attendees, ...rest } = sent;
  if (attendeesOmitted !== true) return sent;
  const self = invitation?.guest ?? calendarId;
  const ownEntry = (Array.isArray(attendees) ? attendees : []).find(
    (guest) => isJsonObject(guest) && guest.email === self,
  );
  const responseStatus = isJsonObject(ownEntry) ? ownEntry.responseStatus : undefined;
  const guests = (details.attendees ?? []).map((guest) =>
    guest.email === self && typeof responseStatus === 'string' ? { ...guest, responseStatus } : guest,
  );
  return { ...rest, attendees: guests };
}
