/**
 * Writing to the calendars in memory as the port requires: conditional on versions, idempotent by key, one resource for
 * a master and its overrides, as in CalDAV. A test can lose a response after the write.
 */
import { createHash } from 'node:crypto';

import type { CalendarEvent, EventResource } from '../../src/calendars/event.ts';
import type {
  EventChange,
  EventDraft,
  EventWriting,
  LaterHalf,
  WriteResult,
} from '../../src/calendars/event-writing.ts';
import { ProviderError } from '../../src/calendars/provider-error.ts';
import { toInstant } from '../../src/lib/recurrence/event-instant.ts';
import type { EventTime } from '../../src/lib/recurrence/event-time.ts';
import { expand } from '../../src/lib/recurrence/expand.ts';
import { recurrenceBudget } from '../../src/lib/recurrence/expand-rule.ts';
import { onlyException } from '../../src/providers/single-later-half.ts';

/** The calendars that the fake writes to. */
export type WritableCalendars = {
  resource(calendarHref: string, href: string): EventResource | undefined;
  /** Stores the resource under a new version and returns it. */
  put(calendarHref: string, resource: EventResource): EventResource;
  remove(calendarHref: string, href: string): void;
  /** Whether overrides of occurrences that the rules no longer have stay. */
  keepsStrays(): boolean;
  /** Runs one operation, named by `words`, in its turn; a chosen failure comes before or after the work. */
  run<T>(words: string, work: () => T): Promise<T>;
};

export function fakeEventWriting(calendars: WritableCalendars): EventWriting {
  const current = (calendarHref: string, href: string, etag: string | undefined): EventResource => {
    const resource = calendars.resource(calendarHref, href);
    if (resource === undefined) throw new ProviderError('not_found', 'The event was deleted');
    if (etag !== undefined && resource.etag !== etag) {
      throw new ProviderError('precondition_failed', 'The event was changed by somebody else');
    }
    return resource;
  };
  const keep = (
    calendarHref: string,
    resource: EventResource,
    events: readonly CalendarEvent[],
  ): WriteResult => ({
    changed: [calendars.put(calendarHref, { ...resource, events })],
    removed: [],
  });

  return {
    create: (calendarHref, draft, key) =>
      calendars.run(`create ${calendarHref} ${draft.title}`, () => {
        const href = `${calendarHref}${key}.ics`;
        const existing = calendars.resource(calendarHref, href);
        if (existing !== undefined) return { changed: [existing], removed: [] };
        const event = drafted(draft, key);
        return keep(calendarHref, { href, etag: undefined, eventId: key, events: [], original: { key } }, [
          event,
        ]);
      }),

    copyLater: (calendarHref, { href, etag }, later) =>
      calendars.run(`copyLater ${calendarHref}`, () => {
        const copy = `${calendarHref}${later.key}.ics`;
        const existing = calendars.resource(calendarHref, copy);
        if (existing !== undefined) return { changed: [existing], removed: [] };
        const events = laterEvents(current(calendarHref, href, etag).events, later);
        const { key } = later;
        const result = keep(
          calendarHref,
          { href: copy, etag: undefined, eventId: key, events: [], original: { key } },
          events,
        );
        return events.some(({ attendees }) => attendees.length > 0) ? { ...result, invitations: {} } : result;
      }),

    // The copies above have their attendees from the start.
    inviteLater: (calendarHref, href) =>
      calendars.run(`inviteLater ${href}`, () => {
        const resource = calendars.resource(calendarHref, href);
        return { changed: resource === undefined ? [] : [resource], removed: [] };
      }),

    findCreated: (calendarHref, key) =>
      calendars.run(`findCreated ${calendarHref}`, () => {
        const resource = calendars.resource(calendarHref, `${calendarHref}${key}.ics`);
        return resource && [resource];
      }),

    update: (calendarHref, { href, etag, instance }, change) =>
      calendars.run(`update ${href}`, () => {
        const entry = current(calendarHref, href, etag);
        if (instance !== undefined)
          return keep(calendarHref, entry, withOverride(entry.events, instance, change));
        const events = entry.events.map((event) => (isMaster(event) ? changed(event, change) : event));
        return keep(calendarHref, entry, calendars.keepsStrays() ? events : withoutStrays(events));
      }),

    delete: (calendarHref, { href, etag, instance }) =>
      calendars.run(`delete ${href}`, () => {
        if (calendars.resource(calendarHref, href) === undefined) return { changed: [], removed: [href] };
        const entry = current(calendarHref, href, etag);
        if (instance !== undefined) return keep(calendarHref, entry, withoutInstance(entry.events, instance));
        calendars.remove(calendarHref, href);
        return { changed: [], removed: [href] };
      }),

    respond: (calendarHref, { href, etag }, { response }) =>
      calendars.run(`respond ${href} ${response}`, () => {
        const entry = current(calendarHref, href, etag);
        const answered = (event: CalendarEvent): CalendarEvent => ({
          ...event,
          attendees: event.attendees.map((one) => (one.organizer ? one : { ...one, status: response })),
        });
        return keep(calendarHref, entry, entry.events.map(answered));
      }),

    read: (calendarHref, href) =>
      calendars.run(`read ${href}`, () => {
        const resource = calendars.resource(calendarHref, href);
        return resource === undefined ? undefined : [resource];
      }),
  };
}

const isMaster = (event: CalendarEvent): boolean => event.recurrenceId === undefined;
const same = (a: EventTime, b: EventTime): boolean => toInstant(a, 'UTC') === toInstant(b, 'UTC');

