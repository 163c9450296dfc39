/**
 * Decides which fields a guest may change. Google refuses the others (`forbiddenForNonOrganizer`), or reports success
 * and changes nothing (googleapis/google-api-nodejs-client#2989). So they are refused before anything is sent.
 */
import type { calendar_v3 } from '@googleapis/calendar';

import type { EventChange } from '../../calendars/event-writing.ts';
import { UnsupportedByProvider } from '../../calendars/provider-error.ts';
import { objects } from '../json-value.ts';
import { withoutUnchanged } from '../unchanged-fields.ts';
import { normalizeAddress } from './attendees.ts';
import type { EventBody } from './event-body.ts';
import type { GoogleEvents } from './events.ts';
import { toPrivacy } from './privacy.ts';

type GoogleEvent = calendar_v3.Schema$Event;

/** Each guest has separate values for these. */
const OWN_MEMBERS: ReadonlySet<string> = new Set(['colorId', 'transparency', 'visibility', 'reminders']);

/** Returns whether the organizer is the calendar with this copy (`self`), or there is none. */
const isOrganizer = ({ organizer }: GoogleEvent): boolean =>
  organizer === undefined || organizer === null || organizer.self === true;

const mayChangeAll = (event: GoogleEvent): boolean => isOrganizer(event) || event.guestsCanModify === true;

/** Removes the unchanged fields from a guest's change. */
export async function guestChange(
  change: EventChange,
  event: GoogleEvent,
  events: Pick<GoogleEvents, 'resourceOf'>,
): Promise<EventChange> {
  if (mayChangeAll(event)) return change;
  const [read] = (await events.resourceOf(event)).events;
  return read === undefined ? change : withoutUnchanged(change, read);
}

/** Fails as `organizer_only` for a change of shared fields by a guest who may not change them. */
export function refuseGuestChange(event: GoogleEvent, body: EventBody): void {
  if (mayChangeAll(event)) return;
  const shared = Object.keys(body).some((name) => {
    if (name === 'extendedProperties') return body.extendedProperties?.shared !== undefined;
    if (name === 'attendees') return !isInviting(event, body);
    return !OWN_MEMBERS.has(name);
  });
  if (shared) throw organizerOnly('Only the organizer of the event can change this');
}

/** Fails as `organizer_only` for a guest: the organizer of a new series is the calendar that it is created in. */
export function refuseGuestSplit(event: GoogleEvent): void {
  // Without private access, a private event shows nothing that could be copied.
  const isHidden = toPrivacy(event) !== 'public' && !event.organizer && !event.creator;
  if (isHidden) throw organizerOnly('Google hides the details of this private event from the account');
  if (isOrganizer(event)) return;
  throw organizerOnly('Only the organizer can split this series');
}

/** Returns whether guests are only added. Guests may invite others, unless the organizer forbids it. */
function isInviting(
  { attendees: former, guestsCanInviteOthers }: GoogleEvent,
  { attendees }: EventBody,
): boolean {
  const invited = new Set(objects(attendees).map(normalizeAddress));
  return (
    guestsCanInviteOthers !== false && objects(former).every((guest) => invited.has(normalizeAddress(guest)))
  );
}

const organizerOnly = (message: string) => new UnsupportedByProvider('organizer_only', message);
