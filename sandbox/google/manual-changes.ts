/** What people do in Google's own app. */

import { DAY, formatLocal, parseLocal } from '../../src/lib/recurrence/civil.ts';
import { instantOf } from '../../src/lib/recurrence/event-instant.ts';
import type { EventTime } from '../../src/lib/recurrence/event-time.ts';
import { ianaZone, instantOfLocal } from '../../src/lib/recurrence/zone.ts';
import type { DraftRecurrence, EventDraft, ProviderHand, ShownInstance } from '../core/provider-sandbox.ts';
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
import type { GoogleTokens } from './google-tokens.ts';
import {
  addCalendar,
  addPerson,
  type EventWords,
  type GoogleCalendar,
  type GooglePerson,
  type GoogleWorld,
  putEntry,
  removeCalendar,
  type StoredEvent,
} from './google-world.ts';

export type ManualChangesDeps = {
  readonly world: GoogleWorld;
  readonly tokens: GoogleTokens;
  readonly channels: Channels;
  readonly now: () => number;
};

export function googleManualChanges({ world, tokens, channels, now }: ManualChangesDeps): ProviderHand {
  const { personOf, calendarOf, eventOf, occurrenceOf } = lookUps(world);
  const writerOf = (email: string) => ({ email, now: now() });

  return {
    async addPerson({ email, name }) {
      addPerson(world, email, name);
    },
    async addCalendar(email, { title, color, timeZone, readOnly }) {
      const zone = existing(ianaZone(timeZone), `Not a zone: ${timeZone}`);
      const role = readOnly ? 'reader' : 'owner';
      const { id } = addCalendar(world, personOf(email), { title, color, timeZone: zone, role });
      channels.changed(`list ${email}`);
      return id;
    },
    async renameCalendar(email, calendarId, title) {
      const calendar = calendarOf(email, calendarId);
      calendar.title = title;
      // The list of everybody who has it tells of it anew (k).
      for (const person of world.people.values()) {
        const entry = person.list.get(calendarId);
        if (entry === undefined || entry.deleted) continue;
        putEntry(person, calendarId, entry);
        channels.changed(`list ${person.email}`);
      }
    },
    async removeCalendar(email, calendarId) {
      calendarOf(email, calendarId);
      removeCalendar(world, calendarId);
      channels.changed(`list ${email}`);
    },
    async createEvent(email, calendarId, draft) {
      const calendar = calendarOf(email, calendarId);
      const { id } = insertEvent(calendar, inputOf(draft), writerOf(email));
      channels.changed(calendarId);
      return id;
    },
    async updateEvent(email, calendarId, eventId, draft) {
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
    async changeOccurrence(email, calendarId, eventId, originalStart, { title, start, end }) {
      const calendar = calendarOf(email, calendarId);
      const event = occurrenceOf(calendar, eventId, timeOfDraft(originalStart));
      const words = { ...event.words, ...(title === undefined ? {} : { summary: title }) };
      const times = {
        start: start === undefined ? event.start : timeOfDraft(start),
        end: end === undefined ? event.end : timeOfDraft(end),
      };
      checkTimes(times);
      replaceEvent({ calendar, event }, { ...times, words }, writerOf(email));
      channels.changed(calendarId);
    },
    async deleteOccurrence(email, calendarId, eventId, originalStart) {
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
      return shownInstances(calendarOf(email, calendarId), window);
    },
  };
}

/** Each fails as Error for what is not there. */
function lookUps(world: GoogleWorld) {
  const personOf = (email: string): GooglePerson =>
    existing(world.people.get(email), `${email} has no account`);
  const calendarOf = (email: string, calendarId: string): GoogleCalendar => {
    const entry = personOf(email).list.get(calendarId);
    const calendar = entry?.deleted === false ? world.calendars.get(calendarId) : undefined;
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
    const alive = stored?.status === 'cancelled' ? undefined : stored;
    return existing(alive, `Event ${eventId} has no occurrence of ${JSON.stringify(original)}`);
  };
  return { personOf, calendarOf, eventOf, occurrenceOf };
}

function existing<T>(value: T | undefined, message: string): T {
  if (value === undefined) throw new Error(message);
  return value;
}

function shownInstances(calendar: GoogleCalendar, window: { start: number; end: number }): ShownInstance[] {
  return [...calendar.events.values()]
    .filter(({ instanceOf, status }) => instanceOf === undefined && status !== 'cancelled')
    .flatMap((event) => instancesOf(calendar, event, window))
    .map(({ payload, startsAt, endsAt }) => ({
      title: payload.words.summary ?? '',
      start: startsAt,
      end: endsAt,
      allDay: payload.start.type === 'date',
    }))
    .sort((a, b) => a.start - b.start || (a.title < b.title ? -1 : a.title > b.title ? 1 : 0));
}

function inputOf({ start, end, recurrence, ...draft }: EventDraft): EventInput {
  const times = { start: timeOfDraft(start), end: timeOfDraft(end) };
  checkTimes(times);
  const rule = recurrence && [`RRULE:${ruleOf(recurrence, times.start)}`];
  return { ...times, recurrence: rule, words: wordsOf(draft) };
}

function checkTimes({ start, end }: Pick<EventInput, 'start' | 'end'>): void {
  if (start.type !== end.type) throw new Error('A start and an end are both dates or both times');
  const length = instantOf(end, 'UTC') - instantOf(start, 'UTC');
  if (length < 0 || (length === 0 && start.type === 'date'))
    throw new Error('The end is not after the start');
}

function wordsOf({
  title,
  description,
  location,
  attendees,
  availability,
  privacy,
  conference,
}: Omit<EventDraft, 'start' | 'end'>): EventWords {
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

function conferenceOf(uri: string): EventWords {
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

function ruleOf({ frequency, interval, count, until, weekdays }: DraftRecurrence, start: EventTime): string {
  const parts = [
    `FREQ=${frequency.toUpperCase()}`,
    ...(interval === undefined ? [] : [`INTERVAL=${interval}`]),
    ...(count === undefined ? [] : [`COUNT=${count}`]),
    ...(until === undefined ? [] : [`UNTIL=${untilOf(until, start)}`]),
    ...(weekdays === undefined ? [] : [`BYDAY=${weekdays.join(',')}`]),
  ];
  return parts.join(';');
}

/** A date for whole days; for times the last moment of that day, in UTC (RFC 5545 §3.3.10). */
function untilOf(date: string, start: EventTime): string {
  const day = parseLocal(date);
  if (day === undefined) throw new Error(`Not a date: ${date}`);
  if (start.type !== 'zoned') return date.replaceAll('-', '');
  const last = instantOfLocal(start.zone, day + DAY - 1000);
  return `${formatLocal(last).replace(/[-:]/g, '')}Z`;
}
