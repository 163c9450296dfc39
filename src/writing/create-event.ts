/** POST /event: a new event or series (docs/wire.md 1.8). */
import { ProviderError } from '../calendars/provider-error.ts';
import { errorOfFailure } from '../calendars/sync-failure.ts';
import { ApiError } from '../http/refusal.ts';
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
    // A deletion frees space. A new event would not be shown.
    if (failure?.kind === 'too_large') throw errorOfFailure(failure, deps.now());
    const result = await turn.writing.create(href, draft, keyOf(seed));
    // The provider has the event, even if the mirror cannot show it: a caller that was refused would create it twice.
    await turn.keep(result).catch((reason: unknown) => {
      if (!(reason instanceof ProviderError || reason instanceof ApiError)) throw reason;
    });
    const created = result.changed.find(({ seriesId }) => seriesId === undefined);
    if (created === undefined) return undefined;
    const { render, renderCreated } = deps.eventAnswers;
    return (await render(created.eventId, chosen)) ?? renderCreated(created, chosen);
  };
  const event = await writeEvent({ chosen }, create, deps);
  if (event === undefined) throw noEvent();
  return { body: deps.eventAnswers.bodyOf(event), accountKey: chosen.account.accountKey };
}
