/** What a request asks for, in the words of the port: a new event, or the change of one that is known. */
import type { CalendarEvent } from '../calendars/event.ts';
import type { EventChange, EventDraft } from '../calendars/event-writing.ts';
import { refuseMistakes } from '../http/request-fields.ts';
import { DAY } from '../lib/recurrence/civil.ts';
import { localOf, localOn, timeLike } from '../lib/recurrence/event-instant.ts';
import type { EventTime } from '../lib/recurrence/event-time.ts';
import { type Attributes, type EventInput, type NewEventInput, present } from './event-input.ts';
import { changedTimes, inZone, newTimes, type Times } from './event-times.ts';
import { mistakesOfOtherDays, rulesOf, ruleText, shiftedRules } from './series-rules.ts';

/** Throws 400 with every mistake that only the calendar's zone shows. */
export function draftOf(input: NewEventInput, calendarZone: string): EventDraft {
  const times = newTimes(input, { calendarZone, recurs: input.recurrence !== undefined });
  const rule = ruleText(input, times.value.start, calendarZone);
  refuseMistakes([...times.mistakes, ...rule.mistakes]);
  return { ...draftAttributes(input.attributes), ...times.value, ...onlyRule(rule.value) };
}

/** What a new event has beside its times and rules: there is nothing to take away from it. */
export function draftAttributes({
  title,
  autoConference,
  ...given
}: Attributes & { readonly title: string }): Omit<EventDraft, 'start' | 'end' | 'recurrence'> {
  return {
    title,
    ...present({
      description: given.description ?? undefined,
      location: given.location ?? undefined,
      color: given.color ?? undefined,
      conference: autoConference ? undefined : (given.conference ?? undefined),
      custom: given.custom ?? undefined,
    }),
    status: given.status ?? undefined,
    availability: given.availability ?? undefined,
    privacy: given.privacy ?? undefined,
    attendees: given.attendees ?? undefined,
    autoConference: autoConference === true,
  };
}

const onlyRule = (rule: string | undefined) =>
  rule === undefined ? {} : { recurrence: { rrules: [rule], rdates: [], exdates: [] } };

/** The change of a single event, or of one instance as it is now. Throws 400 with every mistake. */
export function changeOfOne(input: EventInput, current: Times, calendarZone: string): EventChange {
  const context = { calendarZone, recurs: input.recurrence !== undefined };
  const changed = changedTimes(input, current, context);
  const times = changed.value ?? (context.recurs ? timeOfDay(current, calendarZone) : undefined);
  const rule = ruleText(input, (times ?? current).start, calendarZone);
  refuseMistakes([...changed.mistakes, ...rule.mistakes]);
  return { ...input.attributes, ...times, ...onlyRule(rule.value) };
}

/** A series runs on a wall clock: an event in UTC that becomes one takes the calendar's. */
function timeOfDay(current: Times, calendarZone: string): Times | undefined {
  const { start } = current;
  if (start.type !== 'zoned' || start.zone !== 'UTC' || calendarZone === 'UTC') return undefined;
  return inZone(current, calendarZone, { calendarZone, recurs: true });
}

/** A series as the caller saw it: `shown` are the times of its master, or of an instance of it. */
export type ShownSeries = { readonly master: CalendarEvent; readonly shown: Times };

/**
 * The change of a whole series, which moves by as much as what the caller saw of it, on the wall clock. Throws 400 with
 * every mistake.
 */
export function changeOfSeries(input: EventInput, series: ShownSeries, calendarZone: string): EventChange {
  const { master, shown } = series;
  const meant = changedTimes(input, shown, { calendarZone, recurs: true });
  const times = meant.value && movedLike(series, meant.value, calendarZone);
  const shift = { before: master.start, after: (times ?? master).start, floatingZone: calendarZone };
  const rule = ruleText(input, shift.after, calendarZone);
  const otherDays = rule.value === undefined ? mistakesOfOtherDays(master, shift) : [];
  refuseMistakes([...meant.mistakes, ...rule.mistakes, ...otherDays]);

  const known = rulesOf(master);
  const kept = shiftedRules(known, shift);
  const recurrence = rule.value === undefined ? kept : { ...kept, rrules: [rule.value], rdates: [] };
  const isOther = JSON.stringify(recurrence) !== JSON.stringify(known);
  return { ...input.attributes, ...times, ...(isOther ? { recurrence } : {}) };
}

/** The master's times, moved and stretched as the ones that were shown. */
function movedLike({ master, shown }: ShownSeries, meant: Times, calendarZone: string): Times {
  if (shown.start === master.start) return meant;
  const onClock = (time: EventTime) => localOn(meant.start, time, calendarZone);
  const length = onClock(meant.end) - localOf(meant.start);
  // From times to dates or back: the day of the series' beginning, and the instance's new time of day.
  const dayOf = (time: EventTime) => Math.floor(onClock(time) / DAY) * DAY;
  const isOtherKind = meant.start.type !== master.start.type;
  const distance = isOtherKind
    ? dayOf(shown.start) - dayOf(master.start)
    : onClock(shown.start) - onClock(master.start);
  const start = timeLike(meant.start, localOf(meant.start) - distance);
  return { start, end: timeLike(start, localOf(start) + length) };
}
