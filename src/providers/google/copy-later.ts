/**
 * Copies the later half of a series from Google's current event, with everything that people and programs store there.
 * Every check that can refuse the copy comes before the first write.
 */
import type { EventResource } from '../../calendars/event.ts';
import type {
  CopiedHalf,
  LaterException,
  LaterHalf,
  WriteResult,
  WriteTarget,
} from '../../calendars/event-writing.ts';
import { ProviderError } from '../../calendars/provider-error.ts';
import { instanceIdOf, instantOf } from '../../lib/recurrence/event-instant.ts';
import { onlyException } from '../single-later-half.ts';
import { refuseShortenedList } from './attendees.ts';
import { hasMeet } from './conference.ts';
import { checkMeet, makesMeets } from './conference-result.ts';
import type { EventPatch, GoogleEvents, SeriesNow } from './events.ts';
import { withoutAttendees } from './invite-later.ts';
import { laterBody, laterExceptionBody, singleBody, withConferencePatch } from './later-bodies.ts';
import { refuseGuestSplit } from './organizer.ts';
import { isCancelled, resourcesOf } from './series-result.ts';
import { insertOnce, writeOccurrence } from './write-event.ts';

/** Implements EventWriting.copyLater. The rules of the new series exclude the cancelled occurrences. */
export async function copyLater(
  target: WriteTarget,
  later: LaterHalf,
  events: GoogleEvents,
): Promise<CopiedHalf> {
  const exceptions = exceptionsIn(later);
  const made = await events.series(newIdOf(later));
  // If the copy exists, an earlier attempt passed all checks.
  const source =
    made === undefined
      ? splittable(await events.wholeSeries(target.href), target, later)
      : await events.series(target.href);
  if (source === undefined) return { changed: made === undefined ? [] : resourcesOf(made), removed: [] };
  const meets = await asksForMeets(source, later, events);
  const changes = exceptionPatches(source, { ...later, exceptions }, meets);
  if (made === undefined && changes.length < exceptions.length) throw changed();
  const event = { id: newIdOf(later), change: later.change, makesMeets: meets };
  const whole = laterBody(source.master.original, event);
  const intended = isSingle(later)
    ? { body: singleBody(whole, changes[0]?.body), patches: [] }
    : { body: whole, patches: changes };
  const { body, patches, invitations } = withoutAttendees(intended, source.master.original);
  const series = made ?? (await insertOnce(body, events, 'quiet'));
  return { ...(await copyExceptions(series, patches, events)), invitations };
}

const isSingle = ({ change }: LaterHalf): boolean => change.recurrence === null;

/** Returns the exceptions to copy: at most one for a single event. */
function exceptionsIn(later: LaterHalf): readonly LaterException[] {
  if (!isSingle(later)) return later.exceptions;
  const only = onlyException(later);
  return only === undefined ? [] : [only];
}

/** Returns the id of the new series: the key, as in `create`. */
const newIdOf = ({ key }: LaterHalf): string => key.toLowerCase();

const changed = () => new ProviderError('precondition_failed', 'It was changed meanwhile');

/** Fails if the series does not exist, has changed since planning, or may not be split by this account. */
function splittable(old: SeriesNow | undefined, target: WriteTarget, later: LaterHalf): SeriesNow {
  if (old === undefined) throw new ProviderError('not_found', 'Google has no such event any more');
  if (target.etag !== undefined && old.master.etag !== target.etag) throw changed();
  if (!hasStoredExceptions(old, target, later)) throw changed();
  refuseGuestSplit(old.master.original);
  refuseShortenedList(old.master.original);
  return old;
}

/** Returns whether the later exceptions are as planned. Changing them does not change the master's version. */
function hasStoredExceptions(
  { exceptions }: SeriesNow,
  { href, stored }: WriteTarget,
  { at }: LaterHalf,
): boolean {
  const isLater = ({ events: [event] }: EventResource) =>
    event?.recurrenceId !== undefined && instantOf(event.recurrenceId, 'UTC') >= instantOf(at, 'UTC');
  const planned = stored.filter((resource) => resource.seriesId === href && isLater(resource));
  const now = new Map(exceptions.filter(isLater).map((exception) => [exception.href, exception]));
  return (
    planned.length === now.size && planned.every((exception) => isSame(exception, now.get(exception.href)))
  );
}

/** Compares two versions of an exception. If cancelled, only some listings include the former content. */
function isSame(stored: EventResource, now: EventResource | undefined): boolean {
  if (now === undefined || isCancelled(stored) !== isCancelled(now)) return false;
  return isCancelled(now) || stored.etag === undefined || stored.etag === now.etag;
}

/** Returns whether to request a Meet for each copied one. Fails if one is requested and Google creates none. */
async function asksForMeets(old: SeriesNow, { change }: LaterHalf, events: GoogleEvents): Promise<boolean> {
  if (change.autoConference === true) await checkMeet(events);
  return resourcesOf(old).some(({ original }) => hasMeet(original)) && makesMeets(events);
}

/** Returns a patch for each remaining exception, in the order of `later`. */
function exceptionPatches(old: SeriesNow, later: LaterHalf, meets: boolean): EventPatch[] {
  const { change, exceptions } = later;
  const id = newIdOf(later);
  const there = new Map(old.exceptions.flatMap(startAndResource));
  return exceptions.flatMap(({ recurrenceId, instance, times }) => {
    const exception = there.get(instantOf(recurrenceId, 'UTC'))?.original;
    if (exception === undefined) return [];
    refuseShortenedList(exception);
    const event = { id: instanceIdOf(id, instance, 'UTC'), change, makesMeets: meets };
    const body = laterExceptionBody(
      { exception, master: old.master.original, ...(times && { times }) },
      event,
    );
    // No version: the new series has just created this occurrence.
    return { id: event.id, etag: undefined, body };
  });
}

/** Returns nothing for a cancelled exception, which has nothing to copy. */
function startAndResource(resource: EventResource): [originalStart: number, resource: EventResource][] {
  const [event] = resource.events;
  if (event?.recurrenceId === undefined || event.status === 'cancelled') return [];
  return [[instantOf(event.recurrenceId, 'UTC'), resource]];
}

/** Writes the exceptions, except those that an earlier attempt copied. */
async function copyExceptions(
  series: SeriesNow,
  patches: readonly EventPatch[],
  events: GoogleEvents,
): Promise<WriteResult> {
  const there = new Set(series.exceptions.map(({ href }) => href));
  const resources = resourcesOf(series);
  for (const patch of patches) {
    if (there.has(patch.id)) continue;
    const body = withConferencePatch(patch.body, series.master.original);
    if (Object.keys(body).length === 0) continue;
    // `undefined`: the new series has no such occurrence, so there is no exception.
    const event = await writeOccurrence({ ...patch, body, isQuiet: true }, events, 'must move');
    if (event !== undefined) resources.push(await events.resourceOf(event));
  }
  return { changed: resources, removed: [] };
}
