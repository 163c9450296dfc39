/**
 * Creates the later half of a split series as a separate object: the old text with a new UID, new times and the
 * caller's changes. Everything else, such as alarms and properties of other programs, stays to the letter.
 */
import type { EventChange, LaterException, LaterHalf } from '../../../calendars/event-writing.ts';
import { ProviderError, UnsupportedByProvider } from '../../../calendars/provider-error.ts';
import type { Component } from '../../../lib/icalendar/component.ts';
import { linesNamed, linesWithout, replaceLines } from '../../../lib/icalendar/edit-lines.ts';
import type { ReadEvent } from '../../../lib/icalendar/parse-icalendar.ts';
import { instanceLine, utcText } from '../../../lib/icalendar/write-time.ts';
import { toInstant, toOriginalStart } from '../../../lib/recurrence/event-instant.ts';
import type { EventTime } from '../../../lib/recurrence/event-time.ts';
import { onlyException } from '../../single-later-half.ts';
import { isUserAddress, sameAddress } from '../dav/user-addresses.ts';
import { addressIn, invitedAddresses } from './attendee-lines.ts';
import { type CalendarObject, type EventEdit, writeCalendar } from './calendar-object.ts';
import { isInvited, requireRole, withDetailsAndAttendees } from './edit-event.ts';
import { endAfter, originalOf, readDtstart, withTimes } from './event-times.ts';
import { type Editor, isOrganizer, markChanged } from './mark-changed.ts';

export type NewSeries = { readonly uid: string; readonly editor: Editor };

/** Components of calendar entries, as opposed to time zones (RFC 4791 §4.1). */
const ENTRIES: readonly string[] = ['VEVENT', 'VTODO', 'VJOURNAL', 'VFREEBUSY'];

/**
 * Returns the new object's text without attendees, and their lines; or the text with them, if only the organizer
 * attends. Fails as `organizer_only` for a guest, as `not_found` without a series, and as `precondition_failed` if the
 * series lacks one of the exceptions.
 */
export function createLaterHalf(
  object: CalendarObject,
  later: LaterHalf,
  { uid, editor }: NewSeries,
): { readonly icalendar: string; readonly invitations?: Invitations } {
  const { calendar, master, zones } = object;
  if (master === undefined) throw new ProviderError('not_found', 'The series was deleted');
  requireOrganizer(object, later.change, editor);
  const { start, end, recurrence, ...details } = later.change;
  const renewed = ({ component }: ReadEvent, lines: readonly string[]): Component => ({
    ...component,
    lines: asNew(withDetailsAndAttendees(lines, details, editor), { uid, editor }),
  });
  const others = calendar.components.filter(({ name }) => !ENTRIES.includes(name));
  const render = (entries: readonly Component[]) =>
    writeCalendar({ ...calendar, components: [...others, ...entries] }, zones, editor.now);
  const halfWith = (...entries: readonly Component[]) => {
    const { components, invitations } = withoutAttendees(entries, originals, editor);
    // An object that would be too complex with its attendees is refused before anything is sent.
    const whole = render(entries);
    return invitations === undefined ? { icalendar: whole } : { icalendar: render(components), invitations };
  };
  const exceptionAt = indexExceptions(object, master);
  const originals = later.exceptions.map(({ instance }) => keyIn(start, instance));
  const only = recurrence === null ? onlyException(later) : undefined;
  if (only !== undefined) {
    const event = exceptionAt(only);
    const timed = withTimes(event, only.times ?? { start, end }, zones.tzidOf);
    return halfWith(renewed(event, linesWithout(timed, 'RECURRENCE-ID')));
  }
  const lines = withTimes(master, later.change, zones.tzidOf);
  const dtstart = readDtstart(lines);
  const exceptions = later.exceptions.map((exception) => {
    const { instance } = exception;
    const event = exceptionAt(exception);
    const times = exception.times ?? { start: instance, end: endAfter(instance, { start, end }) };
    const recurrenceId = instanceLine('RECURRENCE-ID', dtstart, start, instance);
    return renewed(
      event,
      replaceLines(withTimes(event, times, zones.tzidOf), ['RECURRENCE-ID'], [recurrenceId]),
    );
  });
  return halfWith(renewed(master, lines), ...exceptions);
}

