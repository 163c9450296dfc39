/**
 * The times of a request (docs/wire.md 1.7, 1.11). Callers send instants. A series needs a wall clock: the request's
 * zone, otherwise the calendar's. If the clock shows a time twice, a single event at the second one is stored in UTC,
 * because a wall clock could not distinguish them; a series begins at the first. Only a zone without an offset can name
 * a time that the clock skips: a series keeps it, and its occurrence of that day moves by the gap; a single event is
 * stored at the moved time.
 */
import type { Checked, Mistake } from '../http/fields.ts';
import {
  DAY,
  dayOfLocal,
  formatDate,
  formatLocal,
  LAST_YEAR,
  type LocalMs,
  parseLocal,
  toDayNumber,
} from '../lib/recurrence/civil.ts';
import { exactTime, movedEnd, toInstant } from '../lib/recurrence/event-instant.ts';
import type { EventTime, LocalDate, Zone } from '../lib/recurrence/event-time.ts';
import { instantOfLocal, localOfInstant } from '../lib/recurrence/zone.ts';
import { parseTimeText } from '../lib/time-text.ts';

export const REVERSED = 'must not be before start';

/** A date or time of a request, before its zone is known. */
export type TimeInput = {
  /** The date part, which is the day of an all-day event, whatever the offset. */
  readonly date: LocalDate;
  /** The clock time, midnight by default, without fractions of a second. */
  readonly local: LocalMs;
  /** Milliseconds east of UTC; `undefined` without an offset. */
  readonly offset: number | undefined;
};

const EARLIEST = toDayNumber(2, 1, 1) * DAY;
export const END = toDayNumber(LAST_YEAR, 1, 1) * DAY;
const isInYears = (ms: number): boolean => ms >= EARLIEST && ms < END;

/** Returns whether the time is in the years 2 to 9998 on its clock and in UTC, so that every provider can read it. */
export function isInRange(time: EventTime, floatingZone: string): boolean {
  const local = parseLocal(time.type === 'date' ? time.date : time.local);
  return local !== undefined && isInYears(local) && isInYears(toInstant(time, floatingZone));
}

/** Returns `undefined` unless the text is a date or time of the years 2 to 9998. */
export function parseTimeInput(text: string): TimeInput | undefined {
  const time = parseTimeText(text);
  if (time === undefined || !isInYears(time.local)) return undefined;
  const { local, offset } = time;
  return { date: formatDate(dayOfLocal(local)), local, offset };
}

/** Returns epoch milliseconds; without an offset the time is UTC (docs/wire.md 1.7). */
export const instantOfInput = ({ local, offset }: TimeInput): number => local - (offset ?? 0);

export type Times = { readonly start: EventTime; readonly end: EventTime };

export type TimesInput = {
  readonly start: TimeInput | undefined;
  readonly end: TimeInput | undefined;
  readonly allDay: boolean | undefined;
  readonly timeZone: string | undefined;
};

export type TimesContext = {
  readonly calendarZone: string;
  /** Whether the event is a series, which starts at a time of day. */
  readonly recurs: boolean;
};

export function newTimes(
  input: TimesInput & { readonly start: TimeInput; readonly end: TimeInput },
  context: TimesContext,
): Checked<Times> {
  const place = placing(input, input.allDay === true, context);
  return checked({ start: place.start(input.start), end: place.end(input.end) }, context.calendarZone);
}

/**
 * Returns an event's times after a request; `undefined` if it changes none. Absent fields keep their values. A change
 * between date and time needs both.
 */
export function changedTimes(
  input: TimesInput,
  current: Times,
  context: TimesContext,
): Checked<Times | undefined> {
  const { start, end, timeZone } = input;
  const wasAllDay = current.start.type === 'date';
  const allDay = input.allDay ?? wasAllDay;
  if (allDay !== wasAllDay && (start === undefined || end === undefined)) {
    const missing = (['start', 'end'] as const).filter((field) => input[field] === undefined);
    const problem = 'must be given when allDay changes';
    return { value: undefined, mistakes: missing.map((field) => ({ field, problem })) };
  }
  if (start === undefined && end === undefined) {
    if (timeZone === undefined || allDay) return { value: undefined, mistakes: [] };
    return checked(inZone(current, timeZone, context), context.calendarZone);
  }
  const currentZone = current.start.type === 'zoned' ? current.start.zone : undefined;
  const staysFloating = context.recurs && timeZone === undefined && current.start.type === 'floating';
  const place = placing(input, allDay, { ...context, currentZone, staysFloating });
  const times = {
    start: start === undefined ? current.start : place.start(start),
    end: end === undefined ? current.end : place.end(end),
  };
  return checked(times, context.calendarZone);
}

