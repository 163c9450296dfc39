/**
 * The later half of a series that is split, as an object of its own: the text of the old one under a new UID, with the
 * times of the new series and what the caller changed. Alarms, categories, attachments, properties of other programs and
 * VTIMEZONEs stay to the letter.
 */
import type { EventChange, LaterException, LaterHalf } from '../../../calendars/event-writing.ts';
import { ProviderError, UnsupportedByProvider } from '../../../calendars/provider-error.ts';
import type { Component } from '../../../lib/icalendar/component.ts';
import { linesWithout, replaceLines } from '../../../lib/icalendar/edit-lines.ts';
import type { ReadEvent } from '../../../lib/icalendar/parse-icalendar.ts';
import { instanceLine, utcText } from '../../../lib/icalendar/write-time.ts';
import { instantOf, originalStartOf } from '../../../lib/recurrence/event-instant.ts';
import type { EventTime } from '../../../lib/recurrence/event-time.ts';
import { onlyException } from '../../single-later-half.ts';
import { type CalendarObject, writeCalendar } from './calendar-object.ts';
import { isInvited, requireRole, withDetailsAndAttendees } from './edit-event.ts';
import { dtstartOf, endAfter, originalOf, withTimes } from './event-times.ts';
import { type Editor, isOrganizer } from './mark-changed.ts';

/** Who makes the new series, and under which UID. */
export type NewSeries = { readonly uid: string; readonly editor: Editor };

/** Kinds of components that an object has none of beside its events (RFC 4791 §4.1). */
const ENTRIES: readonly string[] = ['VEVENT', 'VTODO', 'VJOURNAL', 'VFREEBUSY'];

/**
 * The text of the new object. Fails as `organizer_only` where the account is a guest of the series; as `not_found` without
 * a series, and as `precondition_failed` where it does not have one of the exceptions.
 */
export function laterHalfOf(object: CalendarObject, later: LaterHalf, { uid, editor }: NewSeries): string {
  const { calendar, master, zones } = object;
  if (master === undefined) throw new ProviderError('not_found', 'The series is gone');
  requireOrganizer(object, later.change, editor);
  const { start, end, recurrence, ...details } = later.change;
  const renewed = ({ component }: ReadEvent, lines: readonly string[]): Component => ({
    ...component,
    lines: asNew(withDetailsAndAttendees(lines, details, editor), { uid, editor }),
  });
  const others = calendar.components.filter(({ name }) => !ENTRIES.includes(name));
  const textWith = (...entries: readonly Component[]) =>
    writeCalendar({ ...calendar, components: [...others, ...entries] }, zones, editor.now);
  const exceptionAt = exceptionsOf(object, master);
  const only = recurrence === null ? onlyException(later) : undefined;
  if (only !== undefined) {
    const event = exceptionAt(only);
    const timed = withTimes(event, only.times ?? { start, end }, zones.tzidOf);
    return textWith(renewed(event, linesWithout(timed, 'RECURRENCE-ID')));
  }
  const lines = withTimes(master, later.change, zones.tzidOf);
  const dtstart = dtstartOf(lines);
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
  return textWith(renewed(master, lines), ...exceptions);
}

/** A series is split by ending it: that is its organizer's to do, whatever else is asked. */
function requireOrganizer({ events }: CalendarObject, change: EventChange, editor: Editor): void {
  const isGuests = events.some(
    ({ component: { lines } }) => !isOrganizer(editor.user, lines) && isInvited(lines, editor.user),
  );
  if (isGuests) {
    const message = 'Only the organizer may change this and all later occurrences';
    throw new UnsupportedByProvider('organizer_only', message, 'updateMode');
  }
  for (const { component } of events) requireRole(component.lines, change, editor);
}

/** A first revision of an event that is made now. */
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

/** Finds the exception that the plan of a split names. */
function exceptionsOf(
  { overrides }: CalendarObject,
  { event: { start } }: ReadEvent,
): (exception: LaterException) => ReadEvent {
  const at = (time: EventTime) => instantOf(originalStartOf(start, time, 'UTC'), 'UTC');
  const byOriginal = new Map(overrides.map((override) => [at(originalOf(override.event)), override]));
  return ({ recurrenceId }) => {
    const override = byOriginal.get(at(recurrenceId));
    if (override !== undefined) return override;
    throw new ProviderError('precondition_failed', 'The series was changed meanwhile');
  };
}
