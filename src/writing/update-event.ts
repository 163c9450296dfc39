/** PUT /event: what a request names of an event, and nothing else (wire 1.9). */

import type { EventChange } from '../calendars/event-writing.ts';
import { instanceIdOf } from '../lib/recurrence/instance-id.ts';
import type { Grant } from '../oauth/grant.ts';
import { inTurn, type Turn } from './calendar-turn.ts';
import type { Done } from './create-event.ts';
import { renderedEvent, writtenBody } from './event-answer.ts';
import { changeOfOne, changeOfSeries } from './event-draft.ts';
import { type EventInput, eventInput } from './event-input.ts';
import { MODES, type Mode, type Scope, scopeOf, timesOf } from './event-scope.ts';
import { type Fields, fieldsOf } from './fields.ts';
import {
  type CalendarName,
  type ChosenCalendar,
  calendarName,
  findCalendar,
  requiredText,
} from './find-calendar.ts';
import type { EventName } from './find-target.ts';
import { noEvent, onLatestVersion, requireKnown } from './latest-version.ts';
import { finishOpenSplits, splitSeries } from './run-split.ts';
import type { WriteDeps } from './write-deps.ts';
import { refusalOf } from './write-refusal.ts';

type Update = {
  readonly fields: Fields;
  readonly input: EventInput;
  readonly mode: Mode | undefined;
};

/** `ifMatch` is the value of an If-Match header. Throws ApiError. */
export async function updateEvent(
  body: unknown,
  ifMatch: string | undefined,
  grant: Grant,
  deps: WriteDeps,
): Promise<Done> {
  const fields = fieldsOf(body);
  const { calendar: named, event } = eventName(fields);
  const mode = fields.oneOf('updateMode', MODES);
  const input = eventInput(fields, { whole: false });
  fields.done();
  const chosen = await findCalendar(named, grant, deps);
  const { account, calendar } = chosen;
  try {
    await requireKnown(event, chosen, deps);
    const answer = await inTurn(account, calendar.calendarKey, deps, async (turn) => {
      await finishOpenSplits(turn, deps);
      const id = await update({ fields, input, mode }, { ...event, ifMatch }, chosen, turn, deps);
      return renderedEvent(id, chosen, deps);
    });
    if (answer === undefined) throw noEvent();
    return { body: writtenBody(answer), accountKey: account.accountKey };
  } catch (reason) {
    throw refusalOf(reason, account);
  }
}

/** Which event a request is of. Mistakes are noted in `fields`. */
export function eventName(fields: Fields): { calendar: CalendarName; event: EventName } {
  const calendar = calendarName(fields);
  const eventId = requiredText(fields, 'eventId');
  const recurringEventId = fields.text('recurringEventId', 2_000) || undefined;
  return { calendar, event: { eventId, recurringEventId } };
}

/** The id of the event that the answer shows. */
function update(
  { fields, input, mode }: Update,
  asked: EventName & { readonly ifMatch: string | undefined },
  chosen: ChosenCalendar,
  turn: Turn,
  deps: WriteDeps,
): Promise<string> {
  const calendarZone = chosen.calendar.timeZone;
  return onLatestVersion(asked, chosen, turn, deps, async (target, written) => {
    const scope = scopeOf(target, mode, { fields, field: 'updateMode', calendarZone });
    if (scope.of === 'following') return splitSeries({ input, fields, scope, written }, turn, deps);
    const change = changeOf(scope, input, calendarZone, fields);
    if (Object.keys(change).length > 0) {
      const whole =
        scope.of === 'series' ? { href: written.href, etag: written.etag, known: written.known } : written;
      await turn.keep(await turn.writing.update(turn.calendar.href, whole, change));
    }
    return writtenId(scope, calendarZone);
  });
}

/** The id on the wire of what was written. */
function writtenId(scope: Exclude<Scope, { of: 'following' }>, calendarZone: string): string {
  if (scope.of === 'series') return scope.master.eventId;
  if (scope.of === 'event') return scope.own.eventId;
  const { master, override, originalStart } = scope.instance;
  const seriesId = master?.eventId ?? override?.seriesId ?? '';
  return instanceIdOf(seriesId, originalStart, calendarZone);
}

function changeOf(
  scope: Exclude<Scope, { of: 'following' }>,
  input: EventInput,
  calendarZone: string,
  fields: Fields,
): EventChange {
  if (scope.of === 'event') return changeOfOne(input, scope.own.event, calendarZone, fields);
  if (scope.of === 'series') {
    const { master, shown } = scope;
    const times = shown === undefined ? master.event : timesOf(shown, calendarZone);
    return changeOfSeries(input, master.event, times, calendarZone, fields);
  }
  if (input.recurrence !== undefined) {
    fields.mistake('recurrence', 'cannot be changed for one instance: say updateMode following or all');
    fields.done();
  }
  return changeOfOne(input, timesOf(scope.instance, calendarZone), calendarZone, fields);
}
