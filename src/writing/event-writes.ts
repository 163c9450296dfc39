/** Changes one event or series. */
import type { EventChange } from '../calendars/event-writing.ts';
import { refuseMistakes } from '../http/fields.ts';
import { formatInstanceId } from '../lib/recurrence/event-instant.ts';
import type { Grant } from '../oauth/grant.ts';
import type { Turn } from './calendar-turn.ts';
import { changeOfOne, changeOfSeries } from './event-change.ts';
import type { EventInput } from './event-input.ts';
import { chooseScope, findInstanceTimes, type Scope, scopedTarget } from './event-scope.ts';
import { findCalendar } from './find-calendar.ts';
import { type EventWriteDeps, noEvent, onLatestVersion, writeEvent } from './latest-version.ts';
import { splitSeries } from './run-split.ts';
import type { UpdateRequest } from './write-requests.ts';

/** Changes only the given fields of an event (PUT /event, docs/wire.md 1.9). Returns the body. Throws ApiError. */
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
        const scope = chooseScope(target, { mode, field: 'updateMode', calendarZone });
        if (scope.of === 'following') return splitSeries({ input, scope, target: writeTarget }, turn, deps);
        const change = buildChange(scope, input, calendarZone);
        if (Object.keys(change).length > 0)
          await turn.keep(await turn.writing.update(href, scopedTarget(scope, writeTarget), change));
        return toWireId(scope, calendarZone);
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

/** Returns the written event's id on the wire. */
function toWireId(scope: WholeScope, calendarZone: string): string {
  if (scope.of === 'series') return scope.master.eventId;
  if (scope.of === 'event') return scope.match.eventId;
  const { master, override, originalStart } = scope.instance;
  const seriesId = master?.eventId ?? override?.seriesId ?? '';
  return formatInstanceId(seriesId, originalStart, calendarZone);
}

function buildChange(scope: WholeScope, input: EventInput, calendarZone: string): EventChange {
  if (scope.of === 'event') return changeOfOne(input, scope.match.event, calendarZone);
  if (scope.of === 'series') {
    const master = scope.master.event;
    const times = scope.namedBy === undefined ? master : findInstanceTimes(scope.namedBy, calendarZone);
    return changeOfSeries(input, { master, times }, calendarZone);
  }
  if (input.recurrence !== undefined) {
    const problem = 'cannot be changed for a single occurrence: set updateMode to following or all';
    refuseMistakes([{ field: 'recurrence', problem }]);
  }
  return changeOfOne(input, findInstanceTimes(scope.instance, calendarZone), calendarZone);
}
