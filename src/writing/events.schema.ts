/** POST, PUT and DELETE /event, and POST /event/rsvp (docs/wire.md 1.8, 1.9, 3.2) for the API reference. */
import { Type } from 'typebox';
import { badBodies, badField, badTokens, smallScope } from '../http/error.schema.ts';
import { text } from '../http/fields.ts';
import type { Operation, OperationError } from '../http/operation.ts';
import { Done, EVENT_EXAMPLE, Event, eventMembers, unreadable } from '../reading/calendar.schema.ts';
import { READING } from '../reading/read-error.ts';
import { WRITING } from './calendar-turn.ts';
import { IDEMPOTENCY_KEY } from './idempotency.ts';
import { EVENT_DELETION, EVENT_UPDATE, NEW_EVENT_REQUEST, RSVP } from './write-requests.ts';

/** The event at the root, and again under `event`: published clients read one or the other. */
export const EventAnswer = Type.Object(
  { success: Type.Literal(true), ...eventMembers, event: Event },
  { $id: 'WrittenEvent', description: 'The event’s members at the root, and the same event under `event`.' },
);

const group = 'Writing events';

const ifMatch = {
  'If-Match': text({
    doc: 'The `etag` the change is based on: 412 when the event has another by now.',
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

const changed = { ...WRITING.precondition_failed, fields: { event: EVENT_EXAMPLE } };

export const ofKey: readonly OperationError[] = [
  WRITING.idempotency_key_in_use,
  WRITING.idempotency_key_reused,
];

const writeAnswer = {
  description: 'The event as `GET /event` answers it from now on.',
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
      'In a calendar that can be written to. It is in every read from then on. If it cannot be shown, as in a calendar that is too large, the answer has its id and its fields without `original`. With an `Idempotency-Key` it may be sent again when no answer came.',
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
    summary: 'Change an event, an instance, this and later ones, or a series',
    description:
      'Nothing is overwritten unseen: without `If-Match` too the write is conditional, and only the named fields change. `following` answers a new series.',
    callers: ['read-write'],
    headers: ifMatch,
    body: {
      fields: EVENT_UPDATE,
      name: 'EventUpdate',
      description: 'An absent field stays as it is.',
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
    summary: 'Delete an event, an instance, this and later ones, or a series',
    description: 'The parameters may stand in a JSON body instead; the query wins.',
    callers: ['read-write'],
    query: EVENT_DELETION,
    headers: ifMatch,
    answer: {
      description: 'It is gone.',
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
    summary: 'Answer an invitation',
    description:
      'Where the provider takes a declined event out of the calendar, the answer is `success` and `message` alone.',
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
