/** POST /event/rsvp: the answer of the account's own user to an invitation (additive to the wire). */
import type { Grant } from '../oauth/grant.ts';
import type { Turn } from './calendar-turn.ts';
import { scopedTarget, scopeOf } from './event-scope.ts';
import { findCalendar } from './find-calendar.ts';
import type { WriteAnswer } from './idempotency-store.ts';
import { type EventWriteDeps, onLatestVersion, writeEvent } from './latest-version.ts';
import type { ResponseRequest } from './write-requests.ts';

/** Answers the event as it is then. Throws ApiError. */
export async function respondToEvent(
  { calendar, event, response, comment, mode }: ResponseRequest,
  grant: Grant,
  deps: EventWriteDeps,
): Promise<WriteAnswer> {
  const chosen = await findCalendar(calendar, grant, deps);
  const { href, timeZone: calendarZone } = chosen.calendar;
  const respond = async (turn: Turn) => {
    await onLatestVersion(
      { event, chosen, turn },
      async (target, writeTarget) => {
        const scope = scopeOf(target, { mode, field: 'updateMode', calendarZone });
        const scoped = scopedTarget(scope, writeTarget);
        await turn.keep(await turn.writing.respond(href, scoped, { response, comment }));
      },
      deps,
    );
    return deps.eventAnswers.render(event.eventId, chosen);
  };
  const rendered = await writeEvent({ chosen, event }, respond, deps);
  // Some providers take an event that was declined out of the calendar.
  const message = 'The answer was sent; the event is no longer in the calendar';
  const body =
    rendered === undefined ? JSON.stringify({ success: true, message }) : deps.eventAnswers.bodyOf(rendered);
  return { body, accountKey: chosen.account.accountKey };
}
