/** The length of an event as a DURATION (RFC 5545 §3.3.6). */
import { DAY } from '../../src/lib/recurrence/civil.ts';
import { toInstant } from '../../src/lib/recurrence/event-instant.ts';
import type { EventTime } from '../../src/lib/recurrence/event-time.ts';

export function durationBetween(start: EventTime, end: EventTime): string {
  const length = toInstant(end, 'UTC') - toInstant(start, 'UTC');
  return start.type === 'date' ? `P${Math.round(length / DAY)}D` : `PT${Math.round(length / 1000)}S`;
}
