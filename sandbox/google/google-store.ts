/** What the sandbox's Google knows: people, their calendar lists, calendars and events. All of it in memory. */
import { randomBytes } from 'node:crypto';

import type { calendar_v3 } from '@googleapis/calendar';

import type { EventTime } from '../../src/lib/recurrence/event-time.ts';

export type GoogleEvent = calendar_v3.Schema$Event;

/** What clients write and read back as it is. */
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

/** Whose event it is, and by which address this calendar is its guest. */
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
  /** Of an exception. `original` is in the type and zone of the master's start. */
  readonly instanceOf?: { readonly masterId: string; readonly original: EventTime } | undefined;
  readonly details: EventDetails;
  /** Of an event that the calendar is invited to. */
  readonly invitation?: Invitation;
  readonly creator: string;
  /** iCalendar's. */
  readonly sequence: number;
  /** Epoch milliseconds. */
  readonly created: number;
  readonly updated: number;
  /** Counts the calendar's changes; the event's etag is made of it. */
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
  /** Sync tokens carry it: those of an earlier one are forgotten. */
  tokenEpoch: number;
  readonly instanceVersions: InstanceVersions;
};

/** Whether an instance that nobody changed has its master's version or one of its own. No source confirms which. */
export type InstanceVersions = 'master' | 'own';

/** From the least access to the most. `writerWithoutPrivateAccess` writes, and sees of private events that they are there. */
export const ACCESS_ROLES = [
  'freeBusyReader',
  'reader',
  'writerWithoutPrivateAccess',
  'writer',
  'owner',
] as const;

export type AccessRole = (typeof ACCESS_ROLES)[number];

/** A calendar in somebody's list. */
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
  /** What ID tokens call the person: digits. */
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

/** Fails as Error for a person who is there already. Everybody has a calendar of their own, named by their address. */
export function addPerson(store: GoogleStore, email: string, name: string): void {
  if (store.people.has(email)) throw new Error(`${email} has an account already`);
  // 21 digits. No source confirms that Google's are so.
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
  /** The person, or somebody else for a role that is not "owner", unless given. */
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

/** Takes the calendar out of everybody's list. */
export function removeCalendar(store: GoogleStore, calendarId: string): void {
  store.calendars.delete(calendarId);
  for (const person of store.people.values()) {
    const entry = person.list.get(calendarId);
    if (entry !== undefined) putEntry(person, calendarId, { ...entry, deleted: true });
  }
}
