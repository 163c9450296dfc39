/** Changes of events as changes of their VEVENTs: of a single event or a whole series, of an occurrence, of an answer. */
import type { EventChange } from '../../calendars/event-writing.ts';
import { ProviderError } from '../../calendars/provider-error.ts';
import { UnsupportedByProvider } from '../../calendars/unsupported.ts';
import type { Component } from '../../lib/icalendar/component.ts';
import { linesNamed, linesWithout, replaceLines } from '../../lib/icalendar/edit-lines.ts';
import type { ReadEvent } from '../../lib/icalendar/parse-icalendar.ts';
import type { VEvent } from '../../lib/icalendar/v-event.ts';
import { contentLine, escapeText } from '../../lib/icalendar/write-lines.ts';
import { instanceLine, utcText } from '../../lib/icalendar/write-time.ts';
import { instantOf, originalStartOf } from '../../lib/recurrence/event-instant.ts';
import type { EventTime } from '../../lib/recurrence/event-time.ts';
import { addressIn, answerIn, invited, withAnswer, withAttendees } from './attendee-lines.ts';
import type { EditedObject, WrittenEvent } from './edited-object.ts';
import { saysTheSame, type WordField, withWords } from './event-fields.ts';
import { dtstartOf, movedOverrides, occurrenceTimes, withTimes } from './event-times.ts';
import { isOwn, type OwnAddresses } from './own-addresses.ts';

export type Editing = {
  readonly own: OwnAddresses;
  /** Epoch milliseconds. */
  readonly now: number;
};

/** The single event or the series: what its occurrences did not say differently changes with it. */
export function changeEvent(object: EditedObject, change: EventChange, editing: Editing): WrittenEvent[] {
  const { master, overrides, tzidOf } = object;
  const [only] = overrides;
  if (master === undefined) return only === undefined ? [] : changeOnly(object, only, change, editing);
  checkRole(master.component.lines, change, editing);
  const timed = withTimes(master, change, tzidOf);
  const lines = revised(withAnyWords(timed, change, editing), master.component.lines, editing);
  const kept = movedOverrides(master, { ...master.component, lines: timed }, overrides, change, tzidOf);
  return [
    { was: master.component, component: { ...master.component, lines } },
    ...kept.map(({ was, lines: moved }) => {
      const following = withoutOwnWords(change, was.component.lines, master.component.lines);
      const isChanged = moved !== was.component.lines || Object.keys(following).length > 0;
      const changed = withAnyWords(moved, following, editing);
      return {
        was: was.component,
        component: { ...was.component, lines: isChanged ? revised(changed, moved, editing) : moved },
      };
    }),
  ];
}

/** An occurrence that was shared without its series. */
function changeOnly(
  object: EditedObject,
  only: ReadEvent,
  change: EventChange,
  editing: Editing,
): WrittenEvent[] {
  checkRole(only.component.lines, change, editing);
  const changed = changedLines(object, only, change, editing);
  return rest(object, only, { was: only.component, component: { ...only.component, lines: changed } });
}

/** One occurrence, as an override of its own. */
export function changeOccurrence(
  object: EditedObject,
  instance: EventTime,
  change: EventChange,
  editing: Editing,
): WrittenEvent[] {
  checkOccurrenceChange(change);
  const { was, event } = occurrenceOf(object, instance);
  checkRole(event.component.lines, change, editing);
  const component = { ...event.component, lines: changedLines(object, event, change, editing) };
  return rest(object, event, { was, component });
}

function changedLines(
  { tzidOf }: EditedObject,
  read: ReadEvent,
  change: EventChange,
  editing: Editing,
): string[] {
  const timed = withTimes(read, change, tzidOf);
  return revised(withAnyWords(timed, change, editing), read.component.lines, editing);
}

/** Takes one occurrence out of its series; `undefined` when it is out already, `[]` when nothing is left. */
export function removeOccurrence(
  object: EditedObject,
  instance: EventTime,
  editing: Editing,
): WrittenEvent[] | undefined {
  const { master } = object;
  const override = overrideOf(object, instance);
  const written = unchanged(object).filter(({ was }) => was !== override?.component);
  if (master === undefined) return override === undefined ? undefined : written;
  const isOut = isExcluded(master.event, instance);
  if (isOut && override === undefined) return undefined;
  const dtstart = dtstartOf(master.component.lines);
  const exdate = isOut ? [] : [instanceLine('EXDATE', dtstart, master.event.start, instance)];
  const lines = revised([...master.component.lines, ...exdate], master.component.lines, editing);
  return written.map((event) =>
    event.was === master.component ? { was: event.was, component: { ...master.component, lines } } : event,
  );
}

