/** The changes that people make in Google's own app. */
import { toInstant } from '../../src/lib/recurrence/event-instant.ts';
import type { EventTime } from '../../src/lib/recurrence/event-time.ts';
import { ianaZone } from '../../src/lib/recurrence/zone.ts';
import { ruleOfDraft } from '../core/draft-rule.ts';
import type { EventDraft, ListedInstance, ManualChanges } from '../core/provider-sandbox.ts';
import {
  cancelEvent,
  type EventInput,
  findEvent,
  insertEvent,
  instanceAt,
  replaceEvent,
} from './calendar-events.ts';
import type { Channels } from './channels.ts';
import { instancesOf, isMaster } from './event-series.ts';
import { timeOfDraft } from './event-times.ts';
import {
  addCalendar,
  addPerson,
  type EventDetails,
  type GoogleCalendar,
  type GooglePerson,
  type GoogleStore,
  putEntry,
  removeCalendar,
  type StoredEvent,
} from './google-store.ts';
import type { GoogleTokens } from './google-tokens.ts';

export type ManualChangesDeps = {
  readonly store: GoogleStore;
  readonly tokens: GoogleTokens;
  readonly channels: Channels;
  readonly now: () => number;
};

export function googleManualChanges({ store, tokens, channels, now }: ManualChangesDeps): ManualChanges {
  const { personOf, calendarOf, eventOf, occurrenceOf } = lookups(store);
  const writerOf = (email: string) => ({ email, now: now() });

  return {
    async addPerson({ email, name }) {
      addPerson(store, email, name);
    },
    async addCalendar(email, { title, color, timeZone, readOnly }) {
      const zone = existing(ianaZone(timeZone), `Not a zone: ${timeZone}`);
      const role = readOnly ? 'reader' : 'owner';
      const { id } = addCalendar(store, personOf(email), { title, color, timeZone: zone, role });
      channels.changed(`list ${email}`);
      return id;
    },
    async renameCalendar(email, calendarId, title) {
      const calendar = calendarOf(email, calendarId);
      calendar.title = title;
      // The change is listed for every person who has the calendar. No source confirms that.
      for (const person of store.people.values()) {
        const entry = person.list.get(calendarId);
        if (entry === undefined || entry.deleted) continue;
        putEntry(person, calendarId, entry);
        channels.changed(`list ${person.email}`);
      }
    },
    async removeCalendar(email, calendarId) {
      calendarOf(email, calendarId);
      removeCalendar(store, calendarId);
      channels.changed(`list ${email}`);
    },
    async createEvent(email, calendarId, draft) {
      const calendar = calendarOf(email, calendarId);
      const { id } = insertEvent(calendar, inputOf(draft), writerOf(email));
      channels.changed(calendarId);
      return id;
    },
    async updateEvent(email, calendarId, { id: eventId, ...draft }) {
      const calendar = calendarOf(email, calendarId);
      const event = eventOf(calendar, eventId);
      replaceEvent({ calendar, event }, inputOf(draft), writerOf(email));
      channels.changed(calendarId);
    },
    async deleteEvent(email, calendarId, eventId) {
      const calendar = calendarOf(email, calendarId);
      cancelEvent({ calendar, event: eventOf(calendar, eventId) }, writerOf(email));
      channels.changed(calendarId);
    },
    async changeOccurrence(email, calendarId, { id: eventId, original: originalStart, title, start, end }) {
      const calendar = calendarOf(email, calendarId);
      const event = occurrenceOf(calendar, eventId, timeOfDraft(originalStart));
      const details = { ...event.details, ...(title === undefined ? {} : { summary: title }) };
      const times = {
        start: start === undefined ? event.start : timeOfDraft(start),
        end: end === undefined ? event.end : timeOfDraft(end),
      };
      checkTimes(times);
      replaceEvent({ calendar, event }, { ...times, details }, writerOf(email));
      channels.changed(calendarId);
    },
    async deleteOccurrence(email, calendarId, { id: eventId, original: originalStart }) {
      const calendar = calendarOf(email, calendarId);
      const event = occurrenceOf(calendar, eventId, timeOfDraft(originalStart));
      cancelEvent({ calendar, event }, writerOf(email));
      channels.changed(calendarId);
    },
    async revokeAccess(email) {
      tokens.revokeUser(personOf(email).email);
    },
    async forgetSyncTokens(email, calendarId) {
      calendarOf(email, calendarId).tokenEpoch += 1;
      personOf(email).tokenEpoch += 1;
    },
    async instances(email, calendarId, window) {
      return instancesIn(calendarOf(email, calendarId), window);
    },
  };
}

