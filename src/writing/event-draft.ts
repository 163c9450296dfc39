/** What a request asks for, in the words of the port: a new event, or the change of one that is known. */
import type { CalendarEvent } from '../calendars/event.ts';
import type { EventChange, EventDraft } from '../calendars/event-writing.ts';
import { DAY } from '../lib/recurrence/civil.ts';
import { localOf, localOn, timeLike } from '../lib/recurrence/event-instant.ts';
import type { EventTime } from '../lib/recurrence/event-time.ts';
import { type EventInput, present } from './event-input.ts';
import { changedTimes, draftTimes, inZone, ruleText, type Times } from './event-times.ts';
import type { Fields } from './fields.ts';
import { refuseOtherDays } from './other-days.ts';
import { shiftedRecurrence } from './shift-series.ts';

/** Throws 400 with every mistake of the request: it must have a title, a start and an end. */
export function draftOf(input: EventInput, calendarZone: string, fields: Fields): EventDraft {
  const { title = '', start, end, timeZone, words } = input;
  if (start === undefined || end === undefined) {
    fields.done();
    throw new Error('An event without start and end was let through');
  }
  const context = { calendarZone, recurs: input.recurrence !== undefined };
  const times = draftTimes({ ...input, start, end }, context, fields);
  const rule =
    input.recurrence && ruleText(input.recurrence, times.start, { calendarZone, timeZone }, fields);
  fields.done();
  const { description, location, color, conference, custom } = words;
  return {
    title,
    ...times,
    ...(rule === undefined ? {} : { recurrence: { rrules: [rule], rdates: [], exdates: [] } }),
    ...present({
      description: description ?? undefined,
      location: location ?? undefined,
      color: color ?? undefined,
      conference: conference ?? undefined,
      custom: custom ?? undefined,
    }),
    status: words.status,
    availability: words.availability,
    privacy: words.privacy,
    attendees: words.attendees,
    autoConference: words.autoConference === true,
  };
}

/** The change of a single event, or of one instance as it is now. Throws 400 with every mistake. */
export function changeOfOne(
  input: EventInput,
  current: Times,
  calendarZone: string,
  fields: Fields,
): EventChange {
  const { timeZone } = input;
  const context = { calendarZone, recurs: input.recurrence !== undefined };
  const changed = changedTimes(input, current, context, fields);
  const times = changed ?? (context.recurs ? timeOfDay(current, calendarZone) : undefined);
  const start = times?.start ?? current.start;
  const rule = input.recurrence && ruleText(input.recurrence, start, { calendarZone, timeZone }, fields);
  fields.done();
  return {
    ...wordsOf(input),
    ...times,
    ...(rule === undefined ? {} : { recurrence: { rrules: [rule], rdates: [], exdates: [] } }),
  };
}

/** A series runs on a wall clock: an event in UTC that becomes one takes the calendar's. */
function timeOfDay(current: Times, calendarZone: string): Times | undefined {
  const { start } = current;
  if (start.type !== 'zoned' || start.zone !== 'UTC' || calendarZone === 'UTC') return undefined;
  return inZone(current, calendarZone, { calendarZone, recurs: true });
}

/**
 * The change of a whole series. Times are those of `shown`, which the caller saw: the master, or an instance of it. The
 * series moves by as much as that moves, on the wall clock. Throws 400 with every mistake.
 */
export function changeOfSeries(
  input: EventInput,
  master: CalendarEvent,
  shown: Times,
  calendarZone: string,
  fields: Fields,
): EventChange {
  const { timeZone } = input;
  const context = { calendarZone, recurs: true };
  const meant = changedTimes(input, shown, context, fields);
  const times = meant && movedLike(master, shown, meant, calendarZone);
  const start = times?.start ?? master.start;
  const rule = input.recurrence && ruleText(input.recurrence, start, { calendarZone, timeZone }, fields);
  if (times !== undefined && rule === undefined)
    refuseOtherDays(master, master.start, times.start, calendarZone, fields);
  fields.done();

  const known = master.recurrence ?? { rrules: [], rdates: [], exdates: [] };
  const kept =
    times === undefined ? known : shiftedRecurrence(known, master.start, times.start, calendarZone);
  const recurrence = rule === undefined ? kept : { ...kept, rrules: [rule], rdates: [] };
  const isOther = JSON.stringify(recurrence) !== JSON.stringify(known);
  return { ...wordsOf(input), ...times, ...(isOther ? { recurrence } : {}) };
}

/** The master's times, moved and stretched as those of one instance were. */
function movedLike(master: Times, shown: Times, meant: Times, calendarZone: string): Times {
  const isMaster = shown.start === master.start;
  if (isMaster || meant.start.type !== master.start.type)
    return isMaster ? meant : datesLike(master, shown, meant, calendarZone);
  const shift = localOf(meant.start) - localOn(meant.start, shown.start, calendarZone);
  const start = timeLike(meant.start, localOn(meant.start, master.start, calendarZone) + shift);
  const length = localOn(meant.start, meant.end, calendarZone) - localOf(meant.start);
  return { start, end: timeLike(start, localOf(start) + length) };
}

/** From times to dates or back: the day of the series' beginning, and the instance's new time of day. */
function datesLike(master: Times, shown: Times, meant: Times, calendarZone: string): Times {
  const days = (time: EventTime) => Math.floor(localOn(meant.start, time, calendarZone) / DAY);
  const back = (days(shown.start) - days(master.start)) * DAY;
  const start = timeLike(meant.start, localOf(meant.start) - back);
  return { start, end: timeLike(start, localOn(meant.start, meant.end, calendarZone) - back) };
}

/** What the request says beside times and rules. */
export function wordsOf({ title, words }: EventInput): EventChange {
  return present({ title, ...words });
}
