/** Creates an event or a series. */
import type { Event as GraphEvent } from '@microsoft/microsoft-graph-types';

import type { EventResource } from '../../calendars/event.ts';
import type { EventDraft, WriteResult } from '../../calendars/event-writing.ts';
import { ProviderError } from '../../calendars/provider-error.ts';
import { text } from '../json-value.ts';
import { unreadableAnswer } from '../meaning.ts';
import { findGraphCode } from './api-refusal.ts';
import { toGraphRecurrence } from './body-recurrence.ts';
import { currentEvent } from './current-event.ts';
import { deleteAt } from './delete-event.ts';
import { buildEventBody } from './event-body.ts';
import { VERSIONS_PER_PAGE } from './event-queries.ts';
import type { GraphItem } from './event-resource.ts';
import { chooseMeetingProvider } from './online-meeting.ts';
import { readEvent, type Source } from './read-events.ts';
import { readCalendarFacts, writeTo } from './write-requests.ts';

/**
 * Creates an event, the same one for the same key (Graph's `transactionId`). Excluded days are occurrences to Outlook
 * and are deleted one by one; a repeated call continues where the first was interrupted.
 */
export async function createEvent(source: Source, draft: EventDraft, key: string): Promise<WriteResult> {
  const body = await buildDraftBody(source, draft);
  const id = await postEvent(source, body, key);
  const exdates = draft.recurrence?.exdates ?? [];
  if (exdates.length > 0) {
    const series = await currentEvent(source, { href: id, etag: undefined, stored: [] });
    for (const exdate of exdates) await deleteAt(source, series, exdate);
  }
  const changed = await readEvent(source, id, draft.recurrence !== undefined);
  if (changed === 'gone') throw deletedSince();
  return { changed, removed: [] };
}

async function buildDraftBody(source: Source, draft: EventDraft): Promise<GraphEvent> {
  const { recurrence, start, attendees, autoConference } = draft;
  const pattern = recurrence && toGraphRecurrence(recurrence, start);
  const needsCalendar = autoConference || attendees?.some(({ organizer }) => organizer);
  const calendar = needsCalendar ? await readCalendarFacts(source) : undefined;
  const body = buildEventBody({
    change: draft,
    current: undefined,
    organizer: calendar?.owner?.address ?? undefined,
    onlineMeetingProvider: autoConference && calendar ? chooseMeetingProvider(calendar) : undefined,
  });
  return { ...body, ...(pattern && { recurrence: pattern }) };
}

/** Returns the id of the new event, or of the one that `key` created before. */
export async function postEvent(source: Source, event: GraphEvent, key: string): Promise<string> {
  const url = `${source.url}/events`;
  const body = { ...event, transactionId: formatUuid(key) };
  try {
    const answer = await writeTo(source, { operation: 'events.create', method: 'POST', url, body });
    const id = text(answer?.id);
    if (id !== undefined) return id;
  } catch (failure) {
    // For a used key Graph mostly returns the event. It seems to refuse the key of a changed event, which no source
    // confirms.
    if (findGraphCode(failure) !== 'ErrorDuplicateTransactionId') throw failure;
    const id = await findIdByKey(source, key);
    if (id === undefined) throw deletedSince();
    return id;
  }
  throw unreadableAnswer('Microsoft sent an event without an id');
}

/** Returns the event that was created with this key, master first; `undefined` if it is not in the calendar. */
export async function findCreated(
  source: Source,
  key: string,
): Promise<readonly EventResource[] | undefined> {
  const id = await findIdByKey(source, key);
  const resources = id === undefined ? 'gone' : await readEvent(source, id, false);
  return resources === 'gone' ? undefined : resources;
}

/** Finds an event by listing the calendar, since Graph cannot search for a key. Twice, since pages shift. */
async function findIdByKey({ graph, url: calendarUrl }: Source, key: string): Promise<string | undefined> {
  const transactionId = formatUuid(key);
  const url = `${calendarUrl}/events?$select=id,transactionId&$top=${VERSIONS_PER_PAGE}`;
  for (let listings = 0; listings < 2; listings += 1) {
    for await (const { value } of graph.list<GraphItem>({ operation: 'events.list', url })) {
      const id = value.find((item) => item.transactionId === transactionId)?.id;
      if (id) return id;
    }
  }
  return undefined;
}

export const deletedSince = (): ProviderError =>
  new ProviderError('not_found', 'The event was created before and has been deleted since');

/** Formats a key as a GUID, as in Graph's examples. */
const formatUuid = (key: string): string =>
  /^[\da-f]{32}$/i.test(key) ? key.replace(/^(.{8})(.{4})(.{4})(.{4})(.{12})$/, '$1-$2-$3-$4-$5') : key;
