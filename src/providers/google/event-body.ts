/** Builds the body of an event for Google. It has only the fields that are given. */
import type { calendar_v3 } from '@googleapis/calendar';

import type { CalendarEvent } from '../../calendars/event.ts';
import type { EventChange, EventDraft } from '../../calendars/event-writing.ts';
import { withoutUndefined } from '../json-value.ts';
import { unsupportedField } from '../unsupported-field.ts';
import { guestList } from './attendees.ts';
import { googleTime, googleTimePatch, recurrenceLines, refuseSkippedStart } from './body-times.ts';
import { CONFERENCE_PROPERTY, conferenceAt, conferencePatch, requestedMeet } from './conference.ts';
import { customPatch, type PropertiesPatch } from './custom-fields.ts';
import { colorIdOf } from './event-colors.ts';
import { isSeries } from './event-resource.ts';

type GoogleEvent = calendar_v3.Schema$Event;

/** `null` removes a member (RFC 7396). */
export type EventBody = Omit<GoogleEvent, 'extendedProperties' | 'conferenceData'> & {
  extendedProperties?: PropertiesPatch;
  conferenceData?: calendar_v3.Schema$ConferenceData | null;
};

/** Builds the body of a new event. `id` is its id at Google, and identifies the request for a Meet. */
export function insertBody(draft: EventDraft, id: string): EventBody & { id: string } {
  const { start, end, recurrence, conference, autoConference, attendees, custom, privacy } = draft;
  if (recurrence !== undefined) refuseSkippedStart(start);
  const extendedProperties = custom && customPatch(custom, undefined);
  return withoutUndefined({
    id,
    start: googleTime(start, 'start'),
    end: googleTime(end, 'end'),
    recurrence: recurrence && recurrenceLines(recurrence),
    ...fieldsBody(draft),
    visibility: privacy,
    attendees: attendees && guestList(attendees, undefined),
    extendedProperties,
    conferenceData: autoConference
      ? requestedMeet(id)
      : conference === undefined
        ? undefined
        : conferenceAt(conference),
  });
}

/** Builds the patch that applies a change to `former`. `requestId` identifies the request for a Meet. */
export function patchBody(change: EventChange, former: GoogleEvent, requestId: string): EventBody {
  const { start, end, recurrence, attendees, privacy } = change;
  const repeats = recurrence === undefined ? isSeries(former) : recurrence !== null;
  if (start !== undefined && repeats) refuseSkippedStart(start);
  const isPrivacyKept = privacy === undefined || isPublicAlready(privacy, former);
  return withoutUndefined({
    start: start && googleTimePatch(start, 'start'),
    end: end && googleTimePatch(end, 'end'),
    recurrence: recurrence && recurrenceLines(recurrence),
    ...fieldsBody(change),
    visibility: isPrivacyKept ? undefined : (privacy ?? 'default'),
    attendees: attendees === undefined ? undefined : guestList(attendees ?? [], former.attendees),
    conferenceData: conferenceChange(change, former, requestId),
    extendedProperties: propertiesChange(change, former),
  });
}

function conferenceChange(
  { conference, autoConference }: EventChange,
  { conferenceData: former }: GoogleEvent,
  requestId: string,
): EventBody['conferenceData'] {
  if (autoConference === true) {
    // An existing Meet fulfills the request.
    const isThere = former?.conferenceSolution?.key?.type === 'hangoutsMeet';
    return isThere ? undefined : conferencePatch(requestedMeet(requestId), former);
  }
  return typeof conference === 'string' ? conferencePatch(conferenceAt(conference), former) : conference;
}

function propertiesChange(
  { custom, conference, autoConference }: EventChange,
  { extendedProperties: former }: GoogleEvent,
): PropertiesPatch | undefined {
  const properties = custom === undefined ? undefined : customPatch(custom ?? {}, former);
  const isReplaced = conference !== undefined || autoConference === true;
  const isKept = former?.private?.[CONFERENCE_PROPERTY] !== undefined;
  if (!isReplaced || !isKept) return properties;
  return { ...properties, private: { ...properties?.private, [CONFERENCE_PROPERTY]: null } };
}

/** Returns whether the event reads as public. Writing that could reveal what the calendar's visibility hides. */
const isPublicAlready = (privacy: EventChange['privacy'], { visibility }: GoogleEvent): boolean =>
  privacy === 'public' && visibility !== 'private' && visibility !== 'confidential';

/** Builds the members that an insertion and a patch have in common. */
function fieldsBody({ title, description, location, color, status, availability }: EventChange) {
  const transparency = availability === 'free' ? 'transparent' : 'opaque';
  return withoutUndefined({
    summary: title,
    description,
    location,
    colorId: color === undefined || color === null ? color : colorIdOf(color),
    status: status === undefined ? undefined : statusText(status ?? 'confirmed'),
    transparency: availability === undefined ? undefined : transparency,
  });
}

function statusText(status: CalendarEvent['status']): string {
  if (status !== 'cancelled') return status;
  throw unsupportedField('status', 'A cancelled event is a deleted one at Google: delete it instead');
}
