/** What people do in the calendar app of their CalDAV provider, written as such an app writes it. */
import { randomUUID } from 'node:crypto';

import { instantOf } from '../../src/lib/recurrence/event-instant.ts';
import { expand } from '../../src/lib/recurrence/expand.ts';
import { recurrenceBudget } from '../../src/lib/recurrence/recurrence-budget.ts';
import { timeZoneOf } from '../../src/providers/caldav/calendar-time-zone.ts';
import type { DraftTime, EventDraft, ProviderHand } from '../core/provider-sandbox.ts';
import type { Account, Accounts } from './accounts.ts';
import { CalendarCollection, type CalendarObject } from './collection.ts';
import { xmlText } from './dav-answer.ts';
import { eventLines, eventTimeOf } from './event-writer.ts';
import { timeLine, writeComponent } from './icalendar-writer.ts';
import { byStartThenTitle, instancesOf, readEvents, seriesOf, shown } from './instances.ts';
import { COLOR, TIME_ZONE, TITLE } from './live-properties.ts';
import type { Manner } from './manner.ts';
import {
  changedEvent,
  type EditedObject,
  lineNamed,
  type OccurrenceChange,
  readObject,
  sequenceOf,
  without,
  writeObject,
} from './object-editor.ts';
import { lengthened } from './occurrence-end.ts';
import { vtimezoneOf } from './vtimezone-writer.ts';

export type HandDeps = {
  readonly manner: Manner;
  readonly accounts: Accounts;
  readonly now: () => number;
  /** Where the homes are. */
  readonly homeOrigin: string;
};

/** The ids of calendars are their absolute URLs, those of events the last segments of theirs. */
export function caldavHand(deps: HandDeps): ProviderHand {
  const { accounts, now } = deps;
  const find = (email: string, calendarId: string) => calendarOf(email, calendarId, deps);
  const write = (calendar: CalendarCollection, object: CalendarObject, edited: EditedObject) =>
    calendar.put(object.name, object.uid, writeObject(edited, now()));

  return {
    async addPerson(person) {
      accounts.add(person);
    },
    async addCalendar(email, { title, color, timeZone, readOnly = false }) {
      const account = accounts.of(email);
      const name = randomUUID();
      const calendar = new CalendarCollection({
        name,
        components: ['VEVENT'],
        readOnly,
        properties: new Map([
          [TITLE, xmlText(title)],
          [TIME_ZONE, xmlText(zoneText(timeZone, now()))],
          ...(color === undefined ? [] : [[COLOR, xmlText(color)] as const]),
        ]),
      });
      account.calendars.set(name, calendar);
      return hrefOf(account, calendar, deps);
    },
    async removeCalendar(email, calendarId) {
      accounts.of(email).calendars.delete(find(email, calendarId).name);
    },
    async createEvent(email, calendarId, draft) {
      const calendar = find(email, calendarId);
      const uid = randomUUID().toUpperCase();
      const master = eventLines(draft, {
        uid,
        now: now(),
        sequence: 0,
        organizer: accounts.of(email).person,
      });
      const name = `${uid}.ics`;
      calendar.put(name, uid, writeObject({ master, overrides: new Map() }, now()));
      return name;
    },
    async updateEvent(email, calendarId, eventId, draft) {
      const calendar = find(email, calendarId);
      const object = objectOf(calendar, eventId);
      write(
        calendar,
        object,
        replaced(readObject(object.icalendar), object.uid, draft, accounts.of(email), now()),
      );
    },
    async deleteEvent(email, calendarId, eventId) {
      const calendar = find(email, calendarId);
      calendar.remove(objectOf(calendar, eventId).name);
    },
    async changeOccurrence(email, calendarId, eventId, originalStart, change) {
      const calendar = find(email, calendarId);
      const object = objectOf(calendar, eventId);
      checkOccurrence(object, originalStart);
      write(calendar, object, withOverride(object, originalStart, change, now()));
    },
    async deleteOccurrence(email, calendarId, eventId, originalStart) {
      const calendar = find(email, calendarId);
      const object = objectOf(calendar, eventId);
      checkOccurrence(object, originalStart);
      const { master, overrides } = readObject(object.icalendar);
      const kept = new Map(
        [...overrides].filter(([line]) => line !== timeLine('RECURRENCE-ID', originalStart)),
      );
      const excluded = [...changedEvent(master, {}, now()), timeLine('EXDATE', originalStart)];
      write(calendar, object, { master: excluded, overrides: kept });
    },
    async revokeAccess(email) {
      accounts.renewPassword(email);
    },
    async forgetSyncTokens(email, calendarId) {
      find(email, calendarId).forgetSyncTokens();
    },
    async instances(email, calendarId, window) {
      const calendar = find(email, calendarId);
      const zone = timeZoneOf(plainText(calendar.properties.get(TIME_ZONE))) ?? 'UTC';
      const instances = calendar.objects().flatMap((object) => instancesOf(object, window, zone));
      return instances.map(shown).sort(byStartThenTitle);
    },
  };
}

