/** The data of the sandbox's Google, in memory: people, their calendar lists, calendars and events. */
import { randomBytes } from 'node:crypto';

import type { calendar_v3 } from '@googleapis/calendar';

import type { EventTime } from '../../src/lib/recurrence/event-time.ts';

export type GoogleEvent = calendar_v3.Schema$Event;

/** The fields that clients write and read back unchanged. */
export type EventDetails = Pick<
  GoogleEvent,
  | 'summary'
  | 'description'
  | 'location'
  | 'transparency'
  | 'visibility'
  | 'attendees'
  | 'colorId'
  | 'extendedProperties'
  | 'conferenceData'
  | 'hangoutLink'
  | 'reminders'
  | 'source'
  | 'attachments'
  | 'anyoneCanAddSelf'
  | 'guestsCanModify'
  | 'guestsCanInviteOthers'
  | 'guestsCanSeeOtherGuests'
  | 'eventType'
  | 'workingLocationProperties'
  | 'outOfOfficeProperties'
  | 'focusTimeProperties'
>;

/** The organizer of an event, and the address by which this calendar is its guest. */
export type Invitation = { readonly organizer: string; readonly guest: string };

/** A single event, a master, or an exception: a changed or cancelled instance of a master. Never changed in place. */
export type StoredEvent = {
  readonly id: string;
  readonly iCalUID: string;
  readonly status: 'confirmed' | 'tentative' | 'cancelled';
  readonly start: EventTime;
  readonly end: EventTime;
  /** The lines of RFC 5545 that make it a master. */
  readonly recurrence?: readonly string[] | undefined;
  /** Defined for an exception. `original` is in the type and zone of the master's start. */
  readonly instanceOf?: { readonly masterId: string; readonly original: EventTime } | undefined;
  readonly details: EventDetails;
  /** Defined if the calendar is invited to the event. */
  readonly invitation?: Invitation;
  readonly creator: string;
  /** iCalendar's SEQUENCE. */
  readonly sequence: number;
  /** Epoch milliseconds. */
  readonly created: number;
  readonly updated: number;
  /** Counts the calendar's changes; the event's etag is derived from it. */
  readonly version: number;
};

export type GoogleCalendar = {
  readonly id: string;
  title: string;
  description: string | undefined;
  timeZone: string;
  readonly dataOwner: string;
  readonly events: Map<string, StoredEvent>;
  /** The exceptions of each master by their ids. */
  readonly exceptions: Map<string, Set<string>>;
  /** The number of changes so far. */
  version: number;
  /** The epoch of sync tokens: those of an earlier epoch are no longer valid. */
  tokenEpoch: number;
  readonly instanceVersions: InstanceVersions;
};

/** Whether an instance without changes has its master's version or a separate one. No source confirms which. */
export type InstanceVersions = 'master' | 'own';

/**
 * The roles, from the least access to the most. `writerWithoutPrivateAccess` can write, and sees only that private
 * events exist.
 */
export const ACCESS_ROLES = [
  'freeBusyReader',
  'reader',
  'writerWithoutPrivateAccess',
  'writer',
  'owner',
] as const;

export type AccessRole = (typeof ACCESS_ROLES)[number];

/** A calendar in a person's list. */
export type ListEntry = {
  readonly calendarId: string;
  readonly role: AccessRole;
  readonly color: string;
  readonly deleted: boolean;
  readonly version: number;
};

export type GooglePerson = {
  readonly email: string;
  readonly name: string;
  /** The person's id in ID tokens: digits. */
  readonly sub: string;
  readonly list: Map<string, ListEntry>;
  version: number;
  tokenEpoch: number;
};

export type GoogleStore = {
  readonly people: Map<string, GooglePerson>;
  readonly calendars: Map<string, GoogleCalendar>;
  readonly instanceVersions: InstanceVersions;
};

export const googleStore = (instanceVersions: InstanceVersions = 'master'): GoogleStore => ({
  people: new Map(),
  calendars: new Map(),
  instanceVersions,
});

/** Adds a person with a calendar named by their address. Throws an Error if the person exists. */
export function addPerson(store: GoogleStore, email: string, name: string): void {
  if (store.people.has(email)) throw new Error(`${email} has an account already`);
  // 21 digits. No source confirms that Google uses as many.
  const sub = `1${BigInt(`0x${randomBytes(12).toString('hex')}`)
    .toString()
    .padStart(20, '0')
    .slice(0, 20)}`;
  const person: GooglePerson = { email, name, sub, list: new Map(), version: 0, tokenEpoch: 0 };
  store.people.set(email, person);
  addCalendar(store, person, { id: email, title: email, timeZone: 'UTC' });
}

export type NewCalendar = {
  readonly id?: string;
  readonly title: string;
  readonly description?: string | undefined;
  readonly timeZone: string;
  readonly color?: string | undefined;
  readonly role?: AccessRole;
  /** The owner of the data; by default the person, or another person if the role is not "owner". */
  readonly dataOwner?: string;
};

export const SOMEBODY = 'someone.else@example.com';

export function addCalendar(store: GoogleStore, person: GooglePerson, made: NewCalendar): GoogleCalendar {
  const id = made.id ?? `c_${randomBytes(28).toString('hex')}@group.calendar.google.com`;
  const calendar: GoogleCalendar = {
    id,
    title: made.title,
    description: made.description,
    timeZone: made.timeZone,
    dataOwner: made.dataOwner ?? (made.role === undefined || made.role === 'owner' ? person.email : SOMEBODY),
    events: new Map(),
    exceptions: new Map(),
    version: 0,
    tokenEpoch: 0,
    instanceVersions: store.instanceVersions,
  };
  store.calendars.set(id, calendar);
  putEntry(person, id, { role: made.role ?? 'owner', color: made.color ?? '#9fe1e7', deleted: false });
  return calendar;
}

export function putEntry(
  person: GooglePerson,
  calendarId: string,
  entry: Pick<ListEntry, 'role' | 'color' | 'deleted'>,
): void {
  person.version += 1;
  person.list.set(calendarId, { ...entry, calendarId, version: person.version });
}

/** Removes the calendar from everybody's list. */
export function removeCalendar(store: GoogleStore, calendarId: string): void {
  store.calendars.delete(calendarId);
  for (const person of store.people.values()) {
    const entry = person.list.get(calendarId);
    if (entry !== undefined) putEntry(person, calendarId, { ...entry, deleted: true });
  }
}
