/**
 * The messages that the server sends after an organizer's change, RFC 6638 §3.2.1: invitations and updates to invited
 * people, cancellations to people who no longer are.
 */
import type { Component } from '../../src/lib/icalendar/component.ts';
import { linesNamed, linesWithout, replaceLines } from '../../src/lib/icalendar/edit-lines.ts';
import { utcText } from './icalendar-writer.ts';
import {
  type ItipMessage,
  identifyingLines,
  messageText,
  type ObjectChange,
  type Sender,
  sharedLines,
  titleOf,
} from './itip-message.ts';
import {
  isCancelled,
  isServersTask,
  parameterIn,
  propertyValue,
  type ScheduledEvent,
  type ScheduledObject,
  withParameters,
} from './scheduled-object.ts';

export function organizerMessages(change: ObjectChange, { own, now }: Sender): ItipMessage[] {
  const { before, after } = change;
  const object = after ?? before;
  const from = before?.organizer ?? after?.organizer;
  if (object === undefined || from === undefined) return [];
  const guests = [...new Set([...invitedTo(before), ...invitedTo(after)])].filter((guest) => !own.has(guest));
  return guests.flatMap((to) => {
    const message = messageTo(to, change, now);
    return message === undefined ? [] : { ...message, uid: object.uid, title: titleOf(object), from, to };
  });
}

/** The guests that the server must write to. */
const invitedTo = (object: ScheduledObject | undefined): string[] =>
  (object?.events ?? []).flatMap(({ attendees }) =>
    [...attendees].flatMap(([address, line]) => (isServersTask(line) ? address : [])),
  );

type GuestMessage = Pick<ItipMessage, 'method' | 'icalendar' | 'isSignificant'>;

function messageTo(to: string, { before, after }: ObjectChange, now: number): GuestMessage | undefined {
  const [had, has] = [eventsOf(before, to), eventsOf(after, to)];
  if (has.length === 0 || after === undefined) {
    return before === undefined || had.length === 0
      ? undefined
      : cancellation(to, before, { had, after, now });
  }
  const request = requestedEvents(after, to);
  const requestedBefore = before === undefined ? [] : requestedEvents(before, to);
  if (had.length > 0 && toComparableText(request) === toComparableText(requestedBefore)) return undefined;
  const forced = has.some(
    ({ attendees }) =>
      parameterIn(attendees.get(to) ?? '', 'SCHEDULE-FORCE-SEND')?.toUpperCase() === 'REQUEST',
  );
  const stamped = request.map((event) => ({
    ...event,
    lines: replaceLines(event.lines, ['DTSTAMP'], [`DTSTAMP:${utcText(now)}`]),
  }));
  return {
    method: 'REQUEST',
    icalendar: messageText('REQUEST', after, stamped),
    isSignificant: forced || significanceOf(request) !== significanceOf(requestedBefore),
  };
}

/** The events that take place with this guest. */
const eventsOf = (object: ScheduledObject | undefined, guest: string): ScheduledEvent[] =>
  (object?.events ?? []).filter((event) => event.attendees.has(guest) && !isCancelled(event));

/** Returns the events of a guest's invitation: occurrences of a series without the guest become exception dates. */
function requestedEvents(object: ScheduledObject, guest: string): Component[] {
  const apart = object.events.filter(({ attendees }) => !attendees.has(guest));
  const without = apart.flatMap(({ component }) =>
    linesNamed(component.lines, 'RECURRENCE-ID').map((line) => line.replace(/^\s*RECURRENCE-ID/i, 'EXDATE')),
  );
  return object.events
    .filter(({ attendees }) => attendees.has(guest))
    .map((event) => {
      const lines = [...sharedLines(event), ...(event.key === 'series' ? without : [])];
      return { name: 'VEVENT', lines: lines.map(withAnswer), components: [] };
    });
}

/**
 * A guest without a response has not responded yet: that is the default of RFC 5545 §3.2.12, but clients need it
 * explicitly.
 */
const withAnswer = (line: string): string =>
  /^\s*ATTENDEE\b/i.test(line) && parameterIn(line, 'PARTSTAT') === undefined
    ? withParameters(line, { PARTSTAT: 'NEEDS-ACTION' })
    : line;

const toComparableText = (events: readonly Component[]): string =>
  events.map(({ lines }) => linesWithout(lines, 'DTSTAMP', 'LAST-MODIFIED').join('\n')).join('\n\n');

const SIGNIFICANT = ['DTSTART', 'DTEND', 'DURATION', 'RRULE', 'RDATE', 'EXDATE', 'RECURRENCE-ID', 'STATUS'];

/** Returns the parts that make a change significant, as in sabre/dav: when the event takes place, and whether. */
const significanceOf = (events: readonly Component[]): string =>
  events.map(({ lines }) => linesNamed(lines, ...SIGNIFICANT).join('\n')).join('\n\n');

type Cancelled = {
  readonly had: readonly ScheduledEvent[];
  readonly after: ScheduledObject | undefined;
  readonly now: number;
};

/**
 * Returns a cancellation of the whole event, or of the exceptions to which the guest was invited alone. It is the next
 * revision, RFC 5546 §3.2.5.
 */
function cancellation(to: string, before: ScheduledObject, { had, after, now }: Cancelled): GuestMessage {
  const series = had.find(({ key }) => key === 'series');
  const events = (series === undefined ? had : [series]).map((event) => {
    const current = after?.events.find(({ key }) => key === event.key);
    const sequence = Number(propertyValue(event, 'SEQUENCE') || 0) + 1;
    const revision = Math.max(sequence, Number((current && propertyValue(current, 'SEQUENCE')) || 0));
    const guest = linesNamed(event.component.lines, 'ATTENDEE').filter(
      (line) => line === event.attendees.get(to),
    );
    const lines = replaceLines(identifyingLines(event), ['SEQUENCE'], [`SEQUENCE:${revision}`]);
    return {
      name: 'VEVENT',
      lines: [...lines, ...guest, `DTSTAMP:${utcText(now)}`, 'STATUS:CANCELLED'],
      components: [],
    };
  });
  return { method: 'CANCEL', icalendar: messageText('CANCEL', before, events), isSignificant: true };
}