function drafted({ autoConference, ...draft }: EventDraft, key: string): CalendarEvent {
  const made = autoConference ? { conference: `https://meet.example/${shortHash(key)}` } : {};
  return {
    ...draft,
    ...made,
    uid: key,
    status: draft.status ?? 'confirmed',
    availability: draft.availability ?? 'busy',
    privacy: draft.privacy ?? 'public',
    attendees: draft.attendees ?? [],
  };
}

/** Returns the events of a new series: the old ones under another UID, with the changes of the later half. */
function laterEvents(events: readonly CalendarEvent[], half: LaterHalf): CalendarEvent[] {
  const { key, change, exceptions } = half;
  const master = events.find(isMaster);
  if (master === undefined) throw new ProviderError('not_found', 'The series was deleted');
  if (change.recurrence === null) return [{ ...singleEvent(events, master, half), uid: key }];
  const { start, end, recurrence: _rules, ...details } = change;
  const length = toInstant(end, 'UTC') - toInstant(start, 'UTC');
  return [
    { ...changed(master, change), uid: key },
    ...exceptions.map(({ recurrenceId, instance, times }) => {
      const old = events.find((event) => event.recurrenceId && same(event.recurrenceId, recurrenceId));
      if (old === undefined) throw new ProviderError('precondition_failed', 'There is no such exception');
      const usual = { start: instance, end: later(instance, length) };
      return { ...changed(old, { ...details, ...(times ?? usual) }), uid: key, recurrenceId: instance };
    }),
  ];
}

function singleEvent(
  events: readonly CalendarEvent[],
  master: CalendarEvent,
  half: LaterHalf,
): CalendarEvent {
  const own = onlyException(half);
  const old = own && events.find((event) => event.recurrenceId && same(event.recurrenceId, own.recurrenceId));
  const { recurrenceId: _replaced, ...base } = old ?? master;
  return changed(base, { ...half.change, ...own?.times });
}

const shortHash = (text: string): string => createHash('sha256').update(text).digest('hex').slice(0, 8);

function changed(event: CalendarEvent, { autoConference, ...change }: EventChange): CalendarEvent {
  const { status, availability, privacy, attendees, ...others } = change;
  const merged: Record<string, unknown> = { ...event };
  for (const [name, value] of Object.entries(others)) {
    if (value === null) delete merged[name];
    else if (value !== undefined) merged[name] = value;
  }
  const defaults = {
    status: orDefault(status, event.status, 'confirmed'),
    availability: orDefault(availability, event.availability, 'busy'),
    privacy: orDefault(privacy, event.privacy, 'public'),
    attendees: orDefault(attendees, event.attendees, []),
  };
  const made = autoConference ? { conference: `https://meet.example/${shortHash(event.uid)}` } : {};
  // The merged fields are those of EventDraft, whose values CalendarEvent allows.
  return { ...(merged as CalendarEvent), ...defaults, ...made };
}

const orDefault = <T>(value: T | null | undefined, now: T, fallback: T): T =>
  value === undefined ? now : (value ?? fallback);

/** Removes overrides of occurrences that the rules no longer have, as most providers do. */
function withoutStrays(events: readonly CalendarEvent[]): CalendarEvent[] {
  const master = events.find(isMaster);
  if (master?.recurrence === undefined) return events.filter(isMaster);
  return events.filter(({ recurrenceId }) => recurrenceId === undefined || names(master, recurrenceId));
}

/** Reports whether the master's rules have an occurrence at that original start. */
function names(master: CalendarEvent, original: EventTime): boolean {
  const start = toInstant(original, 'UTC');
  const window = { start, end: start + 1 };
  const series = { master: { ...master, payload: undefined }, overrides: [] };
  const { instances } = expand(series, window, 'UTC', recurrenceBudget());
  return instances.some(({ originalStart }) => same(originalStart, original));
}

function withOverride(
  events: readonly CalendarEvent[],
  instance: EventTime,
  change: EventChange,
): CalendarEvent[] {
  const others = events.filter(
    ({ recurrenceId }) => recurrenceId === undefined || !same(recurrenceId, instance),
  );
  const override = events.find(
    ({ recurrenceId }) => recurrenceId !== undefined && same(recurrenceId, instance),
  );
  const master = events.find(isMaster);
  const base = override ?? (master === undefined ? undefined : instanceOf(master, instance));
  if (base === undefined) throw new ProviderError('not_found', 'There is no such instance');
  return [...others, changed(base, change)];
}

function instanceOf(master: CalendarEvent, recurrenceId: EventTime): CalendarEvent {
  const { recurrence: _rules, ...rest } = master;
  const length = toInstant(master.end, 'UTC') - toInstant(master.start, 'UTC');
  return { ...rest, start: recurrenceId, end: later(recurrenceId, length), recurrenceId };
}

/** Returns the time `length` milliseconds later; times with a time of day are in UTC. */
function later(time: EventTime, length: number): EventTime {
  const text = new Date(toInstant(time, 'UTC') + length).toISOString();
  if (time.type === 'date') return { type: 'date', date: text.slice(0, 10) };
  return { type: 'zoned', local: text.slice(0, 19), zone: 'UTC' };
}

function withoutInstance(events: readonly CalendarEvent[], instance: EventTime): CalendarEvent[] {
  return events
    .filter(({ recurrenceId }) => recurrenceId === undefined || !same(recurrenceId, instance))
    .map((event) => {
      if (event.recurrence === undefined) return event;
      const { exdates, ...rules } = event.recurrence;
      return { ...event, recurrence: { ...rules, exdates: [...exdates, instance] } };
    });
}
