/** POST /event: a new event or series (docs/wire.md 1.8). */
import { errorOfFailure } from '../calendars/sync-failure.ts';
import type { Grant } from '../oauth/grant.ts';
import type { Turn } from './calendar-turn.ts';
import { draftOf } from './event-draft.ts';
import { findCalendar } from './find-calendar.ts';
import { keyOf } from './idempotency.ts';
import type { WriteAnswer } from './idempotency-store.ts';
import { type EventWriteDeps, noEvent, writeEvent } from './latest-version.ts';
import type { NewEventRequest } from './write-requests.ts';

/** `seed` is the same for every repetition of the request, and new for each other. Throws ApiError. */
export async function createEvent(
  { calendar, input }: NewEventRequest,
  { grant, seed }: { readonly grant: Grant; readonly seed: string },
  deps: EventWriteDeps,
): Promise<WriteAnswer> {
  const chosen = await findCalendar(calendar, grant, deps);
  const { href, timeZone } = chosen.calendar;
  const draft = draftOf(input, timeZone);
  const create = async (turn: Turn) => {
    const { failure } = turn.calendar;
    // What is deleted makes room; what is new would not be shown.
    if (failure?.kind === 'too_large') throw errorOfFailure(failure, deps.now());
    const result = await turn.writing.create(href, draft, keyOf(seed));
    await turn.keep(result);
    const id = result.changed.find(({ seriesId }) => seriesId === undefined)?.eventId;
    return id === undefined ? undefined : deps.eventAnswers.render(id, chosen);
  };
  const event = await writeEvent({ chosen }, create, deps);
  if (event === undefined) throw noEvent();
  return { body: deps.eventAnswers.bodyOf(event), accountKey: chosen.account.accountKey };
}
