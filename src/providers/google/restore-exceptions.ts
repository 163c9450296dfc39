/**
 * A series that moves: Google seems to keep its changed and deleted occurrences where the new pattern has their old starts,
 * and to drop the others, which no source confirms. Those move along with the series here: they are made again where it has
 * an occurrence to be changed.
 */
import { isDeepStrictEqual } from 'node:util';

import type { EventResource } from '../../calendars/event.ts';
import { instanceIdOf, instantOf, localOf, timeLike } from '../../lib/recurrence/event-instant.ts';
import type { EventTime } from '../../lib/recurrence/event-time.ts';
import { shiftOf, shiftWithSeries } from '../../lib/recurrence/master-clock.ts';
import { googleTimePatch } from './body-times.ts';
import { ownMembers } from './copied-members.ts';
import type { EventBody } from './event-body.ts';
import type { GoogleEvents, SeriesNow } from './events.ts';
import { patternAmong } from './pattern.ts';
import { wouldPublish } from './privacy.ts';
import { writeOccurrence } from './write-event.ts';

/** `before` is the series before it was changed to `after`. Answers the occurrences that were deleted again. */
export async function restoreExceptions(
  before: SeriesNow,
  after: EventResource,
  events: GoogleEvents,
): Promise<EventResource[]> {
  const [old] = before.master.events;
  const [master] = after.events;
  if (old === undefined || master === undefined || isDeepStrictEqual(old.start, master.start)) return [];
  const cancelled: EventResource[] = [];
  const shift = shiftOf(old, { before: old.start, after: master.start, floatingZone: 'UTC' });
  const originals = before.exceptions.flatMap(originalOf);
  const isInPattern = patternAmong(master, originals);
  for (const exception of before.exceptions) {
    const [event] = exception.events;
    const [original] = originalOf(exception);
    if (event === undefined || original === undefined || isInPattern(original)) continue;
    const shifted = shiftWithSeries(original, shift);
    // Without a version: what it is of was made by the change just written.
    const version = { id: instanceIdOf(after.href, shifted, 'UTC'), etag: undefined };
    if (event.status === 'cancelled') {
      await events.delete(version);
      const deleted = await events.get(version.id);
      if (deleted?.status === 'cancelled') cancelled.push(await events.resourceOf(deleted));
    } else {
      const { original: former } = before.master;
      const times = timesOf(exception, before.master, shifted);
      // All are as Google sent them. One that was more private than the moved series keeps its times alone.
      const isHidden = wouldPublish(exception.original, former, after.original);
      const body = isHidden ? times : { ...ownMembers(exception.original, former), ...times };
      if (Object.keys(body).length === 0) continue;
      // Where the new series has no such occurrence there is nothing left to differ from.
      await writeOccurrence({ ...version, body }, events, 'may stay');
    }
  }
  return cancelled;
}

const originalOf = ({ events: [event] }: EventResource): EventTime[] =>
  event?.recurrenceId === undefined ? [] : [event.recurrenceId];

/** One that was moved stays where it was put; one that was not keeps its own length. */
function timesOf({ events: [event] }: EventResource, master: EventResource, placed: EventTime): EventBody {
  const [series] = master.events;
  if (event === undefined || series === undefined) return {};
  const { start, end, recurrenceId } = event;
  const follows = recurrenceId !== undefined && instantOf(start, 'UTC') === instantOf(recurrenceId, 'UTC');
  if (!follows) return { start: googleTimePatch(start, 'start'), end: googleTimePatch(end, 'end') };
  const length = localOf(end) - localOf(start);
  if (length === localOf(series.end) - localOf(series.start) || placed.type !== start.type) return {};
  return { end: googleTimePatch(timeLike(placed, localOf(placed) + length), 'end') };
}