/** ORGANIZER and ATTENDEE lines of a series, and of exceptions that have others, by keyIn. Stored as JSON. */
type Invitations = {
  readonly lines: readonly string[];
  readonly exceptions: Readonly<Record<number, readonly string[]>>;
};

const INVITING = ['ORGANIZER', 'ATTENDEE'];

/** Names an occurrence of a series by its original start, in epoch milliseconds. */
const keyIn = (seriesStart: EventTime, original: EventTime): number =>
  toInstant(toOriginalStart(seriesStart, original, 'UTC'), 'UTC');

/** `originals` are the keys of all entries but the first, which is the series. */
function withoutAttendees(
  entries: readonly Component[],
  originals: readonly number[],
  { user }: Editor,
): { readonly components: readonly Component[]; readonly invitations?: Invitations } {
  const [lines = [], ...others] = entries.map((entry) => linesNamed(entry.lines, ...INVITING));
  const organizers = linesNamed(lines, 'ORGANIZER').map(addressIn);
  const isOrganizers = (address: string) =>
    isUserAddress(user, address) || organizers.some((organizer) => sameAddress(organizer, address));
  const invited = [lines, ...others].flatMap((list) => linesNamed(list, 'ATTENDEE').map(addressIn));
  if (invited.every(isOrganizers)) return { components: entries };
  const components = entries.map((entry) => ({ ...entry, lines: linesWithout(entry.lines, ...INVITING) }));
  const differing = others.flatMap((list, index) =>
    list.join() === lines.join() ? [] : [[originals[index], list] as const],
  );
  return { components, invitations: { lines, exceptions: Object.fromEntries(differing) } };
}

/** Returns the edits that invite the attendees of `invitations`. A list with the same addresses is complete. */
export function invitingEdits(
  { events: [series, ...others] }: CalendarObject,
  invitations: unknown,
  { now }: Editor,
): EventEdit[] {
  // Only withoutAttendees creates them.
  const { lines, exceptions } = invitations as Invitations;
  if (series === undefined) return [];
  const { start } = series.event;
  return [series, ...others].flatMap((event) => {
    const ofException = event === series ? undefined : exceptions[keyIn(start, originalOf(event.event))];
    const list = ofException ?? lines;
    const { lines: current } = event.component;
    if (invitedAddresses(current) === invitedAddresses(list)) return [];
    const plain = linesWithout(current, ...INVITING);
    return [{ event, lines: markChanged([...plain, ...list], now) }];
  });
}

/** Splitting a series ends it, which only its organizer may do, whatever the change. */
function requireOrganizer({ events }: CalendarObject, change: EventChange, editor: Editor): void {
  const isGuests = events.some(
    ({ component: { lines } }) => !isOrganizer(editor.user, lines) && isInvited(lines, editor.user),
  );
  if (isGuests) {
    const message = 'Only the organizer can change this and all later occurrences';
    throw new UnsupportedByProvider('organizer_only', message, 'updateMode');
  }
  for (const { component } of events) requireRole(component.lines, change, editor);
}

/** Returns the lines as a first revision, created now. */
function asNew(lines: readonly string[], { uid, editor: { now } }: NewSeries): string[] {
  const stated = {
    UID: uid,
    DTSTAMP: utcText(now),
    CREATED: utcText(now),
    'LAST-MODIFIED': utcText(now),
    SEQUENCE: '0',
  };
  return Object.entries(stated).reduce(
    (written, [name, value]) => replaceLines(written, [name], [`${name}:${value}`]),
    [...lines],
  );
}

/** Returns a search for the exception that a split names. */
function indexExceptions(
  { overrides }: CalendarObject,
  { event: { start } }: ReadEvent,
): (exception: LaterException) => ReadEvent {
  const byOriginal = new Map(
    overrides.map((override) => [keyIn(start, originalOf(override.event)), override]),
  );
  return ({ recurrenceId }) => {
    const override = byOriginal.get(keyIn(start, recurrenceId));
    if (override !== undefined) return override;
    throw new ProviderError('precondition_failed', 'The series was changed in the meantime');
  };
}
