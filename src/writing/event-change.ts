/** Converts a change of an event to the port's terms. */
import type { CalendarEvent } from '../calendars/event.ts';
import type { EventChange } from '../calendars/event-writing.ts';
import { refuseMistakes } from '../http/fields.ts';
import { DAY } from '../lib/recurrence/civil.ts';
import { localOn, timeLike, toLocalMs } from '../lib/recurrence/event-instant.ts';
import type { EventTime } from '../lib/recurrence/event-time.ts';
import { endLasting, measureLength } from '../lib/recurrence/master-clock.ts';
import { createShift } from '../lib/recurrence/shift-series.ts';
import type { EventInput } from './event-input.ts';
import { changedTimes, inZone, type Times } from './event-times.ts';
import { newRule } from './recurrence-input.ts';
import { mistakesOfOtherDays, readRules, refuseOutOfRange, ruleText, shiftedRules } from './series-rules.ts';

/** Returns the rules of an event whose only rule is `rule`. */
export const onlyRule = (rule: string | undefined) =>
  rule === undefined ? {} : { recurrence: { rrules: [rule], rdates: [], exdates: [] } };

/** Returns the change of a single event or occurrence. Throws ApiError 400 with all mistakes. */
export function changeOfOne(input: EventInput, current: Times, calendarZone: string): EventChange {
  const { timeZone, recurrence } = input;
  const context = { calendarZone, recurs: recurrence !== undefined };
  const changed = changedTimes(input, current, context);
  const times = changed.value ?? (context.recurs ? timeOfDay(current, calendarZone) : undefined);
  const rule = ruleText({ recurrence: recurrence?.value, timeZone }, (times ?? current).start, calendarZone);
  refuseMistakes([...changed.mistakes, ...(recurrence?.mistakes ?? []), ...rule.mistakes]);
  return { ...input.details, ...times, ...onlyRule(rule.value) };
}

/** A series follows a wall clock, so an event in UTC that becomes one takes the calendar's zone. */
function timeOfDay(current: Times, calendarZone: string): Times | undefined {
  const { start } = current;
  if (start.type !== 'zoned' || start.zone !== 'UTC' || calendarZone === 'UTC') return undefined;
  return inZone(current, calendarZone, { calendarZone, recurs: true });
}

/** `times` are the times that the request changes: the master's, or those of the named occurrence. */
export type SeriesToChange = { readonly master: CalendarEvent; readonly times: Times };

/** Returns the change of a series, whose master moves by as much as `times`, on the wall clock. Throws ApiError 400. */
export function changeOfSeries(input: EventInput, series: SeriesToChange, calendarZone: string): EventChange {
  const { master, times: current } = series;
  const requested = changedTimes(input, current, { calendarZone, recurs: true });
  const times = requested.value && shiftMasterTimes(series, requested.value, calendarZone);
  const after = (times ?? master).start;
  const shift = createShift(master, { before: master.start, after, floatingZone: calendarZone });
  const { value: recurrence, mistakes } = newRule(input.recurrence, master, calendarZone);
  const rule = ruleText({ recurrence, timeZone: input.timeZone }, shift.after, calendarZone);
  const otherDays = input.recurrence === undefined ? mistakesOfOtherDays(master, shift) : [];
  refuseMistakes([...requested.mistakes, ...mistakes, ...rule.mistakes, ...otherDays]);

  const rules = readRules(master);
  const shifted = shiftedRules(rules, shift);
  const changed = rule.value === undefined ? shifted : { ...shifted, rrules: [rule.value], rdates: [] };
  const isOther = JSON.stringify(changed) !== JSON.stringify(rules);
  return { ...input.details, ...times, ...(isOther ? { recurrence: changed } : {}) };
}

/** Returns the master's new times: moved by as much as `times`, with the requested length. */
function shiftMasterTimes({ master, times }: SeriesToChange, requested: Times, calendarZone: string): Times {
  if (times.start === master.start) return requested;
  const onClock = (time: EventTime) => localOn(requested.start, time, calendarZone);
  // Between times and dates: the day of the series' start, and the occurrence's new time of day.
  const toDay = (time: EventTime) => Math.floor(onClock(time) / DAY) * DAY;
  const isOtherKind = requested.start.type !== master.start.type;
  const distance = isOtherKind
    ? toDay(times.start) - toDay(master.start)
    : onClock(times.start) - onClock(master.start);
  const start = timeLike(requested.start, toLocalMs(requested.start) - distance);
  refuseOutOfRange(start, calendarZone);
  const length = measureLength(requested.start, requested.end, calendarZone);
  const end = endLasting(start, length, calendarZone);
  refuseOutOfRange(end, calendarZone);
  return { start, end };
}
