/** DELETE /event: an event, one instance, this and later ones, or a whole series (docs/wire.md 1.9). */
import type { Grant } from '../oauth/grant.ts';
import type { Turn } from './calendar-turn.ts';
import { scopedTarget, scopeOf } from './event-scope.ts';
import { findCalendar } from './find-calendar.ts';
import { type EventWriteDeps, onLatestVersion, writeEvent } from './latest-version.ts';
import { endSeriesBefore } from './split-steps.ts';
import type { DeletionRequest } from './write-requests.ts';

/** Answers the body. Throws ApiError. */
export async function deleteEvent(
  { calendar, event, mode, ifMatch }: DeletionRequest,
  grant: Grant,
  deps: EventWriteDeps,
): Promise<string> {
  const chosen = await findCalendar(calendar, grant, deps);
  const { href, timeZone: calendarZone } = chosen.calendar;
  const remove = (turn: Turn): Promise<string> =>
    onLatestVersion(
      { event, ifMatch, chosen, turn },
      async (target, writeTarget) => {
        const scope = scopeOf(target, { mode, field: 'deleteMode', calendarZone });
        if (scope.of === 'following') {
          await endSeriesBefore(scope, writeTarget, turn);
          return 'This and the following events were deleted';
        }
        await turn.keep(await turn.writing.delete(href, scopedTarget(scope, writeTarget)));
        return scope.of === 'series' ? 'The series was deleted' : 'The event was deleted';
      },
      deps,
    );
  const message = await writeEvent({ chosen, event }, remove, deps);
  return JSON.stringify({ success: true, message });
}
