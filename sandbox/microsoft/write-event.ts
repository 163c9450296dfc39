/** Creating and changing single events and masters, including what Exchange refuses and what it drops. */
import { DAY, formatLocal } from '../../src/lib/recurrence/civil.ts';
import { type FaultEffect, hasEffect } from '../core/faults.ts';
import { SandboxRefusal } from '../core/sandbox-refusal.ts';
import type { Account } from './directory.ts';
import type { EventBody } from './event.schema.ts';
import { BLANK, plainMembers } from './event-members.ts';
import { instantOfTime, isMidnight, localMs, readTime, type StoredTime, zoneOfName } from './graph-time.ts';
import { newItemKey } from './item-id.ts';
import type { EventContent, StoredEvent } from './mailbox.ts';
import { allowedProviders, onlineMeetingMembers } from './online-meeting.ts';
import {
  firstStart,
  readRecurrence,
  ruleOf,
  type StoredRecurrence,
  shortestGap,
} from './recurrence-pattern.ts';
import { instanceAt } from './series-instances.ts';

export type WriteDeps = {
  readonly now: number;
  /** The mailbox's next change number. */
  readonly change: number;
  /** The owner of the calendar. */
  readonly owner: { readonly name: string; readonly address: string };
  readonly origin: string;
  /** The online meetings that the calendar allows. */
  readonly meetings: readonly EventContent['onlineMeetingProvider'][];
  /** Whether a new meeting adds a paragraph to the text. */
  readonly meetingInBody: boolean;
};

export function writeDeps(
  account: Account,
  change: number,
  { now, origin, effects = [] }: { now(): number; origin(): string; effects?: readonly FaultEffect[] },
): WriteDeps {
  const owner = { name: account.name, address: account.email };
  const meetingInBody = hasEffect(effects, 'meeting_in_body');
  return { now: now(), change, owner, origin: origin(), meetings: allowedProviders(account), meetingInBody };
}

/** Creates an event from a body. Throws a 400. */
export function newEvent(body: EventBody, deps: WriteDeps): StoredEvent {
  if (body.start === undefined || body.end === undefined) {
    throw new SandboxRefusal(
      400,
      'ErrorPropertyValidationFailure',
      'At least one property failed validation: start and end are required.',
    );
  }
  const key = newItemKey();
  const content = readContent(body, blankContent(deps), deps);
  const placed = placeSeries(body, content, undefined);
  return {
    key,
    iCalUId: `040000008200E00074C5B7101A82E008${Buffer.from(key).toString('hex').toUpperCase()}`,
    createdAt: deps.now,
    modifiedAt: deps.now,
    change: deps.change,
    transactionId: body.transactionId ?? undefined,
    attachments: [],
    ...placed,
    exceptions: new Map(),
    deleted: new Set(),
  };
}

/**
 * Returns the event with the changes of the body. Exceptions and deletions are dropped if the pattern or the times of
 * the series change; if only its end changes, the remaining ones stay. Throws a 400.
 */
export function changedEvent(event: StoredEvent, body: EventBody, deps: WriteDeps): StoredEvent {
  const content = readContent(body, event.content, deps);
  const placed = placeSeries(body, content, event.recurrence);
  const changed = { ...event, ...placed, modifiedAt: deps.now, change: deps.change };
  if (placed.recurrence === undefined || shapeOf(changed) !== shapeOf(event)) {
    return { ...changed, exceptions: new Map(), deleted: new Set() };
  }
  // A shortened series keeps the exceptions that are still in it. No source confirms that.
  const plain = { ...changed, exceptions: new Map(), deleted: new Set<string>() };
  const remains = (original: string) => instanceAt(plain, original) !== undefined;
  return {
    ...changed,
    exceptions: new Map([...event.exceptions].filter(([original]) => remains(original))),
    deleted: new Set([...event.deleted].filter(remains)),
  };
}

/** Returns the properties that exceptions depend on: the times of the occurrences, apart from the end of the series. */
function shapeOf({ content, recurrence }: StoredEvent): string {
  const { start, end, isAllDay } = content;
  const rule = recurrence && ruleOf({ ...recurrence, range: { ...recurrence.range, type: 'noEnd' } });
  return JSON.stringify([start, end, isAllDay, rule]);
}

