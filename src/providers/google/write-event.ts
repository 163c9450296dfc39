/** One event written, and read again where Google's answer is not the whole of it. */
import type { calendar_v3 } from '@googleapis/calendar';

import { ProviderError } from '../../calendars/provider-error.ts';
import { undefinedIf } from '../expected-failure.ts';
import { withConferenceLink, withFinishedMeet } from './conference-result.ts';
import type { EventBody } from './event-body.ts';
import type { EventPatch, GoogleEvents, SeriesNow } from './events.ts';

type GoogleEvent = calendar_v3.Schema$Event;

/** What was made with the body's `id`, by this request or an earlier one. Fails as `not_found` when it was deleted since. */
export async function insertOnce(body: EventBody & { id: string }, events: GoogleEvents): Promise<SeriesNow> {
  const insert = async () => withConferenceLink(await events.insert(body), body, events);
  const inserted = await undefinedIf('precondition_failed', insert());
  if (inserted !== undefined)
    return { master: await events.resourceOf(await whole(inserted, events)), exceptions: [] };
  // An earlier request made it, whose answer may have been lost.
  const now = await events.series(body.id);
  if (now !== undefined) return now;
  throw new ProviderError('not_found', 'The event was made before, and deleted since');
}

export async function patchEvent(change: EventPatch, events: GoogleEvents): Promise<GoogleEvent> {
  return whole(await withConferenceLink(await events.patch(change), change.body, events), events);
}

/** With the Meet that was asked for, and with all guests, of whom the answer to a write may name but one. */
async function whole(event: GoogleEvent, events: GoogleEvents): Promise<GoogleEvent> {
  const finished = await withFinishedMeet(event, events);
  if (finished.attendeesOmitted !== true) return finished;
  const now = await events.get(finished.id ?? '');
  return now === undefined || now.status === 'cancelled' ? finished : now;
}