/** The absolute URL of a calendar. */
export function hrefOf(
  account: Account,
  calendar: { readonly name: string },
  { manner, homeOrigin }: Pick<HandDeps, 'manner' | 'homeOrigin'>,
): string {
  return `${homeOrigin}${manner.pathOfHome(account)}${encodeURIComponent(calendar.name)}/`;
}

function calendarOf(email: string, calendarId: string, deps: HandDeps): CalendarCollection {
  const account = deps.accounts.of(email);
  const calendars = [...account.calendars.values()];
  const calendar = calendars.find((candidate) => hrefOf(account, candidate, deps) === calendarId);
  if (calendar === undefined) throw new Error(`${email} has no calendar ${calendarId}`);
  return calendar;
}

function objectOf(calendar: CalendarCollection, eventId: string): CalendarObject {
  const object = calendar.object(eventId);
  if (object === undefined) throw new Error(`The calendar ${calendar.name} has no event ${eventId}`);
  return object;
}

/** The iCalendar text that tells a calendar's zone (RFC 4791 §5.2.2). */
function zoneText(timeZone: string, now: number): string {
  const lines = ['VERSION:2.0', 'PRODID:-//Kalends//Sandbox//EN'];
  return writeComponent({ name: 'VCALENDAR', lines, components: [vtimezoneOf(timeZone, now)] });
}

const plainText = (xml: string | undefined): string | undefined =>
  xml?.replace(/&#13;/g, '\r').replaceAll('&lt;', '<').replaceAll('&gt;', '>').replaceAll('&amp;', '&');

/** As calendar apps do: exceptions stay while the series keeps its times, and go when those change. */
function replaced(
  { master, overrides }: EditedObject,
  uid: string,
  draft: EventDraft,
  { person }: Account,
  now: number,
): EditedObject {
  const lines = eventLines(draft, { uid, now, sequence: sequenceOf(master) + 1, organizer: person });
  const keeps = ['DTSTART', 'RRULE'].every((name) => lineNamed(master, name) === lineNamed(lines, name));
  if (!keeps) return { master: lines, overrides: new Map() };
  return { master: [...lines, ...master.filter((line) => /^EXDATE\b/i.test(line))], overrides };
}

/** Throws an Error unless the event recurs at that time and the occurrence was not deleted. */
function checkOccurrence({ name, icalendar }: CalendarObject, originalStart: DraftTime): void {
  const { master } = seriesOf(readEvents(icalendar));
  const key = instantOf(eventTimeOf(originalStart), 'UTC');
  const pattern = { master, overrides: [] };
  const found = expand(pattern, { start: key, end: key + 1 }, 'UTC', recurrenceBudget()).instances;
  const isNamed = found.some((instance) => instantOf(instance.originalStart, 'UTC') === key);
  if (master?.recurrence?.rrules.length === 0 || !isNamed)
    throw new Error(`${name} has no occurrence at ${JSON.stringify(originalStart)}`);
}

function withOverride(
  object: CalendarObject,
  originalStart: DraftTime,
  change: OccurrenceChange,
  now: number,
): EditedObject {
  const { master, overrides } = readObject(object.icalendar);
  const line = timeLine('RECURRENCE-ID', originalStart);
  const { master: series } = seriesOf(readEvents(object.icalendar));
  if (series === undefined) throw new Error(`${object.name} has no series`);
  const fresh = () =>
    changedEvent(
      [...without(master, 'RRULE', 'RDATE', 'EXDATE'), line],
      { start: originalStart, end: lengthened(originalStart, series) },
      now,
    );
  const before = overrides.get(line);
  // Moved without being given an end, it takes as long as the series does.
  const end = change.end ?? (change.start && lengthened(change.start, series));
  const changed = changedEvent(before ?? fresh(), { ...change, ...(end && { end }) }, now);
  return { master, overrides: new Map([...overrides, [line, changed]]) };
}
