/** The effect of a received message (RFC 5546) on the recipient's copy of its event. */
import { type Component, parseComponents } from '../../src/lib/icalendar/component.ts';
import { linesNamed, linesWithout, replaceLines } from '../../src/lib/icalendar/edit-lines.ts';
import { writeComponent } from '../../src/lib/icalendar/write-lines.ts';
import { durationBetween } from './duration-between.ts';
import { readEvents } from './instances.ts';
import {
  answerIn,
  eventOf,
  propertyValue,
  type ScheduledEvent,
  type ScheduledObject,
  scheduledObject,
  withParameters,
} from './scheduled-object.ts';

/** Returns the object that an invitation or its next revision creates; like sabre/dav, it replaces the earlier copy. */
export function acceptedRequest(message: string): string {
  const [calendar] = parseComponents(message);
  if (calendar === undefined) throw new Error('A message holds a calendar');
  return writeComponent({ ...calendar, lines: linesWithout(calendar.lines, 'METHOD') });
}

/** Returns the copy with the event marked as cancelled; if only an exception is cancelled, that exception is marked. */
export function cancelledObject(copy: ScheduledObject, message: ScheduledObject): string {
  const whole = eventOf(message, 'series');
  const cancelled = (event: ScheduledEvent): Component => {
    const revision = whole ?? eventOf(message, event.key);
    if (revision === undefined) return event.component;
    const sequence = replaceLines(
      event.component.lines,
      ['SEQUENCE'],
      [`SEQUENCE:${propertyValue(revision, 'SEQUENCE')}`],
    );
    return { ...event.component, lines: replaceLines(sequence, ['STATUS'], ['STATUS:CANCELLED']) };
  };
  return rewritten(copy, cancelled);
}

/** Returns the organizer's copy with the responses of a guest; responses for single occurrences become exceptions. */
export function answeredObject(copy: ScheduledObject, reply: ScheduledObject, guest: string): string {
  const answers = new Map(reply.events.map((event) => [event.key, event]));
  const answered = (event: ScheduledEvent): Component => {
    const answer = answers.get(event.key)?.attendees.get(guest);
    if (answer === undefined) return event.component;
    return { ...event.component, lines: withAnswer(event.component.lines, { guest, answer, event }) };
  };
  const series = eventOf(copy, 'series');
  const added = [...answers.values()].flatMap((answer) =>
    series === undefined || eventOf(copy, answer.key) !== undefined ? [] : exceptionOf(series, answer, guest),
  );
  return rewritten(copy, answered, added);
}

type GuestAnswer = { readonly guest: string; readonly answer: string; readonly event: ScheduledEvent };

/** A person who responds without an invitation is added, as a party crasher. */
function withAnswer(lines: readonly string[], { guest, answer, event }: GuestAnswer): string[] {
  const before = event.attendees.get(guest);
  const changed = { PARTSTAT: answerIn(answer), 'SCHEDULE-STATUS': '2.0', RSVP: undefined };
  if (before === undefined) return [...lines, withParameters(answer, changed)];
  return lines.map((line) => (line === before ? withParameters(line, changed) : line));
}

const RECURRENCE = ['RRULE', 'RDATE', 'EXDATE', 'DTSTART', 'DTEND', 'DURATION'];

function exceptionOf(series: ScheduledEvent, answer: ScheduledEvent, guest: string): Component[] {
  const [recurrenceId] = linesNamed(answer.component.lines, 'RECURRENCE-ID');
  const line = answer.attendees.get(guest);
  if (recurrenceId === undefined || line === undefined) return [];
  const [master] = readEvents(
    writeComponent({ name: 'VCALENDAR', lines: [], components: [series.component] }),
  );
  const single = linesWithout(series.component.lines, ...RECURRENCE);
  const lines = [
    ...single,
    recurrenceId,
    recurrenceId.replace(/^\s*RECURRENCE-ID/i, 'DTSTART'),
    ...(master === undefined ? [] : [`DURATION:${durationBetween(master.start, master.end)}`]),
  ];
  return [{ ...series.component, lines: withAnswer(lines, { guest, answer: line, event: series }) }];
}

/** Returns the text with its events replaced by other components. */
export function rewritten(
  { calendar, events }: ScheduledObject,
  change: (event: ScheduledEvent) => Component,
  added: readonly Component[] = [],
): string {
  const byComponent = new Map(events.map((event) => [event.component, event]));
  const components = calendar.components.map((component) => {
    const event = byComponent.get(component);
    return event === undefined ? component : change(event);
  });
  return writeComponent({ ...calendar, components: [...components, ...added] });
}

/** Parses a message or a stored object, which must have an event. */
export function scheduled(icalendar: string): ScheduledObject {
  const object = scheduledObject(icalendar);
  if (object === undefined) throw new Error('What is scheduled holds an event');
  return object;
}
