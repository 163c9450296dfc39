/** Which resources are rendered within a millisecond or two, as almost all are: the others are work for a thread. */
import type { EventTime, Recurrence } from '../lib/recurrence/event-time.ts';
import type { CalendarEvent, EventResource } from './event.ts';

const MOST_EVENTS = 20;
const MOST_ATTENDEES = 200;
const MOST_DATES = 100;
const MOST_RULES = 2;
/** Characters of a provider's own text. */
const MOST_TEXT = 32_768;
/** A rule that is counted through finds its last instance soon when it has nothing but these. */
const LIGHT_COUNT =
  /^(?:(?:FREQ=(?:DAILY|WEEKLY|MONTHLY|YEARLY)|INTERVAL=\d{1,3}|COUNT=\d{1,3}|WKST=[A-Z]{2}|BYDAY=(?:[+-]?[1-4]?[A-Z]{2},?){1,7})(?:;|$))+$/;
const MOST_OF_A_RULE = 200;

/** Whether rendering and placing it may be done between two requests. */
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

/** A rule is only expanded here where it counts its instances. */
function isLightRule(rule: string): boolean {
  if (rule.length > MOST_OF_A_RULE) return false;
  return !/COUNT/i.test(rule) || LIGHT_COUNT.test(rule);
}

/** Observances of a zone of the calendar's own are rules as well. */
const hasNamedZone = (time: EventTime): boolean => time.type !== 'zoned' || typeof time.zone === 'string';
