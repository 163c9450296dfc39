/** The state of a series in the mirror after a write. */
import type { EventResource } from '../../calendars/event.ts';
import type { WriteResult, WriteTarget } from '../../calendars/event-writing.ts';
import type { EventTime } from '../../lib/recurrence/event-time.ts';
import type { GoogleEvents, SeriesNow } from './events.ts';
import { createPatternCheck } from './pattern.ts';

export const listResources = ({ master, exceptions }: SeriesNow): EventResource[] => [master, ...exceptions];

/**
 * Returns the result for the series as it is `now`. Google's listing may lack deleted occurrences: a stored one that is
 * still in the pattern stays deleted. A changed occurrence that is no longer listed is read.
 */
export async function seriesResult(
  target: WriteTarget,
  now: SeriesNow | undefined,
  events: GoogleEvents,
): Promise<WriteResult> {
  if (now === undefined) return { changed: [], removed: storedHrefs(target) };
  const missing = listMissingExceptions(now, target);
  const changed = listResources(now);
  const hrefs = new Set(changed.map(({ href }) => href));
  for (const exception of missing) {
    if (isCancelled(exception)) hrefs.add(exception.href);
    else {
      const event = await events.get(exception.href);
      if (event?.status !== 'cancelled') continue;
      changed.push(await events.resourceOf(event));
      hrefs.add(exception.href);
    }
  }
  return { changed, removed: storedHrefs(target).filter((href) => !hrefs.has(href)) };
}

/** Adds deleted occurrences that the mirror has and the listing lacks. */
export function withKnownCancelled(now: SeriesNow, { href, stored }: WriteTarget): SeriesNow {
  const listed = new Set(now.exceptions.map((exception) => exception.href));
  const cancelled = stored.filter(
    (resource) => resource.seriesId === href && !listed.has(resource.href) && isCancelled(resource),
  );
  return { ...now, exceptions: [...now.exceptions, ...cancelled] };
}

/** Returns the stored exceptions that are not listed although the pattern has them. */
function listMissingExceptions(now: SeriesNow, { href, stored }: WriteTarget): EventResource[] {
  const [master] = now.master.events;
  const listed = new Set(now.exceptions.map((exception) => exception.href));
  const missing = stored.filter(
    ({ seriesId, ...resource }) => seriesId === href && !listed.has(resource.href),
  );
  if (master === undefined || missing.length === 0) return [];
  const isInPattern = createPatternCheck(master, missing.flatMap(listOriginalStarts));
  return missing.filter((exception) => listOriginalStarts(exception).some(isInPattern));
}

const listOriginalStarts = ({ events: [event] }: EventResource): EventTime[] =>
  event?.recurrenceId === undefined ? [] : [event.recurrenceId];

export const isCancelled = ({ events: [event] }: EventResource): boolean => event?.status === 'cancelled';

export const storedHrefs = ({ href, stored }: WriteTarget): string[] => [
  href,
  ...stored.filter(({ seriesId }) => seriesId === href).map((resource) => resource.href),
];
