/**
 * Times as a request means them (wire 1.11): a date by its date part, a time in the zone it is meant in. Callers send
 * instants; a series needs a wall clock, which is the named zone's or else the calendar's.
 *
 * Where the clock shows a time twice, a single event at the second of them is kept in UTC, since a wall clock could not
 * tell the two apart; a series begins at the first, as its later instances have one such time only. A time of day the
 * clock skips, which only a caller that names a zone and no offset can write, stays the time of day of a series, whose
 * instance of that day moves by the gap; a single event is written at the time it moves to.
 */
import { DAY, dayOfLocal, formatDate, formatLocal } from '../lib/recurrence/civil.ts';
import { instantOf, zoneOf } from '../lib/recurrence/event-instant.ts';
import type { EventTime, Zone } from '../lib/recurrence/event-time.ts';
import { instantOfLocal, localOfInstant } from '../lib/recurrence/zone.ts';
import type { EventInput } from './event-input.ts';
import type { Fields } from './fields.ts';
import type { RuleInput } from './recurrence-input.ts';
import { instantOfWritten, type WrittenTime } from './written-time.ts';

export type Times = { readonly start: EventTime; readonly end: EventTime };
type TimesInput = Pick<EventInput, 'start' | 'end' | 'allDay' | 'timeZone'>;

export type TimesContext = {
  readonly calendarZone: string;
  /** Whether the event is a series: its start is a time of day. */
  readonly recurs: boolean;
};

/** The times of a new event. Mistakes are noted in `fields`, and the answer is worth nothing then. */
export function draftTimes(
  input: TimesInput & { readonly start: WrittenTime; readonly end: WrittenTime },
  context: TimesContext,
  fields: Fields,
): Times {
  const times = placed(input, input.allDay === true, input.timeZone ?? context.calendarZone, context);
  checkOrder(times, context.calendarZone, fields);
  return times;
}

/**
 * The times of an event whose `current` ones a request changes; `undefined` when it says nothing of them. What it does
 * not name stays as it is; a change between a date and a time needs both.
 */
export function changedTimes(
  input: TimesInput,
  current: Times,
  context: TimesContext,
  fields: Fields,
): Times | undefined {
  const wasAllDay = current.start.type === 'date';
  const allDay = input.allDay ?? wasAllDay;
  const { start, end } = input;
  if (allDay !== wasAllDay && (start === undefined || end === undefined)) {
    const problem = 'must be given when allDay changes';
    if (start === undefined) fields.mistake('start', problem);
    if (end === undefined) fields.mistake('end', problem);
    return undefined;
  }
  const zone = input.timeZone ?? ownZone(current.start) ?? context.calendarZone;
  if (start === undefined && end === undefined) {
    if (input.timeZone === undefined || allDay) return undefined;
    return inZone(current, input.timeZone, context);
  }
  const given = placed(input, allDay, zone, context);
  const times = { start: given.start ?? current.start, end: given.end ?? current.end };
  checkOrder(times, context.calendarZone, fields);
  return times;
}

/** The same instants on another clock. */
export function inZone({ start, end }: Times, zone: Zone, { calendarZone, recurs }: TimesContext): Times {
  if (start.type === 'date') return { start, end };
  return {
    start: onClock(instantOf(start, calendarZone), zone, recurs),
    end: onClock(instantOf(end, calendarZone), zone, false),
  };
}

const ownZone = (time: EventTime): Zone | undefined => (time.type === 'zoned' ? time.zone : undefined);

type Placed<Input extends TimesInput> = {
  readonly [Name in 'start' | 'end']: Input[Name] extends WrittenTime ? EventTime : EventTime | undefined;
};

function placed<Input extends TimesInput>(
  input: Input,
  allDay: boolean,
  zone: Zone,
  { recurs, calendarZone }: TimesContext,
): Placed<Input> {
  const { start, end, timeZone } = input;
  const dates = allDay ? datesOf([start, end], input.timeZone ?? calendarZone) : undefined;
  const place = (written: WrittenTime | undefined, at: 0 | 1): EventTime | undefined => {
    if (written === undefined) return undefined;
    if (dates !== undefined) return { type: 'date', date: dates[at] ?? written.date };
    const isClock = timeZone !== undefined && written.offset === undefined;
    if (isClock && recurs && at === 0)
      return { type: 'zoned', local: formatLocal(written.local), zone: timeZone };
    const instant = isClock ? instantOfLocal(timeZone, written.local) : instantOfWritten(written);
    return onClock(instant, zone, recurs && at === 0);
  };
  // What was written is placed, what was not is undefined: as the type says.
  return { start: place(start, 0), end: place(end, 1) } as Placed<Input>;
}

/**
 * The dates as written; unless all that is given is midnight in the calendar's zone and not as written, as when a
 * caller's local midnight was turned into UTC.
 */
function datesOf(times: readonly (WrittenTime | undefined)[], zone: string): (string | undefined)[] {
  const given = times.filter((time) => time !== undefined);
  const clocks = given.map((time) => localOfInstant(zone, instantOfWritten(time)));
  const asWritten = given.some(({ local }) => local % DAY === 0);
  const isLocalMidnight = !asWritten && clocks.every((local) => local % DAY === 0);
  return times.map((time) => {
    if (time === undefined) return undefined;
    return isLocalMidnight ? formatDate(dayOfLocal(localOfInstant(zone, instantOfWritten(time)))) : time.date;
  });
}

/** `asTimeOfDay`: on that clock even where it shows the time twice. */
function onClock(instant: number, zone: Zone, asTimeOfDay: boolean): EventTime {
  const whole = Math.floor(instant / 1000) * 1000;
  const local = localOfInstant(zone, whole);
  if (asTimeOfDay || instantOfLocal(zone, local) === whole)
    return { type: 'zoned', local: formatLocal(local), zone };
  return { type: 'zoned', local: formatLocal(whole), zone: 'UTC' };
}

function checkOrder({ start, end }: Times, calendarZone: string, fields: Fields): void {
  if (fields.failed('start') || fields.failed('end')) return;
  const length = instantOf(end, calendarZone) - instantOf(start, calendarZone);
  if (start.type === 'date' && length < DAY)
    fields.mistake('end', 'must be after start: the end of an all-day event is exclusive');
  else if (length < 0) fields.mistake('end', 'must not be before start');
}

/** The rule with its end, as RFC 5545 §3.3.10 wants it for a series that starts so. */
export function ruleText(
  { rule, count, until }: RuleInput,
  start: EventTime,
  { calendarZone, timeZone }: { readonly calendarZone: string; readonly timeZone: string | undefined },
  fields: Fields,
): string {
  if (count !== undefined) return `${rule};COUNT=${count}`;
  if (until === undefined) return rule;
  if (start.type === 'date') {
    if (until.date < start.date) fields.mistake('recurrence.until', 'must not be before start');
    return `${rule};UNTIL=${until.date.replaceAll('-', '')}`;
  }
  const zone = timeZone ?? zoneOf(start, calendarZone);
  const wholeDay = dayOfLocal(until.local) * DAY + DAY - 1000;
  const isClock = until.offset === undefined && timeZone !== undefined;
  const timed = isClock ? instantOfLocal(zone, until.local) : instantOfWritten(until);
  const last = until.hasTime ? timed : instantOfLocal(zone, wholeDay);
  if (last < instantOf(start, calendarZone)) fields.mistake('recurrence.until', 'must not be before start');
  return `${rule};UNTIL=${formatLocal(last).replace(/[-:]/g, '')}Z`;
}
