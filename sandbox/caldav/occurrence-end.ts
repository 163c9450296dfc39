/** How long an occurrence takes, when only its start is said. */
import { DAY, formatDate, formatLocal } from '../../src/lib/recurrence/civil.ts';
import { toInstant, toLocalMs } from '../../src/lib/recurrence/event-instant.ts';
import type { SeriesMaster } from '../../src/lib/recurrence/series.ts';
import { localOfInstant } from '../../src/lib/recurrence/zone.ts';
import type { DraftTime } from '../core/provider-sandbox.ts';
import { eventTimeOf } from './event-writer.ts';

/** The end that gives an occurrence at `start` the length of its series. */
export function lengthened(start: DraftTime, { start: first, end: last }: SeriesMaster<unknown>): DraftTime {
  const length = toInstant(last, 'UTC') - toInstant(first, 'UTC');
  const time = eventTimeOf(start);
  if ('date' in start) {
    // A timed occurrence made all-day takes whole days.
    return { date: formatDate((toLocalMs(time) + Math.max(DAY, Math.ceil(length / DAY) * DAY)) / DAY) };
  }
  const end = localOfInstant(start.timeZone, toInstant(time, 'UTC') + length);
  return { dateTime: formatLocal(end), timeZone: start.timeZone };
}
