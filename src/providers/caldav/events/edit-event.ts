/** Changes of events as changes of their VEVENTs: of a single event, of a whole series, of an occurrence. */
import type { EventChange } from '../../../calendars/event-writing.ts';
import { UnsupportedByProvider } from '../../../calendars/unsupported.ts';
import { linesNamed } from '../../../lib/icalendar/edit-lines.ts';
import type { ReadEvent } from '../../../lib/icalendar/parse-icalendar.ts';
import { instanceLine } from '../../../lib/icalendar/write-time.ts';
import type { EventTime } from '../../../lib/recurrence/event-time.ts';
import { isOwn } from '../dav/account-addresses.ts';
import { answerIn, invited, withAttendees } from './attendee-lines.ts';
import type { EditedObject, WrittenEvent } from './calendar-object.ts';
import { saysTheSame, type WordField, withWords } from './event-fields.ts';
import { dtstartOf, movedOverrides, withTimes } from './event-times.ts';
import { type Editing, organizes, revised } from './mark-changed.ts';
import { isExcluded, occurrenceOf, overrideOf, rest, unchanged } from './override.ts';

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

function checkOccurrenceChange({ recurrence }: EventChange): void {
  if (recurrence === undefined) return;
  const message = 'One occurrence of a series cannot recur by itself';
  throw new UnsupportedByProvider('mode_not_supported_by_provider', message, 'recurrence');
}