export type Answer = { readonly participation: string; readonly comment: string | undefined };

/** The account's answer to an invitation; occurrences answered as the series was follow it. */
export function answerInvitation(
  object: EditedObject,
  instance: EventTime | undefined,
  answer: Answer,
  editing: Editing,
): WrittenEvent[] {
  const { master, overrides } = object;
  if (instance !== undefined) {
    const { was, event } = occurrenceOf(object, instance);
    return rest(object, event, { was, component: answered(event.component, answer, editing) });
  }
  const first = master ?? overrides[0];
  if (first === undefined) return [];
  const isGuest = (address: string) => isOwn(editing.own, address);
  const before = answerIn(first.component.lines, isGuest);
  const main = answered(first.component, answer, editing);
  return unchanged(object).map((event) => {
    if (event.was === first.component) return { was: event.was, component: main };
    const own = answerIn(event.component.lines, isGuest);
    const follows = own !== undefined && (own === before || own === 'NEEDS-ACTION');
    return follows ? { was: event.was, component: answered(event.component, answer, editing) } : event;
  });
}

/** An answer is no revision of the event: SEQUENCE stays (RFC 5546 §2.1.4). */
function answered(
  component: Component,
  { participation, comment }: Answer,
  { own, now }: Editing,
): Component {
  const lines = withAnswer(component.lines, (address) => isOwn(own, address), participation);
  if (lines === undefined) {
    const message = 'This account is not among the guests of the event';
    throw new UnsupportedByProvider('field_not_supported_by_provider', message, 'response');
  }
  const said = comment === undefined ? [] : [contentLine('COMMENT', {}, escapeText(comment))];
  const spoken = comment === undefined ? lines : replaceLines(lines, ['COMMENT'], said);
  return { ...component, lines: stamped(spoken, now) };
}

/** An override there is, or one made of the series, with what it was in the object. */
function occurrenceOf(
  object: EditedObject,
  instance: EventTime,
): { was: Component | undefined; event: ReadEvent } {
  const override = overrideOf(object, instance);
  if (override !== undefined) return { was: override.component, event: override };
  const { master, overrides, tzidOf } = object;
  if (master === undefined || isExcluded(master.event, instance))
    throw new ProviderError('not_found', 'The series has no such occurrence');
  const at = instantIn(object, instance);
  if (
    overrides.some(
      ({ event }) => event.thisAndFuture && instantIn(object, event.recurrenceId ?? event.start) < at,
    )
  )
    throw spanning();
  const lines = linesWithout(master.component.lines, 'RRULE', 'RDATE', 'EXDATE', 'EXRULE');
  const event = { ...master.event, ...occurrenceTimes(master.event, instance), recurrenceId: instance };
  const alone: ReadEvent = {
    component: { ...master.component, lines },
    event: { ...event, recurrence: NONE },
  };
  const timed = withTimes(
    { ...alone, event: { ...alone.event, start: master.event.start, end: master.event.end } },
    { start: event.start, end: event.end },
    tzidOf,
  );
  const recurrenceId = instanceLine(
    'RECURRENCE-ID',
    dtstartOf(master.component.lines),
    master.event.start,
    instance,
  );
  return {
    was: undefined,
    event: { ...alone, component: { ...alone.component, lines: [...timed, recurrenceId] } },
  };
}

const NONE = { rrules: [], rdates: [], exdates: [] };

/** The override of that very occurrence. One that holds for later ones too cannot be changed for one alone. */
function overrideOf(object: EditedObject, instance: EventTime): ReadEvent | undefined {
  const at = instantIn(object, instance);
  const found = object.overrides.find(
    ({ event }) => instantIn(object, event.recurrenceId ?? event.start) === at,
  );
  if (found?.event.thisAndFuture === true) throw spanning();
  return found;
}

const spanning = (): UnsupportedByProvider =>
  new UnsupportedByProvider(
    'mode_not_supported_by_provider',
    'Another program changed this occurrence together with all later ones: it cannot be changed alone',
  );

/** Without its series, an occurrence is known by its original start alone. */
const instantIn = ({ master }: EditedObject, time: EventTime): number =>
  instantOf(master === undefined ? time : originalStartOf(master.event.start, time, 'UTC'), 'UTC');

