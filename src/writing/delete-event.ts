/** Deletes an event, an occurrence, it and later ones, or a series. */
import { readQueryOrBody, type SentParameters } from '../http/sent-parameters.ts';
import type { Grant } from '../oauth/grant.ts';
import type { Turn } from './calendar-turn.ts';
import { chooseScope, scopedTarget } from './event-scope.ts';
import { findCalendar } from './find-calendar.ts';
import { type EventWriteDeps, onLatestVersion, writeEvent } from './latest-version.ts';
import { endSeriesBefore } from './split-steps.ts';
import {
  CALENDAR,
  type Conditional,
  EVENT,
  type Mode,
  mode,
  type NamedEvent,
  splitName,
} from './write-requests.ts';

export const EVENT_DELETION = { ...CALENDAR, ...EVENT, deleteMode: mode };

export type DeletionRequest = NamedEvent & Conditional & { readonly mode: Mode | undefined };

export function deletionRequest(sent: SentParameters, ifMatch: string | undefined): DeletionRequest {
  const { deleteMode: mode, ...rest } = readQueryOrBody(sent, EVENT_DELETION);
  const { calendar, event } = splitName(rest);
  return { calendar, event, mode, ifMatch };
}

/** Deletes an event, an instance, it and later ones, or a series (docs/wire.md 1.9). Throws ApiError. */
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
        const scope = chooseScope(target, { mode, field: 'deleteMode', calendarZone });
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
