/** A calendar object resource taken apart to be changed: what is not changed goes back as it came (RFC 4791 §4.1). */
import { ProviderError } from '../../../calendars/provider-error.ts';
import { type Component, parseComponents } from '../../../lib/icalendar/component.ts';
import { parameterOf, parseContentLine } from '../../../lib/icalendar/content-line.ts';
import { linesWithout } from '../../../lib/icalendar/edit-lines.ts';
import { ICalendarError } from '../../../lib/icalendar/icalendar-error.ts';
import { type ReadEvent, readEvents, zonesOf } from '../../../lib/icalendar/parse-icalendar.ts';
import type { ZoneOf } from '../../../lib/icalendar/time-value.ts';
import { vtimezoneOf } from '../../../lib/icalendar/vtimezone-writer.ts';
import { writeComponent } from '../../../lib/icalendar/write-lines.ts';
import type { TzidOf } from '../../../lib/icalendar/write-time.ts';
import { instantOf } from '../../../lib/recurrence/event-instant.ts';
import type { Zone } from '../../../lib/recurrence/event-time.ts';
import { latestVersions } from './event-versions.ts';

export type EditedObject = {
  readonly calendar: Component;
  readonly master: ReadEvent | undefined;
  readonly overrides: readonly ReadEvent[];
  /** Older versions of these: they go when the object is written. */
  readonly superseded: ReadonlySet<Component>;
  /** How the object names zones: its times go on to be written in its own TZIDs. */
  readonly tzidOf: TzidOf;
};

/** Fails as `invalid_response` when it holds no event that can be read. */
export function readObject(icalendar: string): EditedObject {
  try {
    const [first, ...others] = parseComponents(icalendar);
    if (first === undefined) throw new ICalendarError('The text holds no VCALENDAR');
    const calendar = { ...first, components: [first, ...others].flatMap(({ components }) => components) };
    const zoneOf = zonesOf(calendar);
    const all = readEvents(calendar, zoneOf);
    const events = latestVersions(all);
    if (events.length === 0) throw new ICalendarError('It has no event with a start');
    return {
      calendar,
      master: events.find(({ event }) => event.recurrenceId === undefined),
      overrides: events.filter(({ event }) => event.recurrenceId !== undefined),
      superseded: new Set(all.filter((read) => isSuperseded(read, events)).map(({ component }) => component)),
      tzidOf: tzidsIn(calendar, zoneOf),
    };
  } catch (cause) {
    if (!(cause instanceof ICalendarError)) throw cause;
    throw new ProviderError('invalid_response', 'The event cannot be read, and so not be changed', { cause });
  }
}

const isSuperseded = (read: ReadEvent, latest: readonly ReadEvent[]): boolean =>
  read.event.uid === latest[0]?.event.uid && !latest.includes(read);

function tzidsIn(calendar: Component, zoneOf: ZoneOf): TzidOf {
  const names = new Map<string, string>();
  for (const tzid of tzidsUsed(calendar)) {
    const zone = zoneOf(tzid);
    const key = zone && keyOf(zone);
    if (key !== undefined && !names.has(key)) names.set(key, tzid);
  }
  return (zone) => names.get(keyOf(zone));
}

const keyOf = (zone: Zone): string => (typeof zone === 'string' ? zone : JSON.stringify(zone));

/** TZIDs of the times in events, as they are written. */
function tzidsUsed({ components }: Component): Set<string> {
  const lines = components.filter(({ name }) => name !== 'VTIMEZONE').flatMap(linesWithin);
  return new Set(
    lines
      .filter((line) => /;\s*TZID\s*=/i.test(line))
      .flatMap((line) => {
        const property = parseContentLine(line);
        return (property && parameterOf(property, 'TZID')) ?? [];
      }),
  );
}

const linesWithin = ({ lines, components }: Component): string[] => [
  ...lines,
  ...components.flatMap(linesWithin),
];

/** An event as it is to be, and what it was. */
export type WrittenEvent = { readonly was: Component | undefined; readonly component: Component };

/**
 * The object's text with these events in place of those it had: each where it stood, new ones at the end. Every zone they
 * name is described (RFC 5545 §3.6.5). `now` is epoch milliseconds.
 */
export function writeObject(
  { calendar, master, overrides, superseded }: EditedObject,
  events: readonly WrittenEvent[],
  now: number,
): string {
  const replaced = new Map(events.map(({ was, component }) => [was, component]));
  const stood = new Set([master, ...overrides].map((event) => event?.component));
  const components = calendar.components.flatMap((component) => {
    if (stood.has(component)) return replaced.get(component) ?? [];
    return superseded.has(component) ? [] : component;
  });
  const added = events.filter(({ was }) => was === undefined).map(({ component }) => component);
  // METHOD belongs to messages between calendars; a stored object has none (RFC 4791 §4.1).
  const lines = linesWithout(calendar.lines, 'METHOD');
  return writeComponent(withTimezones({ ...calendar, lines, components: [...components, ...added] }, now));
}

/** Adds a VTIMEZONE for each TZID that has none. One that nothing describes is left to its reader, as it was. */
export function withTimezones(calendar: Component, now: number): Component {
  const described = new Set(
    calendar.components
      .filter(({ name }) => name === 'VTIMEZONE')
      .map(({ lines }) => lines.find((line) => /^TZID\b/i.test(line)))
      .map((line) => (line === undefined ? undefined : parseContentLine(line)?.value.trim())),
  );
  const zoneOf = zonesOf(calendar);
  const from = Math.min(
    now,
    ...readEvents(calendar, zoneOf).map(({ event }) => instantOf(event.start, 'UTC')),
  );
  const added = [...tzidsUsed(calendar)].flatMap((tzid) => {
    const zone = described.has(tzid.trim()) ? undefined : zoneOf(tzid);
    if (zone === undefined) return [];
    const timezone = vtimezoneOf(zone, from, now);
    return { ...timezone, lines: [`TZID:${tzid}`] };
  });
  return { ...calendar, components: [...added, ...calendar.components] };
}
