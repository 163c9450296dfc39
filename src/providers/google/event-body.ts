/** What of an event is sent to Google: exactly what is named. */
import type { calendar_v3 } from '@googleapis/calendar';

import type { EventChange, EventDraft } from '../../calendars/event-writing.ts';
import { UnsupportedByProvider } from '../../calendars/unsupported.ts';
import { guestList } from './attendees.ts';
import { CONFERENCE_PROPERTY, conferenceAt, conferencePatch, requestedMeet } from './conference.ts';
import { customPatch, type PropertiesPatch } from './custom-fields.ts';
import { colorIdOf } from './event-colors.ts';
import { googleTime, googleTimePatch, recurrenceLines, refuseSkippedStart } from './written-times.ts';

type GoogleEvent = calendar_v3.Schema$Event;

/** `null` takes a member away (RFC 7396, as Google's PATCH has it). */
export type EventBody = Omit<GoogleEvent, 'extendedProperties' | 'conferenceData'> & {
  extendedProperties?: PropertiesPatch;
  conferenceData?: calendar_v3.Schema$ConferenceData | null;
};

/** An event to insert. `id` is Google's to know it by, and what a Meet is asked for with. */
export function insertBody(draft: EventDraft, id: string): EventBody & { id: string } {
  const { start, end, recurrence, conference, autoConference, attendees, custom, privacy, ...words } = draft;
  if (recurrence !== undefined) refuseSkippedStart(start);
  const properties = custom === undefined ? undefined : customPatch(custom, undefined);
  return {
    id,
    start: googleTime(start, 'start'),
    end: googleTime(end, 'end'),
    ...(recurrence === undefined ? {} : { recurrence: recurrenceLines(recurrence) }),
    ...wordsBody(words),
    ...(privacy === undefined ? {} : { visibility: privacy }),
    ...(attendees === undefined ? {} : { attendees: guestList(attendees, undefined) }),
    ...(properties === undefined ? {} : { extendedProperties: properties }),
    ...(autoConference
      ? { conferenceData: requestedMeet(id) }
      : conference === undefined
        ? {}
        : { conferenceData: conferenceAt(conference) }),
  };
}

/** What changes of `former`; `requestId` is what a Meet is asked for with. */
export function patchBody(change: EventChange, former: GoogleEvent, requestId: string): EventBody {
  const { start, end, recurrence, conference, autoConference, attendees, custom, privacy, ...words } = change;
  const recurs = recurrence === undefined ? (former.recurrence ?? []).length > 0 : recurrence !== null;
  if (start !== undefined && recurs) refuseSkippedStart(start);
  return {
    ...(start === undefined ? {} : { start: googleTimePatch(start, 'start') }),
    ...(end === undefined ? {} : { end: googleTimePatch(end, 'end') }),
    ...(recurrence === undefined
      ? {}
      : { recurrence: recurrence === null ? null : recurrenceLines(recurrence) }),
    ...wordsBody(words),
    ...(privacy === undefined || isPublicAlready(privacy, former)
      ? {}
      : { visibility: privacy ?? 'default' }),
    ...(attendees === undefined ? {} : { attendees: guestList(attendees ?? [], former.attendees) }),
    ...conferenceChange({ conference, autoConference }, former, requestId),
    ...propertiesChange({ custom, conference, autoConference }, former),
  };
}

type Change<Field extends keyof EventChange> = { readonly [F in Field]: EventChange[F] | undefined };

function conferenceChange(
  { conference, autoConference }: Change<'conference' | 'autoConference'>,
  { conferenceData: former }: GoogleEvent,
  requestId: string,
): EventBody {
  if (autoConference === true) {
    // A Meet that is there already is the one that is asked for.
    const isMeet = former?.conferenceSolution?.key?.type === 'hangoutsMeet';
    return isMeet ? {} : { conferenceData: conferencePatch(requestedMeet(requestId), former) };
  }
  if (conference === undefined) return {};
  if (conference === null) return { conferenceData: null };
  return { conferenceData: conferencePatch(conferenceAt(conference), former) };
}

function propertiesChange(
  { custom, conference, autoConference }: Change<'custom' | 'conference' | 'autoConference'>,
  { extendedProperties: former }: GoogleEvent,
): EventBody {
  const properties = custom === undefined ? undefined : customPatch(custom ?? {}, former);
  const movesOn = conference !== undefined || autoConference === true;
  const isKept = former?.private?.[CONFERENCE_PROPERTY] !== undefined;
  if (!movesOn || !isKept) return properties === undefined ? {} : { extendedProperties: properties };
  const own = { ...properties?.private, [CONFERENCE_PROPERTY]: null };
  return { extendedProperties: { ...properties, private: own } };
}

/**
 * Events that keep to the calendar's own visibility read as public. To say so outright would show their words to those
 * who may see no more than that somebody is busy: who sends back what was read does not mean that.
 */
const isPublicAlready = (privacy: EventChange['privacy'], { visibility }: GoogleEvent): boolean =>
  privacy === 'public' && visibility !== 'private' && visibility !== 'confidential';

type Words = Pick<EventChange, 'title' | 'description' | 'location' | 'color' | 'status' | 'availability'>;

function wordsBody(words: Words): Omit<EventBody, 'id'> {
  const { title, description, location, color, status, availability } = words;
  return {
    ...(title === undefined ? {} : { summary: title }),
    ...(description === undefined ? {} : { description }),
    ...(location === undefined ? {} : { location }),
    ...(color === undefined ? {} : { colorId: color === null ? null : colorIdOf(color) }),
    ...(status === undefined ? {} : { status: statusText(status ?? 'confirmed') }),
    ...(availability === undefined
      ? {}
      : { transparency: availability === 'free' ? 'transparent' : 'opaque' }),
  };
}

function statusText(status: Exclude<Words['status'], null | undefined>): string {
  if (status !== 'cancelled') return status;
  const message = 'A cancelled event is a deleted one at Google: delete it instead';
  throw new UnsupportedByProvider('field_not_supported_by_provider', message, 'status');
}
