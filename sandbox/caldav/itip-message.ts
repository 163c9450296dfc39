/** Messages between those who schedule, RFC 5546, as the text that is sent. */
import type { Component } from '../../src/lib/icalendar/component.ts';
import { parseContentLine, textOf } from '../../src/lib/icalendar/content-line.ts';
import { linesNamed } from '../../src/lib/icalendar/edit-lines.ts';
import { writeComponent } from '../../src/lib/icalendar/write-lines.ts';
import { type ScheduledEvent, type ScheduledObject, withoutScheduling } from './scheduled-object.ts';

/** Whose change it is that the server tells of. */
export type Sender = {
  /** The sender's own addresses: nobody sends messages to themselves. */
  readonly own: ReadonlySet<string>;
  /** Epoch milliseconds. */
  readonly now: number;
};

export type ItipMessage = {
  readonly method: 'REQUEST' | 'CANCEL' | 'REPLY';
  readonly uid: string;
  readonly title: string;
  /** Addresses, comparable: `mailto:ada@people.example`. */
  readonly from: string;
  readonly to: string;
  readonly icalendar: string;
  /** Whether it is worth a mail: a guest of another server is not told of every word. */
  readonly isSignificant: boolean;
};

/** What an object was, and what it is now. */
export type ObjectChange = {
  readonly before: ScheduledObject | undefined;
  readonly after: ScheduledObject | undefined;
};

/** The text of a message with these events, and with the zones of the object they are of. */
export function messageText(
  method: ItipMessage['method'],
  { calendar }: ScheduledObject,
  events: readonly Component[],
): string {
  return writeComponent({
    name: 'VCALENDAR',
    lines: ['VERSION:2.0', 'PRODID:-//Kalends//Sandbox//EN', `METHOD:${method}`],
    components: [...calendar.components.filter(({ name }) => name === 'VTIMEZONE'), ...events],
  });
}

/** What everybody may see of an event: no alarms, and nothing that is between the client and its server. */
export const sharedLines = ({ component }: ScheduledEvent): string[] =>
  component.lines.map((line) => (/^\s*(ATTENDEE|ORGANIZER)\b/i.test(line) ? withoutScheduling(line) : line));

/** The lines that say which event it is, and of which revision. */
export function identifyingLines(event: ScheduledEvent): string[] {
  const { lines } = event.component;
  const organizer = linesNamed(lines, 'ORGANIZER').map(withoutScheduling);
  const named = linesNamed(
    lines,
    'UID',
    'SEQUENCE',
    'DTSTART',
    'DTEND',
    'DURATION',
    'RECURRENCE-ID',
    'SUMMARY',
  );
  return [...named, ...organizer];
}

/** Of its first event, without escapes. */
export function titleOf({ events }: ScheduledObject): string {
  const [line] = linesNamed(events[0]?.component.lines ?? [], 'SUMMARY');
  const property = line === undefined ? undefined : parseContentLine(line);
  return property === undefined ? '' : textOf(property);
}
