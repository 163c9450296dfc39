/**
 * Moves the exceptions of a series. Google seems to keep those whose original start is in the new pattern and to drop
 * the others, which no source confirms. Dropped ones move with the series and are created again if possible.
 */
import { isDeepStrictEqual } from 'node:util';

import type { calendar_v3 } from '@googleapis/calendar';

import type { EventResource } from '../../calendars/event.ts';
import { formatInstanceId, isSameStart, toOriginalStart } from '../../lib/recurrence/event-instant.ts';
import type { EventTime } from '../../lib/recurrence/event-time.ts';
import { endLasting, measureLength } from '../../lib/recurrence/master-clock.ts';
import { createShift, isUsual, shiftWithSeries } from '../../lib/recurrence/shift-series.ts';
import { copyGuests } from './attendees.ts';
import { toGoogleTimePatch } from './body-times.ts';
import { ownMembers } from './copied-members.ts';
import type { EventBody } from './event-body.ts';
import type { GoogleEvents, SeriesNow } from './events.ts';
import { createPatternCheck } from './pattern.ts';
import { wouldPublish } from './privacy.ts';
import { isCancelled } from './series-result.ts';
import { writeOccurrence } from './write-event.ts';

/** Restores the exceptions of `before` in `after`. Returns the occurrences that were deleted again. */
export async function restoreExceptions(
  before: SeriesNow,
  after: EventResource,
  events: GoogleEvents,
): Promise<EventResource[]> {
  const [old] = before.master.events;
  const [master] = after.events;
  if (old === undefined || master === undefined || isDeepStrictEqual(old.start, master.start)) return [];
  const cancelled: EventResource[] = [];
  const shift = createShift(old, { before: old.start, after: master.start, floatingZone: 'UTC' });
  const originals = before.exceptions.flatMap(listOriginalStarts);
  const isInPattern = createPatternCheck(master, originals);
  // Google cancels exceptions that leave the pattern. They stand for no occurrence, unlike those that users deleted,
  // until they are in the pattern again.
  const recurrence = old.recurrence && { ...old.recurrence, exdates: [] };
  const wasInPattern = createPatternCheck({ ...old, ...(recurrence && { recurrence }) }, originals);
  // A shortened guest list cannot be copied from the series.
  const canRegain = after.original.attendeesOmitted !== true;
  const isRegained = (original: EventTime) => canRegain && isInPattern(original) && !wasInPattern(original);
  const regained = new Map(
    before.exceptions
      .filter((exception) => isCancelled(exception) && listOriginalStarts(exception).some(isRegained))
      .map((exception) => [exception.href, buildOccurrenceBody(exception, after)]),
  );
  for (const exception of before.exceptions) {
    const [event] = exception.events;
    const [original] = listOriginalStarts(exception);
    if (event === undefined || original === undefined || isInPattern(original)) continue;
    if (event.status === 'cancelled' && !wasInPattern(original)) continue;
    const shifted = shiftWithSeries(original, shift);
    // No version: the change just written created this occurrence.
    const version = { id: formatInstanceId(after.href, shifted, 'UTC'), etag: undefined };
    const common = regained.get(version.id);
    regained.delete(version.id);
    if (event.status === 'cancelled') {
      await events.delete(version);
      const deleted = await events.get(version.id);
      if (deleted?.status === 'cancelled') cancelled.push(await events.resourceOf(deleted));
    } else {
      const { original: former } = before.master;
      const times = buildExceptionTimes(exception, before.master, shifted);
      // `original` is as Google sent it. An exception that was more private than the moved series gets only its times.
      const isHidden = wouldPublish(exception.original, former, after.original);
      const body = { ...common, ...(isHidden ? {} : ownMembers(exception.original, former)), ...times };
      if (Object.keys(body).length === 0) continue;
      // If the new series has no such occurrence, this writes nothing.
      await writeOccurrence({ ...version, body }, events, 'may stay');
    }
  }
  for (const [id, body] of regained) await writeOccurrence({ id, etag: undefined, body }, events, 'may stay');
  return cancelled;
}

/** Returns the patch that makes a cancelled exception an occurrence like others of its series. */
function buildOccurrenceBody(exception: EventResource, after: EventResource): EventBody {
  const [series] = after.events;
  const [original] = listOriginalStarts(exception);
  const master: calendar_v3.Schema$Event = after.original;
  if (series === undefined || original === undefined) return {};
  const start = toOriginalStart(series.start, original, 'UTC');
  const end = endLasting(start, measureLength(series.start, series.end, 'UTC'), 'UTC');
  return {
    // Google may not return the members of a cancelled event.
    ...{ description: null, location: null, colorId: null },
    ...ownMembers(master, exception.original),
    attendees: copyGuests(master.attendees),
    ...{ start: toGoogleTimePatch(start, 'start'), end: toGoogleTimePatch(end, 'end') },
  };
}

const listOriginalStarts = ({ events: [event] }: EventResource): EventTime[] =>
  event?.recurrenceId === undefined ? [] : [event.recurrenceId];

/** Returns the times of an exception: a moved one keeps its times, any other only its length. */
function buildExceptionTimes(
  { events: [event] }: EventResource,
  master: EventResource,
  placed: EventTime,
): EventBody {
  const [series] = master.events;
  if (event === undefined || series === undefined) return {};
  const { start, end, recurrenceId: original = start } = event;
  if (!isSameStart(start, original, 'UTC'))
    return { start: toGoogleTimePatch(start, 'start'), end: toGoogleTimePatch(end, 'end') };
  if (isUsual({ start, end, original }, series, 'UTC') || placed.type !== start.type) return {};
  return { end: toGoogleTimePatch(endLasting(placed, measureLength(start, end, 'UTC'), 'UTC'), 'end') };
}