/** Returns look-ups that throw an Error if nothing is found. */
export function lookups(store: GoogleStore) {
  const personOf = (email: string): GooglePerson =>
    existing(store.people.get(email), `${email} has no account`);
  const calendarOf = (email: string, calendarId: string): GoogleCalendar => {
    const entry = personOf(email).list.get(calendarId);
    const calendar = entry?.deleted === false ? store.calendars.get(calendarId) : undefined;
    return existing(calendar, `${email} has no calendar ${calendarId}`);
  };
  const eventOf = (calendar: GoogleCalendar, eventId: string): StoredEvent => {
    const event = calendar.events.get(eventId);
    return existing(event?.status === 'cancelled' ? undefined : event, `There is no event ${eventId}`);
  };
  const occurrenceOf = (calendar: GoogleCalendar, eventId: string, original: EventTime): StoredEvent => {
    const master = eventOf(calendar, eventId);
    const instance = isMaster(master) ? instanceAt(calendar, master, original) : undefined;
    const stored = instance && findEvent(calendar, instance.id);
    const current = stored?.status === 'cancelled' ? undefined : stored;
    return existing(current, `Event ${eventId} has no occurrence of ${JSON.stringify(original)}`);
  };
  return { personOf, calendarOf, eventOf, occurrenceOf };
}

function existing<T>(value: T | undefined, message: string): T {
  if (value === undefined) throw new Error(message);
  return value;
}

function instancesIn(calendar: GoogleCalendar, window: { start: number; end: number }): ListedInstance[] {
  return [...calendar.events.values()]
    .filter(({ instanceOf, status }) => instanceOf === undefined && status !== 'cancelled')
    .flatMap((event) => instancesOf(calendar, event, window))
    .map(({ payload, startsAt, endsAt }) => ({
      title: payload.details.summary ?? '',
      start: startsAt,
      end: endsAt,
      allDay: payload.start.type === 'date',
    }))
    .sort((a, b) => a.start - b.start || (a.title < b.title ? -1 : a.title > b.title ? 1 : 0));
}

export function inputOf({ start, end, recurrence, ...draft }: EventDraft): EventInput {
  const times = { start: timeOfDraft(start), end: timeOfDraft(end) };
  checkTimes(times);
  const rule = recurrence && [`RRULE:${ruleOfDraft(recurrence, times.start)}`];
  return { ...times, recurrence: rule, details: detailsOf(draft) };
}

function checkTimes({ start, end }: Pick<EventInput, 'start' | 'end'>): void {
  if (start.type !== end.type) throw new Error('A start and an end are both dates or both times');
  const length = toInstant(end, 'UTC') - toInstant(start, 'UTC');
  if (length < 0 || (length === 0 && start.type === 'date'))
    throw new Error('The end is not after the start');
}

function detailsOf({
  title,
  description,
  location,
  attendees,
  availability,
  privacy,
  conference,
}: Omit<EventDraft, 'start' | 'end'>): EventDetails {
  return {
    summary: title,
    ...(description === undefined ? {} : { description }),
    ...(location === undefined ? {} : { location }),
    ...(availability === 'free' ? { transparency: 'transparent' } : {}),
    ...(privacy === undefined ? {} : { visibility: privacy }),
    ...(attendees === undefined
      ? {}
      : {
          attendees: attendees.map(({ email, name }) => ({
            email,
            ...(name === undefined ? {} : { displayName: name }),
            responseStatus: 'needsAction',
          })),
        }),
    ...(conference === undefined ? {} : conferenceOf(conference)),
  };
}

function conferenceOf(uri: string): EventDetails {
  const isMeet = uri.startsWith('https://meet.google.com/');
  const solution = isMeet
    ? { key: { type: 'hangoutsMeet' }, name: 'Google Meet' }
    : { key: { type: 'addOn' }, name: new URL(uri).hostname };
  return {
    ...(isMeet ? { hangoutLink: uri } : {}),
    conferenceData: {
      conferenceSolution: solution,
      conferenceId: new URL(uri).pathname.slice(1),
      entryPoints: [{ entryPointType: 'video', uri, label: uri.replace(/^https?:\/\//, '') }],
    },
  };
}
