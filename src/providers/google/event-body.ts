/** Builds the body of an event for Google. It has only the fields that are given. */
import type { calendar_v3 } from '@googleapis/calendar';

import type { CalendarEvent } from '../../calendars/event.ts';
import type { EventChange, EventDraft } from '../../calendars/event-writing.ts';
import { withoutUndefined } from '../json-value.ts';
import { unsupportedField } from '../unsupported-field.ts';
import { buildGuestList } from './attendees.ts';
import { refuseSkippedStart, renderRecurrenceLines, toGoogleTime, toGoogleTimePatch } from './body-times.ts';
import {
  buildConference,
  buildConferencePatch,
  buildMeetRequest,
  CONFERENCE_PROPERTY,
} from './conference.ts';
import { buildCustomPatch, type PropertiesPatch } from './custom-fields.ts';
import { findColorId } from './event-colors.ts';
import { isSeries } from './event-resource.ts';

type GoogleEvent = calendar_v3.Schema$Event;

/** `null` removes a member (RFC 7396). */
export type EventBody = Omit<GoogleEvent, 'extendedProperties' | 'conferenceData'> & {
  extendedProperties?: PropertiesPatch;
  conferenceData?: calendar_v3.Schema$ConferenceData | null;
};

/** Builds the body of a new event. `id` is its id at Google, and identifies the request for a Meet. */
export function buildInsertBody(draft: EventDraft, id: string): EventBody & { id: string } {
  const { start, end, recurrence, conference, autoConference, attendees, custom, privacy } = draft;
  if (recurrence !== undefined) refuseSkippedStart(start);
  const extendedProperties = custom && buildCustomPatch(custom, undefined);
  return withoutUndefined({
    id,
    start: toGoogleTime(start, 'start'),
    end: toGoogleTime(end, 'end'),
    recurrence: recurrence && renderRecurrenceLines(recurrence),
    ...buildSharedMembers(draft),
    visibility: privacy,
    attendees: attendees && buildGuestList(attendees, undefined),
    extendedProperties,
    conferenceData: autoConference
      ? buildMeetRequest(id)
      : conference === undefined
        ? undefined
        : buildConference(conference),
  });
}

/** Builds the patch that applies a change to `former`. `requestId` identifies the request for a Meet. */
export function buildPatchBody(change: EventChange, former: GoogleEvent, requestId: string): EventBody {
  const { start, end, recurrence, attendees, privacy } = change;
  const repeats = recurrence === undefined ? isSeries(former) : recurrence !== null;
  if (start !== undefined && repeats) refuseSkippedStart(start);
  const isPrivacyKept = privacy === undefined || isPublicAlready(privacy, former);
  return withoutUndefined({
    start: start && toGoogleTimePatch(start, 'start'),
    end: end && toGoogleTimePatch(end, 'end'),
    recurrence: recurrence && renderRecurrenceLines(recurrence),
    ...buildSharedMembers(change),
    visibility: isPrivacyKept ? undefined : (privacy ?? 'default'),
    attendees: attendees === undefined ? undefined : buildGuestList(attendees ?? [], former.attendees),
    conferenceData: changeConference(change, former, requestId),
    extendedProperties: changeProperties(change, former),
  });
}

function changeConference(
  { conference, autoConference }: EventChange,
  { conferenceData: former }: GoogleEvent,
  requestId: string,
): EventBody['conferenceData'] {
  if (autoConference === true) {
    // An existing Meet fulfills the request.
    const isThere = former?.conferenceSolution?.key?.type === 'hangoutsMeet';
    return isThere ? undefined : buildConferencePatch(buildMeetRequest(requestId), former);
  }
  return typeof conference === 'string'
    ? buildConferencePatch(buildConference(conference), former)
    : conference;
}

function changeProperties(
  { custom, conference, autoConference }: EventChange,
  { extendedProperties: former }: GoogleEvent,
): PropertiesPatch | undefined {
  const properties = custom === undefined ? undefined : buildCustomPatch(custom ?? {}, former);
  const isReplaced = conference !== undefined || autoConference === true;
  const isKept = former?.private?.[CONFERENCE_PROPERTY] !== undefined;
  if (!isReplaced || !isKept) return properties;
  return { ...properties, private: { ...properties?.private, [CONFERENCE_PROPERTY]: null } };
}

/** Returns whether the event reads as public. Writing that could reveal what the calendar's visibility hides. */
const isPublicAlready = (privacy: EventChange['privacy'], { visibility }: GoogleEvent): boolean =>
  privacy === 'public' && visibility !== 'private' && visibility !== 'confidential';

/** Builds the members that an insertion and a patch have in common. */
function buildSharedMembers({ title, description, location, color, status, availability }: EventChange) {
  const transparency = availability === 'free' ? 'transparent' : 'opaque';
  return withoutUndefined({
    summary: title,
    description,
    location,
    colorId: color === undefined || color === null ? color : findColorId(color),
    status: status === undefined ? undefined : toGoogleStatus(status ?? 'confirmed'),
    transparency: availability === undefined ? undefined : transparency,
  });
}

function toGoogleStatus(status: CalendarEvent['status']): string {
  if (status !== 'cancelled') return status;
  throw unsupportedField('status', 'Google deletes cancelled events: delete the event instead');
}
