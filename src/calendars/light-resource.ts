/** Finds resources that render within a millisecond or two, as almost all do. Others are rendered in a thread. */
import type { EventTime, Recurrence } from '../lib/recurrence/event-time.ts';
import type { CalendarEvent, EventResource } from './event.ts';

const MOST_EVENTS = 20;
const MOST_ATTENDEES = 200;
const MOST_DATES = 100;
const MOST_RULES = 2;
/** The maximum characters of a description, and of a text in the provider's object. */
const MOST_TEXT = 32_768;
/** Matches rules with COUNT whose last occurrence is found quickly. */
const LIGHT_COUNT =
  /^(?:(?:FREQ=(?:DAILY|WEEKLY|MONTHLY|YEARLY)|INTERVAL=\d{1,3}|COUNT=\d{1,3}|WKST=[A-Z]{2}|BYDAY=(?:[+-]?[1-4]?[A-Z]{2},?){1,7})(?:;|$))+$/;
const MOST_OF_A_RULE = 200;

/** Returns whether the resource may be rendered between two requests. */
export function isLight({ events, original }: EventResource): boolean {
  if (events.length > MOST_EVENTS) return false;
  const isLong = (value: unknown) => typeof value === 'string' && value.length > MOST_TEXT;
  return !Object.values(original).some(isLong) && events.every(isLightEvent);
}

function isLightEvent({
  start,
  end,
  recurrence,
  recurrenceId,
  attendees,
  description = '',
}: CalendarEvent): boolean {
  const times = [start, end, ...(recurrenceId === undefined ? [] : [recurrenceId])];
  return (
    attendees.length <= MOST_ATTENDEES &&
    description.length <= MOST_TEXT &&
    times.every(hasNamedZone) &&
    (recurrence === undefined || isLightRecurrence(recurrence))
  );
}

function isLightRecurrence({ rrules, rdates, exdates }: Recurrence): boolean {
  if (rrules.length > MOST_RULES || rdates.length + exdates.length > MOST_DATES) return false;
  return rrules.every(isLightRule) && rdates.every((rdate) => hasNamedZone(rdate.start));
}

/** Rules are expanded for rendering only if they have a COUNT. */
function isLightRule(rule: string): boolean {
  if (rule.length > MOST_OF_A_RULE) return false;
  return !/COUNT/i.test(rule) || LIGHT_COUNT.test(rule);
}

/** The observances of a custom zone are rules too. */
const hasNamedZone = (time: EventTime): boolean => time.type !== 'zoned' || typeof time.zone === 'string';
