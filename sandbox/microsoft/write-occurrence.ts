/** Changing and deleting one occurrence of a series. */
import { toInstant } from '../../src/lib/recurrence/event-instant.ts';
import { SandboxRefusal } from '../core/sandbox-refusal.ts';
import type { EventBody } from './event.schema.ts';
import { eventTimeOf, graphDate, graphTime } from './graph-time.ts';
import type { EventContent, StoredEvent } from './mailbox.ts';
import { type EventInstance, neighboursOf } from './series-instances.ts';
import { readContent, type WriteDeps } from './write-event.ts';

/**
 * Returns the series with an exception that replaces an occurrence. Like Exchange, it refuses a recurrence of the
 * occurrence itself, and times that would pass or touch the day of a neighbor.
 */
export function withException(instance: EventInstance, body: EventBody, deps: WriteDeps): StoredEvent {
  const { event, original = '', exception } = instance;
  if (body.recurrence) {
    throw new SandboxRefusal(400, 'ErrorInvalidRequest', 'An occurrence cannot have its own recurrence.');
  }
  const before = contentOf(instance);
  const after = readContent(body, before, deps);
  const changes = Object.fromEntries(
    Object.entries(after).filter(([name, value]) => {
      const inherited = event.content[name as keyof EventContent];
      return JSON.stringify(value) !== JSON.stringify(inherited);
    }),
    // Some of the entries of an EventContent, unchanged.
  ) as Partial<EventContent>;
  // From now on the occurrence has separate times, whether it moved or not.
  const content = { ...changes, start: after.start, end: after.end };
  const { createdAt } = exception ?? { createdAt: deps.now };
  const changed = { createdAt, modifiedAt: deps.now, change: deps.change, content };
  const exceptions = new Map(event.exceptions).set(original, changed);
  const series = { ...event, exceptions, modifiedAt: deps.now, change: deps.change };
  if (body.start !== undefined || body.end !== undefined) refuseCrossing(event, original, after);
  return series;
}

/** Returns the series without one of its occurrences. */
export function withoutOccurrence(
  { event, original = '' }: EventInstance,
  { now, change }: Pick<WriteDeps, 'now' | 'change'>,
): StoredEvent {
  const exceptions = new Map(event.exceptions);
  exceptions.delete(original);
  const deleted = new Set(event.deleted).add(original);
  return { ...event, exceptions, deleted, modifiedAt: now, change };
}

/** Returns an instance's content with its own times instead of the master's. */
function contentOf({ event, exception, start, end }: EventInstance): EventContent {
  const content = { ...event.content, ...exception?.content };
  const { isAllDay } = content;
  const timeOf = isAllDay ? graphDate : graphTime;
  const timeIn = (instant: number, zone: string) => ({
    local: timeOf(instant, zone).dateTime?.slice(0, 19) ?? '',
    zone,
  });
  return { ...content, start: timeIn(start, content.start.zone), end: timeIn(end, content.end.zone) };
}

/** Exchange keeps the occurrences of a series in order, each on a separate day. */
function refuseCrossing(event: StoredEvent, original: string, { start, end, isAllDay }: EventContent): void {
  const from = toInstant(eventTimeOf(start, isAllDay), 'UTC');
  const to = toInstant(eventTimeOf(end, isAllDay), 'UTC');
  const { before, after } = neighboursOf(event, original);
  const day = (instant: number) => graphTime(instant, event.content.start.zone).dateTime?.slice(0, 10) ?? '';
  const dayOf = (instant: number) =>
    isAllDay ? (graphDate(instant, 'UTC').dateTime?.slice(0, 10) ?? '') : day(instant);
  const tooEarly = before !== undefined && (from < before.end || dayOf(from) <= dayOf(before.start));
  const tooLate = after !== undefined && (to > after.start || dayOf(from) >= dayOf(after.start));
  if (tooEarly || tooLate) {
    throw new SandboxRefusal(
      400,
      'ErrorOccurrenceCrossingBoundary',
      'Modified occurrence is crossing or overlapping adjacent occurrence.',
    );
  }
}
