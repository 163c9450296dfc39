/** POST, PUT and DELETE /event, and POST /event/rsvp (docs/wire.md 1.8, 1.9, 3.2) for the API reference. */

import { Type } from 'typebox';
import { badBodies, badField, badTokens, smallScope } from '../http/error.schema.ts';
import { text } from '../http/fields.ts';
import type { Operation, OperationError } from '../http/operation.ts';
import { Done, EVENT_EXAMPLE, Event, eventMembers, unreadable } from '../reading/calendar.schema.ts';
import { READING } from '../reading/read-error.ts';
import { WRITING } from './calendar-turn.ts';
import { EVENT_DELETION } from './delete-event.ts';
import { CONDITION } from './event-answer.ts';
import { NEW_EVENT_REQUEST, RSVP } from './event-posts.ts';
import { IDEMPOTENCY, IDEMPOTENCY_KEY } from './idempotency.ts';
import { EVENT_UPDATE } from './write-requests.ts';

/** The event at the root, and again under `event`: published clients read one or the other. */
export const EventAnswer = Type.Object(
  { success: Type.Literal(true), ...eventMembers, event: Event },
  { $id: 'WrittenEvent', description: 'The fields of the event, and the same event again under `event`.' },
);

const group = 'Writing events';

const ifMatch = {
  'If-Match': text({
    doc: 'The `etag` that the change is based on. If the event has another one, the response is 412.',
    example: '"3389437110000000"',
  }),
};

export const ofAnyWrite: readonly OperationError[] = [
  ...badTokens,
  smallScope('Write access denied for current scope'),
  ...unreadable,
  WRITING.reauth_required,
  READING.calendar_not_found,
  ...badBodies,
  WRITING.calendar_read_only,
  WRITING.calendar_too_large,
  WRITING.rate_limited,
  WRITING.provider_error,
  WRITING.provider_unavailable,
  WRITING.provider_not_set_up,
  WRITING.calendar_set_aside,
  WRITING.calendar_busy,
];

const limits: readonly OperationError[] = [
  WRITING.recurrence_not_supported_by_provider,
  WRITING.field_not_supported_by_provider,
  WRITING.conference_not_supported_by_calendar,
];

const modeLimits: readonly OperationError[] = [
  WRITING.mode_not_supported_by_provider,
  WRITING.organizer_only,
];

const changed = { ...CONDITION.precondition_failed, fields: { event: EVENT_EXAMPLE } };

export const ofKey: readonly OperationError[] = [
  IDEMPOTENCY.idempotency_key_in_use,
  IDEMPOTENCY.idempotency_key_reused,
];

const writeAnswer = {
  description: 'The event as `GET /event` now returns it.',
  schema: EventAnswer,
  example: { success: true, ...EVENT_EXAMPLE, event: EVENT_EXAMPLE },
};

const ofEventChange: readonly OperationError[] = [
  badField('eventId', 'is missing'),
  ...ofAnyWrite,
  READING.event_not_found,
  WRITING.conflict,
  changed,
  ...limits,
  ...modeLimits,
];

export const eventWriteOperations: readonly Operation[] = [
  {
    method: 'post',
    path: '/event',
    id: 'createEvent',
    group,
    summary: 'Create an event or a series',
    description:
      'The calendar must be writable. All later reads include the event. If the event cannot be shown, for example because the calendar is too large, the response has its id and fields without `original`. With an `Idempotency-Key` you can safely repeat the request if you receive no response.',
    callers: ['read-write'],
    headers: IDEMPOTENCY_KEY,
    body: { fields: NEW_EVENT_REQUEST, name: 'NewEvent', required: true },
    answer: writeAnswer,
    errors: [badField('title', 'is missing'), ...ofAnyWrite, WRITING.conflict, ...ofKey, ...limits],
  },
  {
    method: 'put',
    path: '/event',
    id: 'updateEvent',
    group,
    summary: 'Change an event, an occurrence, this and all later occurrences, or a series',
    description:
      'Only the fields in the request change. The write is always conditional, also without `If-Match`, so it never overwrites a change that Kalends has not seen. `following` returns a new series. A `recurrence` that equals the one in responses counts as omitted.',
    callers: ['read-write'],
    headers: ifMatch,
    body: {
      fields: EVENT_UPDATE,
      name: 'EventUpdate',
      description: 'Omitted fields do not change.',
      required: true,
    },
    answer: writeAnswer,
    errors: ofEventChange,
  },
  {
    method: 'delete',
    path: '/event',
    id: 'deleteEvent',
    group,
    summary: 'Delete an event, an occurrence, this and all later occurrences, or a series',
    description: 'The parameters can also be sent in a JSON body. The query has precedence.',
    callers: ['read-write'],
    query: EVENT_DELETION,
    headers: ifMatch,
    answer: {
      description: 'The event was deleted.',
      schema: Done,
      example: { success: true, message: 'The event was deleted' },
    },
    errors: ofEventChange,
  },
  {
    method: 'post',
    path: '/event/rsvp',
    id: 'respondToEvent',
    group,
    summary: 'Respond to an invitation',
    description:
      'If the provider removes a declined event from the calendar, the response has only `success` and `message`.',
    callers: ['read-write'],
    headers: IDEMPOTENCY_KEY,
    body: { fields: RSVP, name: 'Rsvp', required: true },
    answer: { ...writeAnswer, schema: Type.Union([EventAnswer, Done]) },
    errors: [
      badField('response', 'is missing'),
      ...ofAnyWrite,
      READING.event_not_found,
      WRITING.conflict,
      ...ofKey,
      ...limits,
      ...modeLimits,
    ],
  },
];
