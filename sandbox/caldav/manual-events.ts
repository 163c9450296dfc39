/**
 * The changes that people make to events, written as calendar apps do: one resource for a series and all its
 * exceptions.
 */
import { randomUUID } from 'node:crypto';

import { toInstant } from '../../src/lib/recurrence/event-instant.ts';
import { toDraftTime } from '../core/draft-time.ts';
import { instancesIn } from '../core/instances.ts';
import type { DraftTime, EventDraft, EventEditor, ManualChanges } from '../core/provider-sandbox.ts';
import type { Accounts } from './accounts.ts';
import type { CalendarCollection, CalendarObject } from './collection.ts';
import { eventLines, eventTimeOf, type Writing } from './event-writer.ts';
import { timeLine } from './icalendar-writer.ts';
import { readEvents, seriesOf } from './instances.ts';
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
import type { Scheduling } from './scheduling.ts';

export type ManualEventsDeps = {
  readonly now: () => number;
  readonly accounts: Accounts;
  /** Absent if the server sends nothing itself. */
  readonly scheduling?: Scheduling | undefined;
  /** Throws an Error if there is no such calendar. */
  find(email: string, calendarId: string): CalendarCollection;
};

export type ManualEvents = Pick<
  ManualChanges,
  'createEvent' | 'updateEvent' | 'deleteEvent' | 'changeOccurrence' | 'deleteOccurrence'
> &
  Pick<EventEditor, 'events' | 'changeEvent'>;

export function manualEvents({ now, accounts, scheduling, find }: ManualEventsDeps): ManualEvents {
  const put = (email: string, calendar: CalendarCollection, { name, uid, edited, before }: Put) => {
    const after = writeObject(edited, now());
    const account = accounts.of(email);
    calendar.put(name, uid, scheduling?.write({ account, before, after }) ?? after);
  };
  const writing =
    (email: string, calendar: CalendarCollection) => (object: CalendarObject, edited: EditedObject) =>
      put(email, calendar, { name: object.name, uid: object.uid, edited, before: object.icalendar });
  const organizerOf = (email: string) => {
    const account = accounts.of(email);
    const [address = `mailto:${account.person.email}`] = scheduling?.addressesOf(account) ?? [];
    return { name: account.person.name, email: address.replace(/^mailto:/, '') };
  };

  return {
    async createEvent(email, calendarId, draft) {
      const calendar = find(email, calendarId);
      const uid = randomUUID().toUpperCase();
      const master = eventLines(draft, {
        uid,
        now: now(),
        sequence: 0,
        organizer: organizerOf(email),
      });
      const name = `${uid}.ics`;
      put(email, calendar, { name, uid, edited: { master, overrides: new Map() }, before: undefined });
      return name;
    },
    async updateEvent(email, calendarId, { id: eventId, ...draft }) {
      const calendar = find(email, calendarId);
      const object = objectOf(calendar, eventId);
      const organizer = organizerOf(email);
      writing(email, calendar)(object, replaced(object, draft, { now: now(), organizer }));
    },
    events: (email, calendarId) =>
      find(email, calendarId)
        .objects()
        .flatMap(({ name: id, icalendar }) => {
          const { master } = seriesOf(readEvents(icalendar));
          if (master === undefined || master.payload.status === 'CANCELLED') return [];
          const [start, end] = [toDraftTime(master.start), toDraftTime(master.end)];
          return { id, title: master.payload.summary ?? '', start, end };
        }),
    changeEvent(email, calendarId, { id, ...change }) {
      const calendar = find(email, calendarId);
      const object = objectOf(calendar, id);
      const { master, overrides } = readObject(object.icalendar);
      const changed = changedEvent(master, change, now());
      writing(email, calendar)(object, {
        master: changed,
        overrides: change.start === undefined ? overrides : new Map(),
      });
    },
    async deleteEvent(email, calendarId, eventId) {
      const calendar = find(email, calendarId);
      const { name, icalendar } = objectOf(calendar, eventId);
      scheduling?.write({ account: accounts.of(email), before: icalendar, after: undefined });
      calendar.remove(name);
    },
    async changeOccurrence(email, calendarId, { id: eventId, original: originalStart, ...change }) {
      const calendar = find(email, calendarId);
      const object = objectOf(calendar, eventId);
      checkOccurrence(object, originalStart);
      writing(email, calendar)(object, withOverride(object, { originalStart, change }, now()));
    },
    async deleteOccurrence(email, calendarId, { id: eventId, original: originalStart }) {
      const calendar = find(email, calendarId);
      const object = objectOf(calendar, eventId);
      checkOccurrence(object, originalStart);
      const { master, overrides } = readObject(object.icalendar);
      const remaining = new Map(overrides);
      remaining.delete(keyOf(originalStart));
      const excluded = [...changedEvent(master, {}, now()), timeLine('EXDATE', originalStart)];
      writing(email, calendar)(object, { master: excluded, overrides: remaining });
    },
  };
}

