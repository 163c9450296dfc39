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
import { formatInstanceId, toInstant } from '../../lib/recurrence/event-instant.ts';
import { missingMembers } from '../missing-members.ts';
import { onlyException } from '../single-later-half.ts';
import { refuseShortenedList } from './attendees.ts';
import { hasMeet } from './conference.ts';
import { canCreateMeets, checkMeet } from './conference-result.ts';
import type { EventPatch, GoogleEvents, SeriesNow } from './events.ts';
import { withoutAttendees } from './invite-later.ts';
import { buildExceptionBody, buildLaterBody, buildSingleBody, withConferencePatch } from './later-bodies.ts';
import { refuseGuestSplit } from './organizer.ts';
import { isCancelled, listResources } from './series-result.ts';
import { insertOnce, writeOccurrence } from './write-event.ts';

/** Implements EventWriting.copyLater. The rules of the new series exclude the cancelled occurrences. */
export async function copyLater(
  target: WriteTarget,
  later: LaterHalf,
  events: GoogleEvents,
): Promise<CopiedHalf> {
  const exceptions = listExceptionsToCopy(later);
  const existing = await events.series(toNewId(later));
  // If the copy exists, an earlier attempt passed all checks.
  const source =
    existing === undefined
      ? checkSplittable(await events.wholeSeries(target.href), target, later)
      : await events.series(target.href);
  if (source === undefined)
    return { changed: existing === undefined ? [] : listResources(existing), removed: [] };
  const meets = await asksForMeets(source, later, events);
  const changes = buildExceptionPatches(source, { ...later, exceptions }, meets);
  if (existing === undefined && changes.length < exceptions.length) throw changedMeanwhile();
  const event = { id: toNewId(later), change: later.change, makesMeets: meets };
  const whole = buildLaterBody(source.master.original, event);
  const intended = isSingle(later)
    ? { body: buildSingleBody(whole, changes[0]?.body), patches: [] }
    : { body: whole, patches: changes };
  const { body, patches, invitations } = withoutAttendees(intended, source.master.original);
  const series = existing ?? (await insertOnce(body, events, 'quiet'));
  return { ...(await copyExceptions(series, patches, events)), invitations };
}

const isSingle = ({ change }: LaterHalf): boolean => change.recurrence === null;

/** Returns the exceptions to copy: at most one for a single event. */
function listExceptionsToCopy(later: LaterHalf): readonly LaterException[] {
  if (!isSingle(later)) return later.exceptions;
  const only = onlyException(later);
  return only === undefined ? [] : [only];
}

/** Returns the id of the new series: the key, as in `create`. */
const toNewId = ({ key }: LaterHalf): string => key.toLowerCase();

const changedMeanwhile = () => new ProviderError('precondition_failed', 'It was changed in the meantime');

/** Fails if the series does not exist, has changed since planning, or may not be split by this account. */
function checkSplittable(old: SeriesNow | undefined, target: WriteTarget, later: LaterHalf): SeriesNow {
  if (old === undefined) throw new ProviderError('not_found', 'Google no longer has this event');
  if (target.etag !== undefined && old.master.etag !== target.etag) throw changedMeanwhile();
  if (!hasStoredExceptions(old, target, later)) throw changedMeanwhile();
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
    event?.recurrenceId !== undefined && toInstant(event.recurrenceId, 'UTC') >= toInstant(at, 'UTC');
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
  return listResources(old).some(({ original }) => hasMeet(original)) && canCreateMeets(events);
}

/** Returns a patch for each remaining exception, in the order of `later`. */
function buildExceptionPatches(old: SeriesNow, later: LaterHalf, meets: boolean): EventPatch[] {
  const { change, exceptions } = later;
  const id = toNewId(later);
  const oldExceptions = new Map(old.exceptions.flatMap(toStartAndResource));
  return exceptions.flatMap(({ recurrenceId, instance, times }) => {
    const exception = oldExceptions.get(toInstant(recurrenceId, 'UTC'))?.original;
    if (exception === undefined) return [];
    refuseShortenedList(exception);
    const event = { id: formatInstanceId(id, instance, 'UTC'), change, makesMeets: meets };
    const body = buildExceptionBody(
      { exception, master: old.master.original, ...(times && { times }) },
      event,
    );
    // No version: the new series has just created this occurrence.
    return { id: event.id, etag: undefined, body };
  });
}

/** Returns nothing for a cancelled exception, which has nothing to copy. */
function toStartAndResource(resource: EventResource): [originalStart: number, resource: EventResource][] {
  const [event] = resource.events;
  if (event?.recurrenceId === undefined || event.status === 'cancelled') return [];
  return [[toInstant(event.recurrenceId, 'UTC'), resource]];
}

/** Writes the exceptions, or what an earlier attempt left out of them. */
async function copyExceptions(
  series: SeriesNow,
  patches: readonly EventPatch[],
  events: GoogleEvents,
): Promise<WriteResult> {
  const resources = new Map(listResources(series).map((resource) => [resource.href, resource]));
  const { original: master } = series.master;
  for (const patch of patches) {
    const existing = resources.get(patch.id);
    if (existing !== undefined && isCancelled(existing)) continue;
    const fields =
      existing === undefined ? patch.body : missingMembers(patch.body, existing.original, master);
    const body = withConferencePatch(fields, master);
    if (Object.keys(body).length === 0) continue;
    // `undefined`: the new series has no such occurrence, so there is no exception.
    const event = await writeOccurrence({ ...patch, body, isQuiet: true }, events, 'must move');
    if (event !== undefined) resources.set(patch.id, await events.resourceOf(event));
  }
  return { changed: [...resources.values()], removed: [] };
}