/** Returns the content and recurrence, with the start moved to the pattern's first day, as in Exchange. */
function placeSeries(
  body: EventBody,
  content: EventContent,
  before: StoredRecurrence | undefined,
): { readonly content: EventContent; readonly recurrence: StoredRecurrence | undefined } {
  const recurrenceBody = body.recurrence === undefined ? before : (body.recurrence ?? undefined);
  if (recurrenceBody === undefined) return { content, recurrence: undefined };
  const zone = recurrenceBody.range.recurrenceTimeZone
    ? zoneOfName(recurrenceBody.range.recurrenceTimeZone)
    : undefined;
  if (zone !== undefined && zone !== content.start.zone && !content.isAllDay && body.recurrence) {
    const inZone = (time: StoredTime) => ({ local: localIn(zone, instantOfTime(time)), zone });
    return placeSeries(body, { ...content, start: inZone(content.start), end: inZone(content.end) }, before);
  }
  const recurrence = readRecurrence(recurrenceBody, content.start.local.slice(0, 10), content.startZoneName);
  const from = localMs(content.start.local);
  const first = firstStart(recurrence, from);
  if (first === undefined) {
    throw new SandboxRefusal(
      400,
      'ErrorRecurrenceHasNoOccurrence',
      'The recurrence has no occurrence in its range.',
    );
  }
  if (localMs(content.end.local) - from > shortestGap(recurrence, first)) {
    throw new SandboxRefusal(
      400,
      'ErrorOccurrenceTimeSpanTooBig',
      'The occurrence is longer than the time between two occurrences.',
    );
  }
  const moved = (time: StoredTime) => ({ ...time, local: formatLocal(localMs(time.local) + first - from) });
  const start = moved(content.start);
  const range = { ...recurrence.range, startDate: start.local.slice(0, 10) };
  return { content: { ...content, start, end: moved(content.end) }, recurrence: { ...recurrence, range } };
}

function localIn(zone: string, instant: number): string {
  const at = Temporal.Instant.fromEpochMilliseconds(instant).toZonedDateTimeISO(zone);
  return at.toPlainDateTime().toString({ smallestUnit: 'second' });
}

/** Returns the content with the fields of the body replaced. Throws a 400. */
export function readContent(body: EventBody, before: EventContent, deps: WriteDeps): EventContent {
  const { start, end, isAllDay, location, locations, singleValueExtendedProperties: properties } = body;
  const readStart = start === undefined ? undefined : readTime('start', start);
  const readEnd = end === undefined ? undefined : readTime('end', end);
  const content: EventContent = {
    ...before,
    ...plainMembers(body, before),
    ...(isAllDay == null ? {} : { isAllDay }),
    ...(readStart && { start: timeOf(readStart), startZoneName: readStart.name }),
    ...(readEnd && { end: timeOf(readEnd), endZoneName: readEnd.name }),
    // A new place replaces all previous ones.
    ...((location || locations) && { locations: locations ?? undefined }),
    ...(properties && { extendedProperties: mergedProperties(before, properties) }),
  };
  refuseBadTimes(content);
  return { ...content, ...onlineMeetingMembers(body, content, deps) };
}

const timeOf = ({ local, zone }: StoredTime): StoredTime => ({ local, zone });

function refuseBadTimes({ start, end, isAllDay }: EventContent): void {
  if (isAllDay && (!isMidnight(start.local) || !isMidnight(end.local) || start.zone !== end.zone)) {
    throw new SandboxRefusal(
      400,
      'ErrorInvalidRequest',
      "An all-day event's start and end need to be set to midnight, in the same time zone.",
    );
  }
  const length = isAllDay
    ? localMs(end.local) - localMs(start.local)
    : instantOfTime(end) - instantOfTime(start);
  if (length < (isAllDay ? DAY : 0)) {
    throw new SandboxRefusal(
      400,
      'ErrorCalendarEndDateIsEarlierThanStartDate',
      'The end of the event is earlier than its start.',
    );
  }
  if (length > LONGEST) {
    throw new SandboxRefusal(400, 'ErrorCalendarDurationIsTooLong', 'The event is longer than five years.');
  }
}

/** Exchange's own bound. */
const LONGEST = 1825 * DAY;

function mergedProperties(
  { extendedProperties }: EventContent,
  changes: readonly { id: string; value: string }[],
): EventContent['extendedProperties'] {
  const ids = new Set(changes.map(({ id }) => id));
  return [...extendedProperties.filter(({ id }) => !ids.has(id ?? '')), ...changes];
}

function blankContent({ owner }: WriteDeps): EventContent {
  const epoch = { local: '1601-01-01T00:00:00', zone: 'UTC' };
  return {
    ...BLANK,
    responseStatus: { response: 'organizer', time: '0001-01-01T00:00:00Z' },
    isAllDay: false,
    locations: undefined,
    start: epoch,
    end: epoch,
    startZoneName: 'UTC',
    endZoneName: 'UTC',
    organizer: owner,
    isCancelled: false,
    onlineMeetingProvider: 'unknown',
    onlineMeeting: undefined,
    extendedProperties: [],
  };
}
