/** Calendar object resources as text to edit: a master and its overrides in one VCALENDAR (RFC 4791 §4.1). */
import { type Component, parseComponents } from '../../src/lib/icalendar/component.ts';
import { parseContentLine } from '../../src/lib/icalendar/content-line.ts';
import { parseTime } from '../../src/lib/icalendar/time-value.ts';
import { buildVtimezone } from '../../src/lib/icalendar/vtimezone-writer.ts';
import { writeComponent } from '../../src/lib/icalendar/write-lines.ts';
import { toInstant } from '../../src/lib/recurrence/event-instant.ts';
import { ianaZone } from '../../src/lib/recurrence/zone.ts';
import type { EventDraft } from '../core/provider-sandbox.ts';
import { escapedText, timeLine, utcText } from './icalendar-writer.ts';

/** The lines of VEVENTs: the master's, then its overrides', each by the instant of its original start. */
export type EditedObject = {
  readonly master: readonly string[];
  readonly overrides: ReadonlyMap<number, readonly string[]>;
};

export function readObject(icalendar: string): EditedObject {
  const events = parseComponents(icalendar).flatMap(({ components }) =>
    components.filter(({ name }) => name === 'VEVENT').map(({ lines }) => lines),
  );
  const overrides = new Map<number, readonly string[]>();
  let master: readonly string[] = [];
  for (const lines of events) {
    const recurrenceId = lineNamed(lines, 'RECURRENCE-ID');
    if (recurrenceId === undefined) master = lines;
    else overrides.set(instantIn(recurrenceId), lines);
  }
  if (master.length === 0) throw new Error('There is no event, or only an exception of one');
  return { master, overrides };
}

/** Floating times count as UTC: nothing here writes them. */
function instantIn(line: string): number {
  const property = parseContentLine(line);
  const zoneOf = (tzid = 'UTC') => ianaZone(tzid);
  const time = property && parseTime(property.value, property, zoneOf);
  if (time === undefined) throw new Error(`This is no original start: ${line}`);
  return toInstant(time, 'UTC');
}

/** With a VTIMEZONE for every zone that is named. `now` is epoch milliseconds. */
export function writeObject({ master, overrides }: EditedObject, now: number): string {
  const events = [master, ...overrides.values()];
  const zones = new Set(events.flatMap((lines) => lines.flatMap((line) => zoneIn(line) ?? [])));
  const calendar: Component = {
    name: 'VCALENDAR',
    lines: ['VERSION:2.0', 'PRODID:-//Kalends//Sandbox//EN', 'CALSCALE:GREGORIAN'],
    components: [
      ...[...zones].map((zone) => buildVtimezone(zone, now)),
      ...events.map((lines) => ({ name: 'VEVENT', lines, components: [] })),
    ],
  };
  return writeComponent(calendar);
}

function zoneIn(line: string): string | undefined {
  const zone = parseContentLine(line)?.parameters.get('TZID')?.[0];
  return zone === undefined ? undefined : ianaZone(zone);
}

/** The whole first line of that name. */
export function lineNamed(lines: readonly string[], name: string): string | undefined {
  return lines.find((line) => readPropertyName(line) === name);
}

const readPropertyName = (line: string): string => /^[\w-]*/.exec(line)?.[0].toUpperCase() ?? '';

/** Without the lines of these names. */
export const without = (lines: readonly string[], ...names: readonly string[]): string[] =>
  lines.filter((line) => !names.includes(readPropertyName(line)));

export type OccurrenceChange = Partial<Pick<EventDraft, 'title' | 'start' | 'end'>>;

/** A VEVENT with another title or other times, its revision counted on. */
export function changedEvent(
  lines: readonly string[],
  { title, start, end }: OccurrenceChange,
  now: number,
): string[] {
  const replaced = [
    ...(title === undefined ? [] : [`SUMMARY:${escapedText(title)}`]),
    ...(start === undefined ? [] : [timeLine('DTSTART', start)]),
    ...(end === undefined ? [] : [timeLine('DTEND', end)]),
    `SEQUENCE:${sequenceOf(lines) + 1}`,
    `DTSTAMP:${utcText(now)}`,
    `LAST-MODIFIED:${utcText(now)}`,
  ];
  // An end takes the place of a duration: a VEVENT has one of them (RFC 5545 §3.6.1).
  const names = [...replaced.map(readPropertyName), ...(end === undefined ? [] : ['DURATION'])];
  return [...without(lines, ...names), ...replaced];
}

export function sequenceOf(lines: readonly string[]): number {
  return Number(/^SEQUENCE:(\d{1,9})$/i.exec(lineNamed(lines, 'SEQUENCE') ?? '')?.[1] ?? 0);
}
