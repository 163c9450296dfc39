/**
 * The parts of a calendar object that concern scheduling, RFC 6638 §3.1: its organizer, and who is invited to which of
 * its events.
 */
import { type Component, parseComponents } from '../../src/lib/icalendar/component.ts';
import { findParameter, parseContentLine } from '../../src/lib/icalendar/content-line.ts';
import { linesNamed } from '../../src/lib/icalendar/edit-lines.ts';
import { ICalendarError } from '../../src/lib/icalendar/icalendar-error.ts';
import { createZoneLookup, type ReadEvent, readEvents } from '../../src/lib/icalendar/parse-icalendar.ts';
import { contentLine, type LineParameters } from '../../src/lib/icalendar/write-lines.ts';
import { toInstant } from '../../src/lib/recurrence/event-instant.ts';
import { failedCondition } from './dav-answer.ts';

/** The single event or the master of a series, or an exception by its original start in epoch milliseconds. */
export type EventKey = 'series' | number;

export type ScheduledEvent = {
  readonly key: EventKey;
  readonly component: Component;
  /** The guests' ATTENDEE lines by address. */
  readonly attendees: ReadonlyMap<string, string>;
  /** The instants of its EXDATEs, each with a line that names it alone. */
  readonly excluded: ReadonlyMap<number, string>;
};

export type ScheduledObject = {
  readonly uid: string;
  readonly calendar: Component;
  /** In the order of the text. */
  readonly events: readonly ScheduledEvent[];
  /** An address; `undefined` if the event has no organizer. */
  readonly organizer: string | undefined;
};

/** Normalizes an address: comparison ignores case, and the slash at the end of principals' paths. */
export const comparable = (address: string): string => address.trim().toLowerCase().replace(/\/$/, '');

/** Returns `undefined` if there is no event. Throws the error of §3.2.4.2 if its events have several organizers. */
export function scheduledObject(icalendar: string): ScheduledObject | undefined {
  const { calendar, read } = parsed(icalendar) ?? {};
  const [first] = read ?? [];
  if (calendar === undefined || read === undefined || first === undefined) return undefined;
  const organizers = new Set(read.flatMap(({ component }) => addressesOf(component, 'ORGANIZER')));
  if (organizers.size > 1)
    throw failedCondition(403, 'c:same-organizer-in-all-components', 'An object has one organizer');
  const [organizer] = organizers;
  const events = read.map(({ component, event }): ScheduledEvent => {
    const { recurrenceId, recurrence } = event;
    const lines = linesNamed(component.lines, 'ATTENDEE');
    return {
      key: recurrenceId === undefined ? 'series' : toInstant(recurrenceId, 'UTC'),
      component,
      attendees: new Map(lines.map((line) => [addressIn(line), line])),
      excluded: excludedIn(
        component,
        recurrence.exdates.map((exdate) => toInstant(exdate, 'UTC')),
      ),
    };
  });
  return { uid: first.event.uid, calendar, events, organizer };
}

type ReadObject = { readonly calendar: Component; readonly read: readonly ReadEvent[] };

/** Returns `undefined` for text that cannot be read, or only with too much work: it invites no one. */
function parsed(icalendar: string): ReadObject | undefined {
  try {
    const [calendar] = parseComponents(icalendar);
    return calendar && { calendar, read: readEvents(calendar, createZoneLookup(calendar)).events };
  } catch (error) {
    if (error instanceof ICalendarError) return undefined;
    throw error;
  }
}

/** The instants in the order of the values. */
function excludedIn({ lines }: Component, instants: readonly number[]): ReadonlyMap<number, string> {
  const single = linesNamed(lines, 'EXDATE').flatMap((line) => {
    const property = parseContentLine(line);
    const parameters = Object.fromEntries(property?.parameters ?? []);
    return (property?.value ?? '').split(',').map((value) => contentLine('EXDATE', parameters, value));
  });
  return new Map(instants.flatMap((instant, index) => [[instant, single[index] ?? ''] as const]));
}

const addressesOf = ({ lines }: Component, name: string): string[] => linesNamed(lines, name).map(addressIn);

/** Returns the normalized value of an ATTENDEE or ORGANIZER line. */
export const addressIn = (line: string): string => comparable(parseContentLine(line)?.value ?? '');

/** Returns a parameter's first value. */
export function parameterIn(line: string, name: string): string | undefined {
  const property = parseContentLine(line);
  return property && findParameter(property, name);
}

/** Returns the line with other values of these parameters; `undefined` removes one. */
export function withParameters(line: string, changed: LineParameters): string {
  const property = parseContentLine(line);
  if (property === undefined) return line;
  return contentLine(
    property.name,
    { ...Object.fromEntries(property.parameters), ...changed },
    property.value,
  );
}

/** Returns the line without parameters that concern only a client and its server (§7). */
export const withoutScheduling = (line: string): string =>
  withParameters(line, {
    'SCHEDULE-AGENT': undefined,
    'SCHEDULE-STATUS': undefined,
    'SCHEDULE-FORCE-SEND': undefined,
  });

/** §7.1: whether the server sends messages to this guest or organizer, which is the default. */
export const isServersTask = (line: string | undefined): boolean =>
  line !== undefined && (parameterIn(line, 'SCHEDULE-AGENT') ?? 'SERVER').toUpperCase() === 'SERVER';

/** Returns a guest's response from the guest's line. */
export const answerIn = (line: string): string =>
  (parameterIn(line, 'PARTSTAT') ?? 'NEEDS-ACTION').toUpperCase();

export const eventOf = (object: ScheduledObject | undefined, key: EventKey): ScheduledEvent | undefined =>
  object?.events.find((event) => event.key === key);

/** Returns the value of a property that an event has once. */
export function propertyValue({ component }: ScheduledEvent, name: string): string {
  const [line] = linesNamed(component.lines, name);
  return (line && parseContentLine(line)?.value) ?? '';
}

export const isCancelled = (event: ScheduledEvent): boolean =>
  propertyValue(event, 'STATUS').trim().toUpperCase() === 'CANCELLED';
