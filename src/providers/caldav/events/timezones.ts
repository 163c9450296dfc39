/** The time zones of a calendar object: how its events name them (TZID), and their descriptions (VTIMEZONE). */
import type { Component } from '../../../lib/icalendar/component.ts';
import { parameterOf, parseContentLine } from '../../../lib/icalendar/content-line.ts';
import { readEvents, zonesOf } from '../../../lib/icalendar/parse-icalendar.ts';
import type { ZoneOf } from '../../../lib/icalendar/time-value.ts';
import { vtimezoneOf } from '../../../lib/icalendar/vtimezone-writer.ts';
import type { TzidOf } from '../../../lib/icalendar/write-time.ts';
import { instantOf } from '../../../lib/recurrence/event-instant.ts';
import type { Zone } from '../../../lib/recurrence/event-time.ts';

/** The TZID that events of the calendar use for a zone. */
export function tzidsIn(calendar: Component, zoneOf: ZoneOf): TzidOf {
  const names = new Map<string, string>();
  for (const tzid of tzidsUsed(calendar)) {
    const zone = zoneOf(tzid);
    const key = zone && keyOf(zone);
    if (key !== undefined && !names.has(key)) names.set(key, tzid);
  }
  return (zone) => names.get(keyOf(zone));
}

const keyOf = (zone: Zone): string => (typeof zone === 'string' ? zone : JSON.stringify(zone));

/** Adds a VTIMEZONE for each TZID that has none, except for a TZID of no known zone. */
export function withTimezones(calendar: Component, now: number): Component {
  const described = new Set(
    calendar.components
      .filter(({ name }) => name === 'VTIMEZONE')
      .map(({ lines }) => lines.find((line) => /^TZID\b/i.test(line)))
      .map((line) => (line === undefined ? undefined : parseContentLine(line)?.value.trim())),
  );
  const zoneOf = zonesOf(calendar);
  const starts = readEvents(calendar, zoneOf).map(({ event }) => instantOf(event.start, 'UTC'));
  const from = Math.min(now, ...starts);
  const added = [...tzidsUsed(calendar)].flatMap((tzid) => {
    const zone = described.has(tzid.trim()) ? undefined : zoneOf(tzid);
    return zone === undefined ? [] : { ...vtimezoneOf(zone, from, now), lines: [`TZID:${tzid}`] };
  });
  return { ...calendar, components: [...added, ...calendar.components] };
}

/** TZIDs of the times in events, as they are written. */
function tzidsUsed({ components }: Component): Set<string> {
  const lines = components.filter(({ name }) => name !== 'VTIMEZONE').flatMap(linesWithin);
  const properties = lines.filter((line) => /;\s*TZID\s*=/i.test(line)).map((line) => parseContentLine(line));
  return new Set(properties.flatMap((property) => (property && parameterOf(property, 'TZID')) ?? []));
}

const linesWithin = ({ lines, components }: Component): string[] => [
  ...lines,
  ...components.flatMap(linesWithin),
];
