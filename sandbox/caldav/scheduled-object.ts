/** What of a calendar object concerns scheduling, RFC 6638 §3.1: its organizer, and who is invited to which of its events. */
import { type Component, parseComponents } from '../../src/lib/icalendar/component.ts';
import { parameterOf, parseContentLine } from '../../src/lib/icalendar/content-line.ts';
import { linesNamed } from '../../src/lib/icalendar/edit-lines.ts';
import { ICalendarError } from '../../src/lib/icalendar/icalendar-error.ts';
import { type ReadEvent, readEvents, zonesOf } from '../../src/lib/icalendar/parse-icalendar.ts';
import { contentLine, type LineParameters } from '../../src/lib/icalendar/write-lines.ts';
import { instantOf } from '../../src/lib/recurrence/event-instant.ts';
import { failedCondition } from './dav-answer.ts';

/** The single event or the master of a series, or an exception by its original start in epoch milliseconds. */
export type EventKey = 'series' | number;

export type ScheduledEvent = {
  readonly key: EventKey;
  readonly component: Component;
  /** Their ATTENDEE lines by address. */
  readonly attendees: ReadonlyMap<string, string>;
  /** The instants of its EXDATEs, each with a line that names it alone. */
  readonly excluded: ReadonlyMap<number, string>;
};

export type ScheduledObject = {
  readonly uid: string;
  readonly calendar: Component;
  /** In the order of the text. */
  readonly events: readonly ScheduledEvent[];
  /** An address; `undefined` where nobody organizes it. */
  readonly organizer: string | undefined;
};

/** Addresses are compared without regard to case, and principals' without the slash at the end. */
export const comparable = (address: string): string => address.trim().toLowerCase().replace(/\/$/, '');

/** `undefined` for what holds no event. Throws the refusal of §3.2.4.2 where its events name several organizers. */
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
      key: recurrenceId === undefined ? 'series' : instantOf(recurrenceId, 'UTC'),
      component,
      attendees: new Map(lines.map((line) => [addressIn(line), line])),
      excluded: excludedIn(
        component,
        recurrence.exdates.map((exdate) => instantOf(exdate, 'UTC')),
      ),
    };
  });
  return { uid: first.event.uid, calendar, events, organizer };
}

type ReadObject = { readonly calendar: Component; readonly read: readonly ReadEvent[] };

/** Text that cannot be read, or only with too much work, is nobody's invitation. */
function parsed(icalendar: string): ReadObject | undefined {
  try {
    const [calendar] = parseComponents(icalendar);
    return calendar && { calendar, read: readEvents(calendar, zonesOf(calendar)).events };
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

/** The value of an ATTENDEE or ORGANIZER line, comparable. */
export const addressIn = (line: string): string => comparable(parseContentLine(line)?.value ?? '');

/** A parameter's first value. */
export function parameterIn(line: string, name: string): string | undefined {
  const property = parseContentLine(line);
  return property && parameterOf(property, name);
}

/** The line with other values of these parameters; `undefined` takes one away. */
export function withParameters(line: string, changed: LineParameters): string {
  const property = parseContentLine(line);
  if (property === undefined) return line;
  return contentLine(
    property.name,
    { ...Object.fromEntries(property.parameters), ...changed },
    property.value,
  );
}

/** Without what is between a client and its server only (§7). */
export const withoutScheduling = (line: string): string =>
  withParameters(line, {
    'SCHEDULE-AGENT': undefined,
    'SCHEDULE-STATUS': undefined,
    'SCHEDULE-FORCE-SEND': undefined,
  });

/** §7.1: whether the server is to send messages to this guest or organizer, which it is unless the client says otherwise. */
export const isServersTask = (line: string | undefined): boolean =>
  line !== undefined && (parameterIn(line, 'SCHEDULE-AGENT') ?? 'SERVER').toUpperCase() === 'SERVER';

/** The answer of a guest, by the guest's line. */
export const answerIn = (line: string): string =>
  (parameterIn(line, 'PARTSTAT') ?? 'NEEDS-ACTION').toUpperCase();

export const eventOf = (object: ScheduledObject | undefined, key: EventKey): ScheduledEvent | undefined =>
  object?.events.find((event) => event.key === key);

/** The value of a property that an event has once. */
export function propertyValue({ component }: ScheduledEvent, name: string): string {
  const [line] = linesNamed(component.lines, name);
  return (line && parseContentLine(line)?.value) ?? '';
}

export const isCancelled = (event: ScheduledEvent): boolean =>
  propertyValue(event, 'STATUS').trim().toUpperCase() === 'CANCELLED';
