/** Events as clients send them, checked as Google checks them. */
import { toInstant } from '../../src/lib/recurrence/event-instant.ts';
import { isJsonObject, type JsonObject } from '../core/json-object.ts';
import { SandboxRefusal } from '../core/sandbox-refusal.ts';
import type { EventInput } from './calendar-events.ts';
import { conferenceDetails, type MeetBehaviour } from './conferences.ts';
import { readRecurrence } from './event-series.ts';
import { readTime } from './event-times.ts';
import type { EventDetails, GoogleEvent } from './google-store.ts';

const TEXTS = [
  'summary',
  'description',
  'location',
  'transparency',
  'visibility',
  'colorId',
  'eventType',
] as const;
const FLAGS = [
  'anyoneCanAddSelf',
  'guestsCanModify',
  'guestsCanInviteOthers',
  'guestsCanSeeOtherGuests',
] as const;
const OBJECTS = [
  'extendedProperties',
  'conferenceData',
  'reminders',
  'source',
  'workingLocationProperties',
  'outOfOfficeProperties',
  'focusTimeProperties',
] as const;
const LISTS = ['attendees', 'attachments', 'recurrence'] as const;

const wrong = (name: string) => new SandboxRefusal(400, 'invalid', `Invalid value for: ${name}`);

/** Returns the body with the type of every field checked. Null counts as absent, and read-only fields are dropped. */
export function eventBody(body: JsonObject): GoogleEvent {
  const checks: [readonly string[], (value: unknown) => boolean][] = [
    [[...TEXTS, 'id', 'status'], (value) => typeof value === 'string'],
    [FLAGS, (value) => typeof value === 'boolean'],
    [[...OBJECTS, 'start', 'end'], isJsonObject],
    [LISTS, Array.isArray],
  ];
  const checked: Record<string, unknown> = {};
  for (const [names, holds] of checks) {
    for (const name of names) {
      const value = body[name];
      if (value === undefined || value === null) continue;
      if (!holds(value)) throw wrong(name);
      checked[name] = value;
    }
  }
  for (const side of ['start', 'end']) {
    const time = checked[side];
    const texts = isJsonObject(time) ? [time.date, time.dateTime, time.timeZone] : [];
    if (texts.some((value) => value && typeof value !== 'string')) throw wrong(side);
  }
  checkAttendees(checked.attendees);
  checkAttachments(checked.attachments);
  checkConference(checked.conferenceData);
  if (Array.isArray(checked.recurrence) && !checked.recurrence.every((line) => typeof line === 'string')) {
    throw wrong('recurrence');
  }
  return checked as GoogleEvent; // every member that is read below was checked above
}

function checkAttendees(attendees: unknown): void {
  if (!Array.isArray(attendees)) return;
  for (const attendee of attendees) {
    const email: unknown = isJsonObject(attendee) ? attendee.email : undefined;
    if (typeof email !== 'string' || !/^[^\s@]+@[^\s@]+$/.test(email)) {
      throw new SandboxRefusal(400, 'invalid', 'Invalid attendee email.');
    }
  }
}

function checkAttachments(attachments: unknown): void {
  if (!Array.isArray(attachments)) return;
  const holds = (file: unknown) => isJsonObject(file) && typeof file.fileUrl === 'string';
  if (!attachments.every(holds)) throw wrong('attachments');
}

function checkConference(conference: unknown): void {
  if (!isJsonObject(conference)) return;
  const { createRequest, entryPoints } = conference;
  const isList = Array.isArray(entryPoints) && entryPoints.every(isJsonObject);
  if (entryPoints !== undefined && !isList) throw wrong('conferenceData.entryPoints');
  if (createRequest === undefined) return;
  const holds =
    isJsonObject(createRequest) &&
    (createRequest.conferenceSolutionKey === undefined ||
      isJsonObject(createRequest.conferenceSolutionKey)) &&
    (createRequest.requestId === undefined || typeof createRequest.requestId === 'string');
  if (!holds) throw wrong('conferenceData.createRequest');
}

export type InputContext = {
  readonly timeZone: string;
  /** The details of the event that is replaced or patched. */
  readonly former?: EventDetails;
  /** `conferenceDataVersion`: 0 leaves conferences as they are. */
  readonly conferenceDataVersion: number;
  /** `supportsAttachments`: attachments stay as they are without it. */
  readonly supportsAttachments: boolean;
  readonly meets: MeetBehaviour;
};

/** Throws for impossible times, rules and conferences. */
export function eventInput(
  event: GoogleEvent,
  { timeZone, former, conferenceDataVersion, supportsAttachments, meets }: InputContext,
): EventInput {
  const start = readTime(event.start, 'start', timeZone);
  const end = readTime(event.end, 'end', timeZone);
  if (start.type !== end.type) {
    const message = 'Start and end times must either both be date or both be dateTime.';
    throw new SandboxRefusal(400, 'invalid', message);
  }
  const length = toInstant(end, timeZone) - toInstant(start, timeZone);
  if (length < 0 || (length === 0 && start.type === 'date')) {
    throw new SandboxRefusal(400, 'timeRangeEmpty', 'The specified time range is empty.');
  }
  const recurrence = event.recurrence?.length ? event.recurrence : undefined;
  if (recurrence !== undefined) {
    if (start.type !== 'date' && !event.start?.timeZone) {
      throw new SandboxRefusal(400, 'required', 'Missing time zone definition for start time.');
    }
    readRecurrence(recurrence, timeZone);
  }
  if (event.status === 'cancelled') throw new SandboxRefusal(400, 'invalid', 'Invalid value for: status');
  const conference =
    conferenceDataVersion === 1 ? conferenceDetails(event.conferenceData, meets) : conferenceIn(former);
  return {
    start,
    end,
    recurrence,
    status: event.status === 'tentative' ? 'tentative' : 'confirmed',
    details: {
      ...detailsIn(event),
      ...conference,
      ...attachmentsIn(supportsAttachments ? event : former),
    },
  };
}

/** Keeps an existing conference, whatever the client sends about it. */
const conferenceIn = ({ conferenceData, hangoutLink }: EventDetails = {}): EventDetails => ({
  ...(conferenceData === undefined ? {} : { conferenceData }),
  ...(hangoutLink === undefined ? {} : { hangoutLink }),
});

const attachmentsIn = ({ attachments }: EventDetails = {}): EventDetails =>
  attachments === undefined || attachments.length === 0 ? {} : { attachments };

function detailsIn(event: GoogleEvent): EventDetails {
  const names = [...TEXTS, ...FLAGS, ...OBJECTS, 'attendees'] as const;
  const isThere = (value: unknown) => value !== undefined && value !== '';
  const details = Object.fromEntries(
    names.flatMap((name) => (isThere(event[name]) ? [[name, event[name]]] : [])),
  );
  delete details.conferenceData;
  return details;
}