/** Returns the same instants on another clock. */
export function inZone({ start, end }: Times, zone: Zone, { calendarZone, recurs }: TimesContext): Times {
  if (start.type === 'date') return { start, end };
  const place = (time: EventTime, isTimeOfDay: boolean) =>
    onClock(toInstant(time, calendarZone), zone, isTimeOfDay);
  const placed = place(start, recurs);
  return { start: placed, end: movedEnd(place(end, false), place(start, false), placed) };
}

type Placing = Readonly<Record<'start' | 'end', (input: TimeInput) => EventTime>>;

/** `currentZone`: the zone of the present start. `staysFloating`: the event has no zone and gets none. */
function placing(
  { start, end, timeZone }: TimesInput,
  allDay: boolean,
  {
    recurs,
    calendarZone,
    currentZone,
    staysFloating,
  }: TimesContext & { readonly currentZone?: Zone | undefined; readonly staysFloating?: boolean },
): Placing {
  if (allDay) {
    const inputs = [start, end].filter((input) => input !== undefined);
    const dateOf = chooseDates(inputs, timeZone ?? calendarZone);
    const place = (input: TimeInput): EventTime => ({ type: 'date', date: dateOf(input) });
    return { start: place, end: place };
  }
  if (staysFloating === true) {
    const place = (input: TimeInput): EventTime => {
      const local = localOfInstant(calendarZone, instantOfInput(input));
      return { type: 'floating', local: formatLocal(local) };
    };
    return { start: place, end: place };
  }
  const zone = timeZone ?? currentZone ?? calendarZone;
  const place =
    (isTimeOfDay: boolean) =>
    (input: TimeInput): EventTime => {
      const isClock = timeZone !== undefined && input.offset === undefined;
      if (isClock && isTimeOfDay) return { type: 'zoned', local: formatLocal(input.local), zone: timeZone };
      const instant = isClock ? instantOfLocal(timeZone, input.local) : instantOfInput(input);
      return onClock(instant, zone, isTimeOfDay);
    };
  const [onSeriesClock, exact] = [place(recurs), place(false)];
  const placeEnd = (input: TimeInput) =>
    start === undefined ? exact(input) : movedEnd(exact(input), exact(start), onSeriesClock(start));
  return { start: onSeriesClock, end: placeEnd };
}

/**
 * Returns the dates of an all-day event: the date parts. If all times are midnight in the calendar's zone and not all as
 * sent, the caller converted local midnights to UTC, so the dates are the zone's. In London one of two can be both.
 */
function chooseDates(inputs: readonly TimeInput[], zone: string): (input: TimeInput) => LocalDate {
  const toClock = (input: TimeInput) => localOfInstant(zone, instantOfInput(input));
  const isAsSent = inputs.every(({ local }) => local % DAY === 0);
  const isLocalMidnight = !isAsSent && inputs.every((input) => toClock(input) % DAY === 0);
  return (input) => (isLocalMidnight ? formatDate(dayOfLocal(toClock(input))) : input.date);
}

/** `isTimeOfDay`: uses that clock even if it shows the time twice. */
function onClock(instant: number, zone: Zone, isTimeOfDay: boolean): EventTime {
  const whole = Math.floor(instant / 1000) * 1000;
  return isTimeOfDay
    ? { type: 'zoned', local: formatLocal(localOfInstant(zone, whole)), zone }
    : exactTime(whole, zone);
}

const checked = (times: Times, calendarZone: string): Checked<Times> => ({
  value: times,
  mistakes: mistakesOfTimes(times, calendarZone),
});

function mistakesOfTimes({ start, end }: Times, calendarZone: string): Mistake[] {
  const outside = Object.entries({ start, end }).filter(([, time]) => !isInRange(time, calendarZone));
  if (outside.length > 0)
    return outside.map(([field]) => ({ field, problem: 'must be in the years 2 to 9998' }));
  const length = toInstant(end, calendarZone) - toInstant(start, calendarZone);
  if (start.type === 'date' && length < DAY)
    return [{ field: 'end', problem: 'must be after start: the end of an all-day event is exclusive' }];
  return length < 0 ? [{ field: 'end', problem: REVERSED }] : [];
}