type Put = {
  readonly name: string;
  readonly uid: string;
  readonly edited: EditedObject;
  readonly before: string | undefined;
};

function objectOf(calendar: CalendarCollection, eventId: string): CalendarObject {
  const object = calendar.object(eventId);
  if (object === undefined) throw new Error(`The calendar ${calendar.name} has no event ${eventId}`);
  return object;
}

/**
 * Returns the updated object. Like calendar apps, it keeps exceptions if the series keeps its times, and drops them
 * otherwise.
 */
function replaced(
  { uid, icalendar }: CalendarObject,
  draft: EventDraft,
  writer: Pick<Writing, 'now' | 'organizer'>,
): EditedObject {
  const { master, overrides } = readObject(icalendar);
  const lines = eventLines(draft, { ...writer, uid, sequence: sequenceOf(master) + 1 });
  const keeps = ['DTSTART', 'RRULE'].every((name) => lineNamed(master, name) === lineNamed(lines, name));
  if (!keeps) return { master: lines, overrides: new Map() };
  return { master: [...lines, ...master.filter((line) => /^EXDATE\b/i.test(line))], overrides };
}

/** The key of an occurrence, however its original start was spelled. */
const keyOf = (originalStart: DraftTime): number => toInstant(eventTimeOf(originalStart), 'UTC');

/** Throws an Error unless the event recurs at that time and the occurrence was not deleted. */
function checkOccurrence({ name, icalendar }: CalendarObject, originalStart: DraftTime): void {
  const { master } = seriesOf(readEvents(icalendar));
  const key = keyOf(originalStart);
  const pattern = { master, overrides: [] };
  const instances = instancesIn(pattern, { start: key, end: key + 1 }, 'UTC');
  const isNamed = instances.some((instance) => toInstant(instance.originalStart, 'UTC') === key);
  if (master?.recurrence?.rrules.length === 0 || !isNamed)
    throw new Error(`${name} has no occurrence at ${JSON.stringify(originalStart)}`);
}

function withOverride(
  object: CalendarObject,
  { originalStart, change }: { readonly originalStart: DraftTime; readonly change: OccurrenceChange },
  now: number,
): EditedObject {
  const { master, overrides } = readObject(object.icalendar);
  const key = keyOf(originalStart);
  const { master: series } = seriesOf(readEvents(object.icalendar));
  if (series === undefined) throw new Error(`${object.name} has no series`);
  const fresh = () =>
    changedEvent(
      [...without(master, 'RRULE', 'RDATE', 'EXDATE'), timeLine('RECURRENCE-ID', originalStart)],
      { start: originalStart, end: lengthened(originalStart, series) },
      now,
    );
  const before = overrides.get(key);
  // An occurrence that moves without a new end keeps the length of the series.
  const end = change.end ?? (change.start && lengthened(change.start, series));
  const changed = changedEvent(before ?? fresh(), { ...change, ...(end && { end }) }, now);
  return { master, overrides: new Map([...overrides, [key, changed]]) };
}
