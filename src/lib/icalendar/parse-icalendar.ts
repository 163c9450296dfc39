/** Reads iCalendar, RFC 5545, as servers and programs really write it. */

import { DAY, type LocalMs, parseLocal } from '../recurrence/civil.ts';
import { toOriginalStart } from '../recurrence/event-instant.ts';
import type { Zone } from '../recurrence/event-time.ts';
import { measureLength } from '../recurrence/master-clock.ts';
import { sizeOfZone } from '../recurrence/zone.ts';
import { type Component, parseComponents, parseProperties } from './component.ts';
import { unescapeText } from './content-line.ts';
import { endAfter } from './event-end.ts';
import { type ResourceBudget, resourceBudget, spend } from './resource-budget.ts';
import { isWritable, type ZoneOf } from './time-value.ts';
import { readVEvent, type VEvent } from './v-event.ts';
import { readVTimezone, type VTimezone } from './vtimezone.ts';
import { resolveZone } from './zone-resolver.ts';

/**
 * Returns the events of a text in order: main events, overrides and single events. Events without a readable start are
 * left out. Throws only ICalendarError: as TooComplexError if the resource is over its limits.
 */
export const parseICalendar = (text: string): VEvent[] =>
  readICalendar(text).events.map(({ event }) => event);

/** An event with its component, for editing. */
export type ReadEvent = { readonly component: Component; readonly event: VEvent };

/** `unreadable` names the events that cannot be read, such as "the changed occurrence of 2027-01-13". */
export type ReadEvents = { readonly events: readonly ReadEvent[]; readonly unreadable: readonly string[] };

/** Reads as parseICalendar does, each event with its component. */
export function readICalendar(text: string, budget = resourceBudget()): ReadEvents {
  const calendars = parseComponents(text, budget).map((calendar) =>
    readEvents(calendar, createZoneLookup(calendar, budget), budget),
  );
  return {
    events: calendars.flatMap(({ events }) => events),
    unreadable: calendars.flatMap(({ unreadable }) => unreadable),
  };
}

/** Reads the events of one VCALENDAR, under the rules and limits of parseICalendar. */
export function readEvents(calendar: Component, zoneOf: ZoneOf, budget = resourceBudget()): ReadEvents {
  const events: ReadEvent[] = [];
  const unreadable: string[] = [];
  for (const component of calendar.components) {
    if (component.name !== 'VEVENT') continue;
    const event = readVEvent(component, zoneOf, budget);
    if (typeof event === 'string') unreadable.push(event);
    else events.push({ component, event });
  }
  const lacksStart = events.some(({ event }) => event.lacksStart);
  return { events: lacksStart ? withSeriesTimes(events, budget) : events, unreadable };
}

/** Gives overrides without DTSTART the start and length of their occurrence, on the clock of their series. */
function withSeriesTimes(events: readonly ReadEvent[], budget: ResourceBudget): ReadEvent[] {
  const masters = events.filter(({ event }) => event.recurrenceId === undefined);
  const byUid = new Map(masters.map(({ event }) => [event.uid, event]));
  return events.map((read) => {
    const { recurrenceId, lacksStart, uid } = read.event;
    const master = byUid.get(uid);
    if (!lacksStart || recurrenceId === undefined || master === undefined) return read;
    // Only the calendar's zone, which is not known here, relates floating times to others.
    const types = [master.start.type, recurrenceId.type];
    const isComparable = types[0] === types[1] || types.includes('date');
    const start = isComparable ? toOriginalStart(master.start, recurrenceId, 'UTC') : recurrenceId;
    if (start.type === 'zoned' && typeof start.zone === 'object')
      spend(budget, 'zoneCharacters', 2 * sizeOfZone(start.zone));
    const length = master.recurrence.duration ?? measureLength(master.start, master.end, 'UTC');
    const end = endAfter(start, length);
    return end === undefined ? read : { ...read, event: { ...read.event, start, end } };
  });
}

const ZONE_OF_CALENDAR = new Set(['X-WR-TIMEZONE']);

/** Creates a lookup that resolves each TZID once; floating times use X-WR-TIMEZONE. Both may throw TooComplexError. */
export function createZoneLookup(calendar: Component, budget = resourceBudget()): ZoneOf {
  const vtimezones = new Map<string, VTimezone>();
  const usedFrom = firstUseIn(calendar, budget);
  for (const component of calendar.components) {
    if (component.name !== 'VTIMEZONE') continue;
    spend(budget, 'zones');
    const timezone = readVTimezone(component, budget);
    if (timezone !== undefined) vtimezones.set(timezone.tzid, { ...timezone, usedFrom });
  }
  const [calendarZone] = parseProperties(calendar, budget, ZONE_OF_CALENDAR).get('X-WR-TIMEZONE') ?? [];
  const name = calendarZone && unescapeText(calendarZone, budget).trim();
  if (name !== undefined) spend(budget, 'zones');
  const floating = name === undefined ? undefined : resolveZone(name, vtimezones.get(name), budget);
  const zonesByTzid = new Map<string, Zone | undefined>();
  const look = (tzid: string): Zone | undefined => {
    if (zonesByTzid.has(tzid)) return zonesByTzid.get(tzid);
    spend(budget, 'zones');
    const zone = resolveZone(tzid, vtimezones.get(tzid.trim()), budget) ?? floating;
    zonesByTzid.set(tzid, zone);
    return zone;
  };
  return (tzid) => {
    const zone = tzid === undefined ? floating : look(tzid);
    if (typeof zone === 'object') spend(budget, 'zoneCharacters', sizeOfZone(zone));
    return zone;
  };
}

/** The properties that may name the first instant of an event. An EXDATE only removes one. */
const FIRST_TIMES = new Set(['DTSTART', 'RDATE', 'RECURRENCE-ID']);

/** Returns a function for the earliest event instant, minus a day for any zone. It may throw TooComplexError. */
export function firstUseIn(calendar: Component, budget: ResourceBudget): () => number | undefined {
  let first: LocalMs | undefined;
  let isKnown = false;
  return () => {
    if (!isKnown) first = firstTimeIn(calendar, budget);
    isKnown = true;
    return first === undefined ? undefined : first - DAY;
  };
}

/** Returns the first date at midnight. Invalid dates and unsupported years are ignored. */
function firstTimeIn({ components }: Component, budget: ResourceBudget): LocalMs | undefined {
  let first = 'none';
  let local: LocalMs | undefined;
  for (const component of components) {
    if (component.name !== 'VEVENT') continue;
    for (const lines of parseProperties(component, budget, FIRST_TIMES).values()) {
      for (const { value } of lines) {
        spend(budget, 'steps', Math.ceil(value.length / 20));
        for (const [, year, month, day] of value.matchAll(/(?:^|,)\s*(\d{4})-?(\d\d)-?(\d\d)/g)) {
          const date = `${year}-${month}-${day}`;
          const midnight = date < first ? parseLocal(date) : undefined;
          if (midnight !== undefined && isWritable(midnight)) [first, local] = [date, midnight];
        }
      }
    }
  }
  return local;
}
