/** The time zones of a calendar object: their names in its events (TZID), and their descriptions (VTIMEZONE). */
import type { Component } from '../../../lib/icalendar/component.ts';
import { findParameter, parseContentLine, unescapeText } from '../../../lib/icalendar/content-line.ts';
import { linesNamed } from '../../../lib/icalendar/edit-lines.ts';
import { createZoneLookup, readEvents } from '../../../lib/icalendar/parse-icalendar.ts';
import type { ZoneOf } from '../../../lib/icalendar/time-value.ts';
import { buildVtimezone } from '../../../lib/icalendar/vtimezone-writer.ts';
import { escapeText } from '../../../lib/icalendar/write-lines.ts';
import type { TzidOf } from '../../../lib/icalendar/write-time.ts';
import { toInstant } from '../../../lib/recurrence/event-instant.ts';
import type { CustomZone, Zone } from '../../../lib/recurrence/event-time.ts';

export type ZoneNames = {
  /** Returns the TZID for a zone: the one that its events use, or a free one for a calendar's custom zone. */
  readonly tzidOf: TzidOf;
  /** Custom zones that were named so far and that the object did not have. */
  readonly added: ReadonlyMap<string, CustomZone>;
};

export function zoneNamesIn(calendar: Component, zoneOf: ZoneOf): ZoneNames {
  const used = tzidsUsed(calendar);
  const names = new Map<string, string>();
  for (const tzid of used) {
    const zone = zoneOf(tzid);
    const key = zone && toZoneKey(zone);
    if (key !== undefined && !names.has(key)) names.set(key, tzid);
  }
  const added = new Map<string, CustomZone>();
  const usedNames = new Set([...describedIn(calendar), ...used]);
  const tzidOf = (zone: Zone): string | undefined => {
    const key = toZoneKey(zone);
    const existing = names.get(key);
    if (existing !== undefined || typeof zone === 'string') return existing;
    const tzid = freeName(zone.tzid, usedNames);
    names.set(key, tzid);
    usedNames.add(tzid);
    added.set(tzid, zone);
    return tzid;
  };
  return { tzidOf, added };
}

/** Adds a number to a name that another zone has. */
function freeName(name: string, taken: ReadonlySet<string>): string {
  let free = name;
  for (let count = 2; taken.has(free); count += 1) free = `${name} ${count}`;
  return free;
}

const toZoneKey = (zone: Zone): string => (typeof zone === 'string' ? zone : JSON.stringify(zone));

function describedIn({ components }: Component): ReadonlySet<string> {
  const lines = components
    .filter(({ name }) => name === 'VTIMEZONE')
    .flatMap(({ lines }) => linesNamed(lines, 'TZID').slice(0, 1));
  const properties = lines.map((line) => parseContentLine(line));
  return new Set(
    properties.flatMap((property) => (property === undefined ? [] : unescapeText(property).trim())),
  );
}

/** Adds a VTIMEZONE for each TZID without one: from `added`, or else for the zone that the name identifies, if any. */
export function withTimezones(
  calendar: Component,
  { added }: Pick<ZoneNames, 'added'>,
  now: number,
): Component {
  const described = describedIn(calendar);
  const zoneOf = createZoneLookup(calendar);
  const starts = readEvents(calendar, zoneOf).events.map(({ event }) => toInstant(event.start, 'UTC'));
  const from = Math.min(now, ...starts);
  const zones = [...tzidsUsed(calendar)].flatMap((tzid) => {
    const zone = described.has(tzid.trim()) ? undefined : (added.get(tzid) ?? zoneOf(tzid));
    return zone === undefined
      ? []
      : { ...buildVtimezone(zone, from, now), lines: [`TZID:${escapeText(tzid)}`] };
  });
  return { ...calendar, components: [...zones, ...calendar.components] };
}

/** Returns the TZIDs in the times of events, as they are written. */
function tzidsUsed({ components }: Component): Set<string> {
  const lines = components.filter(({ name }) => name !== 'VTIMEZONE').flatMap(linesWithin);
  const properties = lines.filter((line) => /;\s*TZID\s*=/i.test(line)).map((line) => parseContentLine(line));
  return new Set(properties.flatMap((property) => (property && findParameter(property, 'TZID')) ?? []));
}

const linesWithin = ({ lines, components }: Component): string[] => [
  ...lines,
  ...components.flatMap(linesWithin),
];
