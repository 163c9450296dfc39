/** PUT /event: what a request names of an event, and nothing else (docs/wire.md 1.9). */

import type { EventChange } from '../calendars/event-writing.ts';
import { refuseMistakes } from '../http/fields.ts';
import { instanceIdOf } from '../lib/recurrence/event-instant.ts';
import type { Grant } from '../oauth/grant.ts';
import type { Turn } from './calendar-turn.ts';
import { changeOfOne, changeOfSeries } from './event-draft.ts';
import type { EventInput } from './event-input.ts';
import { type Scope, scopedTarget, scopeOf, timesOf } from './event-scope.ts';
import { findCalendar } from './find-calendar.ts';
import { type EventWriteDeps, noEvent, onLatestVersion, writeEvent } from './latest-version.ts';
import { splitSeries } from './run-split.ts';
import type { UpdateRequest } from './write-requests.ts';

/** Answers the body. Throws ApiError. */
export async function updateEvent(
  { calendar, event, mode, input, ifMatch }: UpdateRequest,
  grant: Grant,
  deps: EventWriteDeps,
): Promise<string> {
  const chosen = await findCalendar(calendar, grant, deps);
  const { href, timeZone: calendarZone } = chosen.calendar;
  const update = (turn: Turn): Promise<string> =>
    onLatestVersion(
      { event, ifMatch, chosen, turn },
      async (target, writeTarget) => {
        const scope = scopeOf(target, { mode, field: 'updateMode', calendarZone });
        if (scope.of === 'following') return splitSeries({ input, scope, target: writeTarget }, turn, deps);
        const change = changeOf(scope, input, calendarZone);
        if (Object.keys(change).length > 0)
          await turn.keep(await turn.writing.update(href, scopedTarget(scope, writeTarget), change));
        return idOf(scope, calendarZone);
      },
      deps,
    );
  const rendered = await writeEvent(
    { chosen, event },
    async (turn) => deps.eventAnswers.render(await update(turn), chosen),
    deps,
  );
  if (rendered === undefined) throw noEvent();
  return deps.eventAnswers.bodyOf(rendered);
}

type WholeScope = Exclude<Scope, { of: 'following' }>;

/** The id on the wire of what was written. */
function idOf(scope: WholeScope, calendarZone: string): string {
  if (scope.of === 'series') return scope.master.eventId;
  if (scope.of === 'event') return scope.match.eventId;
  const { master, override, originalStart } = scope.instance;
  const seriesId = master?.eventId ?? override?.seriesId ?? '';
  return instanceIdOf(seriesId, originalStart, calendarZone);
}

function changeOf(scope: WholeScope, input: EventInput, calendarZone: string): EventChange {
  if (scope.of === 'event') return changeOfOne(input, scope.match.event, calendarZone);
  if (scope.of === 'series') {
    const master = scope.master.event;
    const times = scope.namedBy === undefined ? master : timesOf(scope.namedBy, calendarZone);
    return changeOfSeries(input, { master, times }, calendarZone);
  }
  if (input.recurrence !== undefined) {
    const problem = 'cannot be changed for one instance: say updateMode following or all';
    refuseMistakes([{ field: 'recurrence', problem }]);
  }
  return changeOfOne(input, timesOf(scope.instance, calendarZone), calendarZone);
}
