/**
 * Deletes events. Graph's DELETE notifies the guests of a meeting that the account's user organizes, like `/cancel`
 * without a comment. An invitation is removed from the user's own calendar, and nobody is notified.
 */
import type { WriteResult, WriteTarget } from '../../calendars/event-writing.ts';
import type { EventTime } from '../../lib/recurrence/event-time.ts';
import { undefinedIf } from '../expected-failure.ts';
import {
  type Current,
  currentEvent,
  currentOccurrence,
  findOccurrence,
  type OccurrenceTarget,
  requireVersion,
  toIfMatch,
} from './current-event.ts';
import { isInCalendar } from './membership.ts';
import { eventUrl, getEvent, type Source } from './read-events.ts';
import { writeTo } from './write-requests.ts';
import { deletedResult, readWriteResult } from './write-result.ts';

/** Deletes an event. Succeeds if it does not exist. */
export async function deleteEvent(source: Source, target: WriteTarget): Promise<WriteResult> {
  const { href, etag, instance } = target;
  if (instance !== undefined) {
    await undefinedIf('not_found', deleteOccurrence(source, { ...target, instance }));
    return readWriteResult(source, target, true);
  }
  const item = await getEvent(source, href, '$select=id,changeKey');
  if (item === undefined) return deletedResult(target);
  const isStale = etag !== undefined && etag !== (item.changeKey ?? undefined);
  if (isStale && !(await isInCalendar(source, href))) return deletedResult(target);
  requireVersion(etag, item.changeKey ?? undefined);
  await deleteItem(source, href, toIfMatch(item));
  return deletedResult(target);
}

async function deleteOccurrence(source: Source, target: OccurrenceTarget): Promise<void> {
  const series = await currentEvent(source, target);
  const { id, ifMatch } = await currentOccurrence(source, series, target);
  await deleteItem(source, id, ifMatch);
}

/** Deletes the occurrence at `original`. Without `If-Match`, because each deletion changes the series' version. */
export async function deleteAt(source: Source, series: Current, original: EventTime): Promise<void> {
  const item = await findOccurrence(source, series, original);
  if (item?.id) await deleteItem(source, item.id, undefined);
}

/** Deletes one event or occurrence by its id. Succeeds if it does not exist. */
async function deleteItem(source: Source, id: string, ifMatch: string | undefined): Promise<void> {
  const request = {
    operation: 'events.delete',
    method: 'DELETE',
    url: eventUrl(source, id),
    ifMatch,
  } as const;
  await undefinedIf('not_found', writeTo(source, request));
}
