/** POST, PUT and DELETE /event, and POST /event/rsvp (docs/wire.md 1.8, 1.9, 3.2) for the API reference. */
import { Type } from 'typebox';
import {
  badBodies,
  badField,
  badTokens,
  later,
  refusal,
  smallScope,
  unreadable,
} from '../http/error.schema.ts';
import { text } from '../http/fields.ts';
import type { Operation, RefusalCase } from '../http/operation.ts';
import { Done, EVENT_EXAMPLE } from '../reading/calendar.schema.ts';
import { IDEMPOTENCY_KEY } from './idempotency.ts';
import { EVENT_DELETION, EVENT_UPDATE, NEW_EVENT_REQUEST, RSVP } from './write-requests.ts';
import { EventAnswer } from './writing.schema.ts';

const group = 'Writing events';
const OF_ACCOUNT = { fields: { accounts: [{ provider: 'google', account: 'ada@example.com' }] } };

const ifMatch = {
  'If-Match': text({
    doc: 'The `etag` the change is based on: 412 when the event has another by now.',
    example: '"3389437110000000"',
  }),
};

export const ofAnyWrite: readonly RefusalCase[] = [
  ...badTokens,
  smallScope('Write access denied for current scope'),
  ...unreadable,
  refusal(403, 'reauth_required', {
    when: 'The provider refused the account: the user must connect it again.',
    message: 'The provider refused the account; the user must connect it again',
    ...OF_ACCOUNT,
  }),
  refusal(404, 'calendar_not_found', {
    when: 'The calendar is not the user’s.',
    message: 'The user has no calendar work at google',
  }),
  ...badBodies,
  refusal(422, 'calendar_read_only', {
    when: 'The calendar can only be read.',
    message: 'This calendar can only be read',
  }),
  refusal(422, 'calendar_too_large', {
    when: 'The calendar, or the user, has as much as a quota allows.',
    message: 'The calendar “Work” has as many events as this instance keeps of one calendar (100,000)',
  }),
  refusal(429, 'rate_limited', {
    when: 'The provider wants to be left alone.',
    message: 'The provider limits requests',
    ...later,
  }),
  refusal(502, 'provider_error', {
    when: 'The provider’s answer could not be used.',
    message: 'The provider’s answer is not understood',
    error: 'Bad Gateway',
  }),
  refusal(503, 'provider_unavailable', {
    when: 'The provider cannot be reached.',
    message: 'The provider cannot be reached',
    ...later,
  }),
  refusal(503, 'provider_not_set_up', {
    when: 'The operator must act.',
    message: 'The operator has not set this provider up',
    ...later,
  }),
  refusal(503, 'calendar_set_aside', {
    when: 'Reading the calendar did not come to an end three times; it is tried once a day.',
    message: 'Reading this calendar did not come to an end three times: it is tried once a day',
    ...later,
  }),
  refusal(503, 'calendar_busy', {
    when: 'The calendar was synced or written to for too long.',
    message: 'The calendar is being synced or written to; try again in a few seconds',
    ...later,
  }),
];

const conflict = refusal(409, 'conflict', {
  when: 'Somebody else was first, five times.',
  message: 'The event was changed by somebody else',
  ...later,
});

const limits: readonly RefusalCase[] = [
  refusal(422, 'recurrence_not_supported_by_provider', {
    when: 'The calendar cannot keep such a rule.',
    message: 'This calendar cannot keep this rule',
    details: { recurrence: ['This calendar cannot keep this rule'] },
  }),
  refusal(422, 'field_not_supported_by_provider', {
    when: 'The calendar cannot keep the field.',
    message: 'This calendar cannot keep this value',
    details: { status: ['This calendar cannot keep this value'] },
  }),
  refusal(422, 'conference_not_supported_by_calendar', {
    when: 'The calendar makes no meetings.',
    message: 'This calendar makes no online meetings',
  }),
];

const modeLimits: readonly RefusalCase[] = [
  refusal(422, 'mode_not_supported_by_provider', {
    when: 'The calendar cannot do this to a part of a series.',
    message: 'This calendar cannot change a part of this series',
  }),
  refusal(422, 'organizer_only', {
    when: 'Only the organizer may do this.',
    message: 'Only the organizer may change this event',
  }),
];

const noEvent = refusal(404, 'event_not_found', {
  when: 'There is no such event.',
  message: 'There is no such event',
});

const changed = refusal(412, 'precondition_failed', {
  when: 'The event changed since; `event` is what it is now.',
  message: 'The event was changed since the version that If-Match names; event is what it is now',
  fields: { event: EVENT_EXAMPLE },
  headers: { ETag: 'The version now.' },
});

export const ofKey: readonly RefusalCase[] = [
  refusal(409, 'idempotency_key_in_use', {
    when: 'The first request with this key is still being carried out.',
    message: 'The first request with this Idempotency-Key is still being carried out',
    ...later,
  }),
  refusal(422, 'idempotency_key_reused', {
    when: 'The key was used for another request.',
    message: 'This Idempotency-Key was used for another request: take a new one',
  }),
];

const writeAnswer = {
  description: 'The event as `GET /event` answers it from now on.',
  schema: EventAnswer,
  example: { success: true, ...EVENT_EXAMPLE, event: EVENT_EXAMPLE },
};

/** Of whatever changes or deletes an event that is there. */
const ofEventChange: readonly RefusalCase[] = [
  badField('eventId', 'is missing'),
  ...ofAnyWrite,
  noEvent,
  conflict,
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
    refusals: [badField('title', 'is missing'), ...ofAnyWrite, conflict, ...ofKey, ...limits],
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
    refusals: ofEventChange,
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
    refusals: ofEventChange,
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
    refusals: [
      badField('response', 'is missing'),
      ...ofAnyWrite,
      noEvent,
      conflict,
      ...ofKey,
      ...limits,
      ...modeLimits,
    ],
  },
];
