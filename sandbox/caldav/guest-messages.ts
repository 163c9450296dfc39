/**
 * The messages that the server sends after a guest's change, RFC 6638 §3.2.2: responses to the organizer. A change that
 * only the organizer may make is refused (§3.2.4.4); sabre/dav lets it through, and the next update of the organizer
 * undoes it.
 */
import { parseContentLine } from '../../src/lib/icalendar/content-line.ts';
import { linesNamed, linesWithout, replaceLines } from '../../src/lib/icalendar/edit-lines.ts';
import type { SandboxRefusal } from '../core/sandbox-refusal.ts';
import { failedCondition } from './dav-answer.ts';
import { utcText } from './icalendar-writer.ts';
import {
  type ItipMessage,
  identifyingLines,
  messageText,
  type ObjectChange,
  type Sender,
  titleOf,
} from './itip-message.ts';
import {
  addressIn,
  answerIn,
  type EventKey,
  eventOf,
  isCancelled,
  isServersTask,
  type ScheduledEvent,
  withoutScheduling,
  withParameters,
} from './scheduled-object.ts';

/**
 * Returns one message with all new responses. Returns none for a new copy: like sabre/dav, which regards it as an
 * import.
 */
export function guestMessages(change: ObjectChange, { own, now }: Sender): ItipMessage[] {
  const { before, after } = change;
  const object = after ?? before;
  if (before === undefined || object === undefined) return [];
  const [organizer] = object.events.flatMap(({ component }) => linesNamed(component.lines, 'ORGANIZER'));
  if (organizer === undefined || !isServersTask(organizer) || before.events.every(isCancelled)) return [];
  const answers = newAnswers(change, own);
  const [first] = answers;
  if (first === undefined) return [];
  const events = answers.map(({ event, key, line, answer }) => ({
    name: 'VEVENT',
    lines: [
      ...instanceLines(event, key),
      ...linesNamed(event.component.lines, 'COMMENT'),
      withParameters(withoutScheduling(line), { PARTSTAT: answer, RSVP: undefined }),
      `DTSTAMP:${utcText(now)}`,
    ],
    components: [],
  }));
  return [
    {
      method: 'REPLY',
      uid: object.uid,
      title: titleOf(object),
      from: addressIn(first.line),
      to: addressIn(organizer),
      icalendar: messageText('REPLY', object, events),
      isSignificant: true,
    },
  ];
}

type NewAnswer = {
  readonly event: ScheduledEvent;
  readonly key: EventKey;
  /** The guest's ATTENDEE line. */
  readonly line: string;
  readonly answer: string;
};

function newAnswers({ before, after }: ObjectChange, own: ReadonlySet<string>): NewAnswer[] {
  const series = eventOf(before, 'series');
  if (after === undefined) {
    const left = series === undefined ? (before?.events ?? []) : [series];
    return left.flatMap((event) => newAnswer(event, 'DECLINED', { event, own }));
  }
  const answered = after.events.flatMap((event) => {
    const line = ownLine(event, own);
    const earlier = eventOf(before, event.key) ?? series ?? event;
    return line === undefined ? [] : newAnswer(event, answerIn(line), { event: earlier, own });
  });
  const current = eventOf(after, 'series');
  const line = current && ownLine(current, own);
  if (current === undefined || line === undefined || answerIn(line) === 'DECLINED') return answered;
  const removed = [...current.excluded].filter(([instant]) => !series?.excluded.has(instant));
  const declined = removed.map(
    ([instant]): NewAnswer => ({ event: current, key: instant, line, answer: 'DECLINED' }),
  );
  return [...answered, ...declined];
}

type Earlier = { readonly event: ScheduledEvent; readonly own: ReadonlySet<string> };

function newAnswer(event: ScheduledEvent, answer: string, earlier: Earlier): NewAnswer[] {
  const line = ownLine(event, earlier.own);
  const before = ownLine(earlier.event, earlier.own);
  if (line === undefined || (before !== undefined && answerIn(before) === answer)) return [];
  return [{ event, key: event.key, line, answer }];
}

const ownLine = ({ attendees }: ScheduledEvent, own: ReadonlySet<string>): string | undefined =>
  [...attendees].find(([address]) => own.has(address))?.[1];

/** An occurrence that the guest removed is known only by its EXDATE. */
function instanceLines(event: ScheduledEvent, key: EventKey): string[] {
  const lines = identifyingLines(event);
  const excluded = key === 'series' ? undefined : event.excluded.get(key);
  if (event.key === key || excluded === undefined) return lines;
  const renameExdate = (name: string) => excluded.replace(/^EXDATE/, name);
  const start = replaceLines(
    linesWithout(lines, 'DTEND', 'DURATION'),
    ['DTSTART'],
    [renameExdate('DTSTART')],
  );
  return [...start, renameExdate('RECURRENCE-ID')];
}

/** The properties of an event that only the organizer may change, besides the other guests. */
const ORGANIZERS = [
  ...[
    'ORGANIZER',
    'SUMMARY',
    'DESCRIPTION',
    'LOCATION',
    'GEO',
    'URL',
    'STATUS',
    'SEQUENCE',
    'PRIORITY',
    'RESOURCES',
  ],
  ...['ATTACH', 'CONTACT', 'RELATED-TO', 'CONFERENCE'],
];
const TIMES = ['DTSTART', 'DTEND', 'DURATION', 'RRULE', 'RDATE'];

/** Throws the error for a change that a guest may not make. */
export function refuseForeignChanges({ before, after }: ObjectChange, own: ReadonlySet<string>): void {
  if (before === undefined || after === undefined) return;
  const series = eventOf(before, 'series');
  if (before.organizer !== after.organizer) throw refusal();
  if (series !== undefined && eventOf(after, 'series') === undefined) throw refusal();
  for (const event of after.events) {
    const same = eventOf(before, event.key);
    const base = same ?? series;
    const names = same === undefined ? ORGANIZERS : [...ORGANIZERS, ...TIMES];
    if (base === undefined || ownersLines(event, names, own) !== ownersLines(base, names, own))
      throw refusal();
  }
}

function ownersLines(
  { component, attendees }: ScheduledEvent,
  names: readonly string[],
  own: ReadonlySet<string>,
) {
  const others = [...attendees].flatMap(([address, line]) => (own.has(address) ? [] : line));
  return [...linesNamed(component.lines, ...names), ...others].map(comparableLine).sort().join('\n');
}

/** Normalizes a line, because clients may reorder and requote what they do not change. */
function comparableLine(line: string): string {
  const property = parseContentLine(withoutScheduling(line));
  if (property === undefined) return line;
  const parameters = [...property.parameters].map(([name, values]) => `${name}=${values.join()}`).sort();
  return [property.name, ...parameters, property.value.trim()].join(';');
}

const refusal = (): SandboxRefusal =>
  failedCondition(403, 'c:allowed-attendee-scheduling-object-change', 'That is for the organizer to change');
