/** Writes one event. Reads it again if Google's response is incomplete. */
import type { calendar_v3 } from '@googleapis/calendar';

import { ProviderError, UnsupportedByProvider } from '../../calendars/provider-error.ts';
import { undefinedIf } from '../expected-failure.ts';
import { withoutUndefined } from '../json-value.ts';
import { withConferenceLink, withFinishedMeet } from './conference-result.ts';
import type { EventBody } from './event-body.ts';
import type { EventPatch, GoogleEvents, Notice, SeriesNow } from './events.ts';

type GoogleEvent = calendar_v3.Schema$Event;

/** Returns the event with the body's `id`, created now or earlier. Fails as `not_found` if it was deleted since. */
export async function insertOnce(
  body: EventBody & { id: string },
  events: GoogleEvents,
  notice?: Notice,
): Promise<SeriesNow> {
  const insert = async () => withConferenceLink(await events.insert(body, notice), body, events);
  const inserted = await undefinedIf('precondition_failed', insert());
  if (inserted !== undefined)
    return { master: await events.resourceOf(await completeEvent(inserted, events)), exceptions: [] };
  // An earlier request created it; its response may have been lost.
  const now = await events.series(body.id);
  if (now !== undefined) return now;
  throw new ProviderError('not_found', 'The event was created before and has been deleted since');
}

export async function patchEvent(change: EventPatch, events: GoogleEvents): Promise<GoogleEvent> {
  return completeEvent(await withConferenceLink(await events.patch(change), change.body, events), events);
}

/**
 * Writes the differences of an occurrence; `undefined` if the series has no such occurrence. If Google refuses them
 * (400), its times are written first, then each other member alone; refused members are logged and left out. Refused
 * times fail if the occurrence `must move`.
 */
export async function writeOccurrence(
  patch: EventPatch,
  events: GoogleEvents,
  move: 'must move' | 'may stay',
): Promise<GoogleEvent | undefined> {
  const write = (body: EventBody) => undefinedIf('not_found', patchEvent({ ...patch, body }, events));
  const refused: string[] = [];
  let latest: GoogleEvent | undefined;
  const isWritten = async (body: EventBody): Promise<boolean> => {
    try {
      latest = await write(body);
      return true;
    } catch (failure) {
      if (!isBadRequest(failure)) throw failure;
      return false;
    }
  };
  if (await isWritten(patch.body)) return latest;
  const { start, end, ...members } = patch.body;
  const times = withoutUndefined({ start, end });
  if (move === 'must move' && start !== undefined) latest = await write(times);
  else if (Object.keys(times).length > 0 && !(await isWritten(times))) refused.push(...Object.keys(times));
  for (const [name, value] of Object.entries(members))
    if (!(await isWritten({ [name]: value }))) refused.push(name);
  if (refused.length > 0) events.reportRefused(patch.id, refused);
  return latest;
}

/** Returns whether Google refuses this event, as opposed to every change by this user. */
const isBadRequest = (failure: unknown): boolean =>
  failure instanceof UnsupportedByProvider &&
  failure.reason !== 'calendar_read_only' &&
  failure.reason !== 'organizer_only';

/** Waits for a requested Meet, and reads the guests if the response names only some. */
async function completeEvent(event: GoogleEvent, events: GoogleEvents): Promise<GoogleEvent> {
  const finished = await withFinishedMeet(event, events);
  if (finished.attendeesOmitted !== true) return finished;
  const now = await events.get(finished.id ?? '');
  return now === undefined || now.status === 'cancelled' ? finished : now;
}
