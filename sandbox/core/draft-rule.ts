/** The recurrence of a draft as a rule of RFC 5545. */
import { formatLocal, parseLocal } from '../../src/lib/recurrence/civil.ts';
import { toInstant } from '../../src/lib/recurrence/event-instant.ts';
import type { EventTime } from '../../src/lib/recurrence/event-time.ts';
import type { DraftRecurrence } from './provider-sandbox.ts';

/** The RRULE value for an event with this start. Throws an Error for an `until` that is no date. */
export function ruleOfDraft(
  { frequency, interval, count, until, weekdays }: DraftRecurrence,
  start: EventTime,
): string {
  const parts = [
    `FREQ=${frequency.toUpperCase()}`,
    ...(interval === undefined ? [] : [`INTERVAL=${interval}`]),
    ...(count === undefined ? [] : [`COUNT=${count}`]),
    ...(until === undefined ? [] : [`UNTIL=${untilOf(until, start)}`]),
    ...(weekdays === undefined ? [] : [`BYDAY=${weekdays.join(',')}`]),
  ];
  return parts.join(';');
}

/** §3.3.10: a date for whole days; for times the last second of that day, in UTC. */
function untilOf(date: string, start: EventTime): string {
  if (parseLocal(date) === undefined) throw new Error(`Not a date: ${date}`);
  if (start.type !== 'zoned') return date.replaceAll('-', '');
  const last = toInstant({ ...start, local: `${date}T23:59:59` }, 'UTC');
  return `${formatLocal(last).replace(/[-:]/g, '')}Z`;
}
