/** Creates, updates and deletes one event or series, and responds to invitations. */
import type { EventChange } from '../calendars/event-writing.ts';
import { ProviderError } from '../calendars/provider-error.ts';
import { errorOfFailure } from '../calendars/sync-failure.ts';
import { refuseMistakes } from '../http/fields.ts';
import { ApiError } from '../http/refusal.ts';
import { formatInstanceId } from '../lib/recurrence/event-instant.ts';
import type { Grant } from '../oauth/grant.ts';
import type { Turn } from './calendar-turn.ts';
import { changeOfOne, changeOfSeries, toEventDraft } from './event-draft.ts';
import type { EventInput } from './event-input.ts';
import { chooseScope, findInstanceTimes, type Scope, scopedTarget } from './event-scope.ts';
import { findCalendar } from './find-calendar.ts';
import { deriveCreationKey } from './idempotency.ts';
import type { WriteAnswer } from './idempotency-store.ts';
import { type EventWriteDeps, noEvent, onLatestVersion, writeEvent } from './latest-version.ts';
import { splitSeries } from './run-split.ts';
import { endSeriesBefore } from './split-steps.ts';
import type { DeletionRequest, NewEventRequest, ResponseRequest, UpdateRequest } from './write-requests.ts';

/** Creates an event or series (docs/wire.md 1.8). `seed` is equal only for repetitions. Throws ApiError. */
export async function createEvent(
  { calendar, input }: NewEventRequest,
  { grant, seed }: { readonly grant: Grant; readonly seed: string },
  deps: EventWriteDeps,
): Promise<WriteAnswer> {
  const chosen = await findCalendar(calendar, grant, deps);
  const { href, timeZone } = chosen.calendar;
  const draft = toEventDraft(input, timeZone);
  const create = async (turn: Turn) => {
    const { failure } = turn.calendar;
    // A deletion frees space. A new event would not be shown.
    if (failure?.kind === 'too_large') throw errorOfFailure(failure, deps.now());
    const result = await turn.writing.create(href, draft, deriveCreationKey(seed));
    // The provider has the event, even if the mirror cannot show it: after an error, the caller would create it twice.
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

/** Responds to an invitation as the account's user (POST /event/rsvp). Returns the event. Throws ApiError. */
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
        const scope = chooseScope(target, { mode, field: 'updateMode', calendarZone });
        const scoped = scopedTarget(scope, writeTarget);
        await turn.keep(await turn.writing.respond(href, scoped, { response, comment }));
      },
      deps,
    );
    return deps.eventAnswers.render(event.eventId, chosen);
  };
  const rendered = await writeEvent({ chosen, event }, respond, deps);
  // Some providers remove a declined event from the calendar.
  const message = 'The response was sent; the event is no longer in the calendar';
  const body =
    rendered === undefined ? JSON.stringify({ success: true, message }) : deps.eventAnswers.bodyOf(rendered);
  return { body, accountKey: chosen.account.accountKey };
}
