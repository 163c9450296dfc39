/** Messages between organizers and guests, RFC 5546, as the text that is sent. */
import type { Component } from '../../src/lib/icalendar/component.ts';
import { parseContentLine, unescapeText } from '../../src/lib/icalendar/content-line.ts';
import { linesNamed } from '../../src/lib/icalendar/edit-lines.ts';
import { writeComponent } from '../../src/lib/icalendar/write-lines.ts';
import { type ScheduledEvent, type ScheduledObject, withoutScheduling } from './scheduled-object.ts';

/** The person whose change the server reports. */
export type Sender = {
  /** The sender's own addresses: the sender gets no message. */
  readonly own: ReadonlySet<string>;
  /** Epoch milliseconds. */
  readonly now: number;
};

export type ItipMessage = {
  readonly method: 'REQUEST' | 'CANCEL' | 'REPLY';
  readonly uid: string;
  readonly title: string;
  /** Normalized addresses: `mailto:ada@people.example`. */
  readonly from: string;
  readonly to: string;
  readonly icalendar: string;
  /** Whether it is worth an email: a guest of another server does not get one for every edit. */
  readonly isSignificant: boolean;
};

/** An object before and after a change. */
export type ObjectChange = {
  readonly before: ScheduledObject | undefined;
  readonly after: ScheduledObject | undefined;
};

/** Renders a message with these events, and with the zones of their object. */
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

/**
 * Returns the lines of an event that everybody may see: no alarms, and no parameters only for the client and its
 * server.
 */
export const sharedLines = ({ component }: ScheduledEvent): string[] =>
  component.lines.map((line) => (/^\s*(ATTENDEE|ORGANIZER)\b/i.test(line) ? withoutScheduling(line) : line));

/** Returns the lines that identify the event and its revision. */
export function identifyingLines(event: ScheduledEvent): string[] {
  const { lines } = event.component;
  const organizer = linesNamed(lines, 'ORGANIZER').map(withoutScheduling);
  const identifying = linesNamed(
    lines,
    'UID',
    'SEQUENCE',
    'DTSTART',
    'DTEND',
    'DURATION',
    'RECURRENCE-ID',
    'SUMMARY',
  );
  return [...identifying, ...organizer];
}

/** Returns the title of the object's first event, without escapes. */
export function titleOf({ events }: ScheduledObject): string {
  const [line] = linesNamed(events[0]?.component.lines ?? [], 'SUMMARY');
  const property = line === undefined ? undefined : parseContentLine(line);
  return property === undefined ? '' : unescapeText(property);
}
