/** Creating an event or a series. */
import type { Event as GraphEvent } from '@microsoft/microsoft-graph-types';

import type { EventDraft, WriteResult } from '../../calendars/event-writing.ts';
import { ProviderError } from '../../calendars/provider-error.ts';
import { bodyOf } from './event-body.ts';
import type { GraphItem } from './event-resource.ts';
import { graphPages, graphWrite } from './graph-client.ts';
import { codeOf } from './graph-error.ts';
import { VERSIONS_PER_PAGE } from './graph-facts.ts';
import { patternedRecurrence } from './graph-recurrence.ts';
import { meetingsOf } from './online-meeting.ts';
import { readEvent, type Source } from './read-events.ts';
import { withoutOccurrences } from './without-occurrences.ts';
import { calendarFacts, toldRefusal } from './write-refusal.ts';

/**
 * The same key makes the same event, however often: it is Graph's `transactionId`. Days that a rule leaves out are
 * occurrences to Outlook, and are deleted one by one; a repetition goes on where the first was interrupted.
 */
export async function createEvent(source: Source, draft: EventDraft, key: string): Promise<WriteResult> {
  const body = await bodyOfDraft(source, draft);
  const transactionId = uuidOf(key);
  const id = await toldRefusal(source, () => post(source, { ...body, transactionId }));
  const exdates = draft.recurrence?.exdates ?? [];
  if (exdates.length > 0) await withoutOccurrences(source, id, exdates);
  const changed = await readEvent(source, id, draft.recurrence !== undefined);
  if (changed === 'gone') throw goneSince();
  return { changed, removed: [] };
}

async function bodyOfDraft(source: Source, draft: EventDraft): Promise<GraphEvent> {
  const { recurrence, start, attendees, autoConference } = draft;
  const pattern = recurrence && patternedRecurrence(recurrence, start);
  const isAsked = autoConference || attendees?.some(({ organizer }) => organizer);
  const calendar = isAsked ? await calendarFacts(source) : undefined;
  const body = bodyOf({
    change: draft,
    current: undefined,
    organizer: calendar?.owner?.address ?? undefined,
    meetings: autoConference && calendar ? meetingsOf(calendar) : undefined,
  });
  return { ...body, ...(pattern && { recurrence: pattern }) };
}

async function post(source: Source, body: GraphEvent): Promise<string> {
  const url = `${source.url}/events`;
  try {
    const answer = await graphWrite(source.graph, { operation: 'events.create', method: 'POST', url, body });
    const id = answer?.id;
    if (typeof id === 'string' && id !== '') return id;
  } catch (failure) {
    // Of a key that was used Graph mostly answers the event itself; (k) it refuses one whose event was changed.
    if (codeOf(failure) !== 'ErrorDuplicateTransactionId') throw failure;
    return eventOfTransaction(source, body.transactionId ?? '');
  }
  throw new ProviderError('invalid_response', 'Microsoft sent an event without an id', {
    reason: 'provider_answer_unreadable',
  });
}

/** By looking through the calendar: Graph finds no event by its transaction. */
async function eventOfTransaction(source: Source, transactionId: string): Promise<string> {
  const url = `${source.url}/events?$select=id,transactionId&$top=${VERSIONS_PER_PAGE}`;
  for await (const { value } of graphPages<GraphItem>(source.graph, { operation: 'events.list', url })) {
    const found = value.find((item) => item.transactionId === transactionId)?.id;
    if (found) return found;
  }
  throw goneSince();
}

const goneSince = (): ProviderError =>
  new ProviderError('not_found', 'The event was created before and has been deleted since');

/** Graph's examples have the form of a GUID. */
const uuidOf = (key: string): string =>
  /^[\da-f]{32}$/i.test(key) ? key.replace(/^(.{8})(.{4})(.{4})(.{4})(.{12})$/, '$1-$2-$3-$4-$5') : key;
