/**
 * Deleting events. Graph's DELETE tells the guests of a meeting that the account's user organizes, as `/cancel` would without
 * a comment; an invitation is taken out of the user's own calendar and nobody is told.
 */
import type { WriteResult, WriteTarget } from '../../calendars/event-writing.ts';
import { ProviderError } from '../../calendars/provider-error.ts';
import type { EventTime } from '../../lib/recurrence/event-time.ts';
import { currentEvent, currentOccurrence, ifMatchOf, refuseOther } from './current-event.ts';
import { graphWrite } from './graph-client.ts';
import { eventUrl, getEvent, type Source } from './read-events.ts';
import { toldRefusal } from './write-refusal.ts';
import { goneOf, writtenTo } from './written.ts';

/** Gone already is no failure. */
export async function deleteEvent(source: Source, target: WriteTarget): Promise<WriteResult> {
  const { instance } = target;
  return instance === undefined
    ? deleteWhole(source, target)
    : deleteOccurrence(source, { ...target, instance });
}

async function deleteWhole(source: Source, target: WriteTarget): Promise<WriteResult> {
  const item = await getEvent(source, target.href, '$select=id,changeKey');
  if (item === undefined) return goneOf(target);
  refuseOther(target.etag, item.changeKey ?? undefined);
  await deleteItem(source, target.href, ifMatchOf(item));
  return goneOf(target);
}

async function deleteOccurrence(
  source: Source,
  target: WriteTarget & { readonly instance: EventTime },
): Promise<WriteResult> {
  try {
    const series = await currentEvent(source, target);
    const { id, ifMatch } = await currentOccurrence(source, series, target);
    await deleteItem(source, id, ifMatch);
  } catch (failure) {
    if (!isGone(failure)) throw failure;
  }
  return writtenTo(source, target, true);
}

/** One event or occurrence by its id; one that is gone is no failure. */
export async function deleteItem(source: Source, id: string, ifMatch: string | undefined): Promise<void> {
  const request = {
    operation: 'events.delete',
    method: 'DELETE' as const,
    url: eventUrl(source, id),
    ifMatch,
  };
  try {
    await toldRefusal(source, () => graphWrite(source.graph, request));
  } catch (failure) {
    if (!isGone(failure)) throw failure;
  }
}

const isGone = (failure: unknown): boolean =>
  failure instanceof ProviderError && failure.kind === 'not_found';
