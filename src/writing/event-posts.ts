/** Creates events and responds to invitations: writes that an Idempotency-Key makes repeatable. */
import type { EventDraft } from '../calendars/event-writing.ts';
import { errorOfFailure } from '../calendars/sync-failure.ts';
import { type Input, oneOf, readBody, refuseMistakes, required, text } from '../http/fields.ts';
import type { Grant } from '../oauth/grant.ts';
import type { Turn } from './calendar-turn.ts';
import { onlyRule } from './event-change.ts';
import { type EventDetailsInput, type EventInput, NEW_EVENT, present, restInput } from './event-input.ts';
import { chooseScope, scopedTarget } from './event-scope.ts';
import { newTimes, type TimeInput } from './event-times.ts';
import { findCalendar } from './find-calendar.ts';
import { deriveCreationKey } from './idempotency.ts';
import type { WriteAnswer } from './idempotency-store.ts';
import { type EventWriteDeps, noEvent, onLatestVersion, writeEvent } from './latest-version.ts';
import { type RuleInput, ruleText } from './series-rules.ts';
import {
  CALENDAR,
  type CalendarName,
  EVENT,
  type Mode,
  type NamedEvent,
  splitName,
} from './write-requests.ts';

export type NewEventInput = Omit<EventInput, 'recurrence'> & {
  readonly start: TimeInput;
  readonly end: TimeInput;
  readonly recurrence: RuleInput | undefined;
  readonly details: EventDetailsInput & { readonly title: string };
};

export const NEW_EVENT_REQUEST = { ...CALENDAR, ...NEW_EVENT };
export const RSVP = {
  ...CALENDAR,
  ...EVENT,
  response: required(oneOf(['accepted', 'declined', 'tentative'], { example: 'accepted' })),
  comment: text({ max: 1_000, doc: 'A comment for the organizer.' }),
  updateMode: oneOf(['this', 'all']),
};

export type NewEventRequest = { readonly calendar: CalendarName; readonly input: NewEventInput };

/** Throws ApiError 400 with all mistakes that do not depend on the calendar, as do the functions below. */
export function newEventRequest(body: unknown): NewEventRequest {
  const { provider, account, calendarId, ...input } = readBody(body, NEW_EVENT_REQUEST);
  return { calendar: { provider, account, calendarId }, input: newEventInput(input) };
}

export type ResponseRequest = NamedEvent &
  Pick<Input<typeof RSVP>, 'response' | 'comment'> & { readonly mode: Mode | undefined };

export function responseRequest(body: unknown): ResponseRequest {
  const { updateMode: mode, ...rest } = readBody(body, RSVP);
  const { calendar, event, input } = splitName(rest);
  return { calendar, event, mode, ...input };
}

function newEventInput(event: Input<typeof NEW_EVENT>): NewEventInput {
  const { title, start, end, recurrence, ...rest } = event;
  const { details, ...input } = restInput(rest);
  return { ...input, start, end, recurrence, details: { title, ...details } };
}

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
    const created = result.changed.find(({ seriesId }) => seriesId === undefined);
    const { render, renderCreated } = deps.eventAnswers;
    const storeAndRender = async () => {
      await turn.keep(result);
      return created && render(created.eventId, chosen);
    };
    // The provider has the event, even if the mirror cannot show it: after an error, the caller would create it twice.
    const stored = await storeAndRender().catch((err: unknown) => {
      const { calendarKey } = turn.calendar;
      deps.log.warn({ event: 'write_not_stored', calendarKey, err }, 'A new event could not be stored');
    });
    return stored ?? (created && renderCreated(created, chosen));
  };
  const event = await writeEvent({ chosen }, create, deps);
  if (event === undefined) throw noEvent();
  return { body: deps.eventAnswers.bodyOf(event), accountKey: chosen.account.accountKey };
}

/** Returns a new event. Throws ApiError 400 with all mistakes that depend on the calendar's zone. */
export function toEventDraft(input: NewEventInput, calendarZone: string): EventDraft {
  const times = newTimes(input, { calendarZone, recurs: input.recurrence !== undefined });
  const rule = ruleText(input, times.value.start, calendarZone);
  refuseMistakes([...times.mistakes, ...rule.mistakes]);
  return { ...draftDetails(input.details), ...times.value, ...onlyRule(rule.value) };
}

/** Returns a new event's fields except times and rules. `null` means absent here. */
export function draftDetails({
  title,
  autoConference,
  ...details
}: EventDetailsInput & { readonly title: string }): Omit<EventDraft, 'start' | 'end' | 'recurrence'> {
  return {
    title,
    ...present({
      description: details.description ?? undefined,
      location: details.location ?? undefined,
      color: details.color ?? undefined,
      conference: autoConference ? undefined : (details.conference ?? undefined),
      custom: details.custom ?? undefined,
    }),
    status: details.status ?? undefined,
    availability: details.availability ?? undefined,
    privacy: details.privacy ?? undefined,
    attendees: details.attendees ?? undefined,
    autoConference: autoConference === true,
  };
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