function isExcluded({ start, recurrence }: VEvent, instance: EventTime): boolean {
  const at = instantOf(originalStartOf(start, instance, 'UTC'), 'UTC');
  return recurrence.exdates.some((exdate) => instantOf(originalStartOf(start, exdate, 'UTC'), 'UTC') === at);
}

/** Every event of the object as it is. */
const unchanged = ({ master, overrides }: EditedObject): WrittenEvent[] =>
  [...(master === undefined ? [] : [master]), ...overrides].map(({ component }) => ({
    was: component,
    component,
  }));

/** All events but `except` as they are, and the one in its place. */
const rest = (object: EditedObject, except: ReadEvent, event: WrittenEvent): WrittenEvent[] => [
  ...unchanged(object).filter(({ was }) => was !== except.component && was !== event.was),
  event,
];

function withAnyWords(lines: readonly string[], change: EventChange, { own }: Editing): string[] {
  const worded = withWords(lines, change);
  return change.attendees === undefined ? worded : withAttendees(worded, change.attendees ?? [], own);
}

const WORDS: readonly WordField[] = [
  'title',
  'description',
  'location',
  'color',
  'status',
  'availability',
  'privacy',
  'custom',
  'conference',
];

/** The part of a change that an occurrence takes over: of fields in which it said what the series said. */
function withoutOwnWords(
  change: EventChange,
  own: readonly string[],
  series: readonly string[],
): EventChange {
  const followed = WORDS.filter((field) => change[field] !== undefined && saysTheSame(field, own, series));
  const isInvited = change.attendees !== undefined && invited(own) === invited(series);
  return Object.fromEntries(
    [...followed, ...(isInvited ? (['attendees'] as const) : [])].map((field) => [field, change[field]]),
  );
}

/** What a guest may change of an invitation without its organizer, RFC 6638 §3.2.2.1. */
const GUESTS_OWN: readonly (keyof EventChange)[] = [
  'availability',
  'color',
  'custom',
  'privacy',
  'autoConference',
];

function checkRole(lines: readonly string[], change: EventChange, { own }: Editing): void {
  const [organizer] = linesNamed(lines, 'ORGANIZER');
  if (organizer === undefined || organizes(lines, own)) return;
  const foreign = keysOf(change).filter(
    (field) => change[field] !== undefined && !GUESTS_OWN.includes(field),
  );
  const isGuest = answerIn(lines, (address) => isOwn(own, address)) !== undefined;
  // An event of others that was only imported is the account's to change; inviting to it is not.
  const refused = isGuest ? foreign[0] : foreign.find((field) => field === 'attendees');
  if (refused === undefined) return;
  throw new UnsupportedByProvider(
    'organizer_only',
    'Only the organizer may change this of the event',
    refused,
  );
}

// A change has no other keys than those of its type: it was made of one field after the other.
const keysOf = (change: EventChange): (keyof EventChange)[] => Object.keys(change) as (keyof EventChange)[];

/** Whether the event is the account's own, for all that can be told. */
function organizes(lines: readonly string[], own: OwnAddresses): boolean {
  const [organizer] = linesNamed(lines, 'ORGANIZER');
  if (organizer === undefined || own.addresses.length === 0) return true;
  return isOwn(own, addressIn(organizer));
}

function checkOccurrenceChange({ recurrence }: EventChange): void {
  if (recurrence === undefined) return;
  const message = 'One occurrence of a series cannot recur by itself';
  throw new UnsupportedByProvider('mode_not_supported_by_provider', message, 'recurrence');
}

/** The next revision, where the account is the one to make it (RFC 5545 §3.8.7.4). */
function revised(lines: readonly string[], before: readonly string[], { own, now }: Editing): string[] {
  const [line] = linesNamed(before, 'SEQUENCE');
  const sequence = Number(/:\s*(\d{1,9})\s*$/.exec(line ?? '')?.[1] ?? 0);
  const counted = organizes(lines, own)
    ? replaceLines(lines, ['SEQUENCE'], [`SEQUENCE:${sequence + 1}`])
    : lines;
  return stamped(counted, now);
}

function stamped(lines: readonly string[], now: number): string[] {
  const dated = replaceLines(lines, ['DTSTAMP'], [`DTSTAMP:${utcText(now)}`]);
  return replaceLines(dated, ['LAST-MODIFIED'], [`LAST-MODIFIED:${utcText(now)}`]);
}
