/** The delivery log and resends, for the API reference. */
import { Type } from 'typebox';
import { badBodies, badField } from '../http/error.schema.ts';
import { required, text } from '../http/fields.ts';
import { enumeration, type Operation } from '../http/operation.ts';
import { badClients } from '../oauth/oauth.schema.ts';
import { Provider } from '../reading/calendar.schema.ts';
import { DELIVERIES_QUERY, REPLAYED_DELIVERIES, STATES } from './deliveries.ts';
import { WEBHOOKS } from './webhook-error.ts';

const AT = '2026-11-23T09:00:00.000Z';
const ID = 'msg_2a161f33-a287-419f-85f9-fc95dbecccdd';
const group = 'Webhooks';
const time = (description: string) => Type.String({ format: 'date-time', description });

const MEMBERS = {
  id: Type.String({ description: 'The `webhook-id` of every attempt.' }),
  endpointId: Type.String(),
  userId: Type.String(),
  provider: Provider,
  calendarId: Type.Optional(Type.String()),
  sequence: Type.Integer({ description: 'Its number among those of the calendar.' }),
  changeType: enumeration(['created', 'updated', 'deleted', 'mixed']),
  eventCount: Type.Integer(),
  state: enumeration(STATES),
  reason: Type.Optional(Type.String({ description: 'Why it is dead or withheld.' })),
  attempts: Type.Integer(),
  createdAt: time('When it was made.'),
  nextAttemptAt: Type.Optional(time('While it is pending.')),
  settledAt: Type.Optional(time('When it was delivered, given up or withheld.')),
};
const Delivery = Type.Object(MEMBERS, { $id: 'Delivery' });
const DeliveryDetails = Type.Object(
  {
    ...MEMBERS,
    attemptLog: Type.Array(
      Type.Object({
        number: Type.Integer(),
        startedAt: time('When it was sent.'),
        durationMs: Type.Integer(),
        status: Type.Optional(Type.Integer()),
        fault: Type.Optional(Type.String({ description: 'Absent where it succeeded.' })),
        answer: Type.Optional(
          Type.String({ description: 'The first kilobyte of the answer, of a public address alone.' }),
        ),
      }),
    ),
    body: Type.Union([Type.Record(Type.String(), Type.Unknown()), Type.Null()], {
      description: 'As it was sent; null where no grant covers its account any more.',
    }),
  },
  { $id: 'DeliveryDetails' },
);

const EXAMPLE = {
  id: ID,
  endpointId: 'we_proj1234567890',
  userId: 'ada',
  provider: 'google',
  calendarId: 'ada@example.com',
  sequence: 12,
  changeType: 'updated',
  eventCount: 1,
  state: 'delivered',
  attempts: 1,
  createdAt: AT,
  settledAt: AT,
};

const NAMED = { id: required(text({ doc: 'The `webhook-id` of the delivery.', example: ID })) };

export const deliveryOperations: readonly Operation[] = [
  {
    method: 'get',
    path: '/webhooks/deliveries',
    id: 'listDeliveries',
    group,
    summary: 'The log of deliveries, the newest first',
    description: 'Kept for 30 days.',
    callers: ['application'],
    query: DELIVERIES_QUERY,
    answer: {
      description: 'A page of it.',
      schema: Type.Object({
        deliveries: Type.Array(Delivery),
        pageSize: Type.Integer(),
        nextPageToken: Type.Optional(Type.String()),
      }),
      example: { deliveries: [EXAMPLE], pageSize: 50 },
    },
    errors: [badField('from', 'must be a date and time such as 2026-11-23T09:00:00Z'), ...badClients],
  },
  {
    method: 'get',
    path: '/webhooks/deliveries/{id}',
    id: 'getDelivery',
    group,
    summary: 'One delivery with its attempts and its body',
    description: 'Each attempt has what the receiver answered.',
    callers: ['application'],
    pathFields: NAMED,
    answer: {
      description: 'The delivery.',
      schema: DeliveryDetails,
      example: {
        ...EXAMPLE,
        attemptLog: [{ number: 1, startedAt: AT, durationMs: 81, status: 204 }],
        body: { provider: 'google', userId: 'ada', calendarId: 'ada@example.com', events: [] },
      },
    },
    errors: [WEBHOOKS.delivery_not_found, ...badClients],
  },
  {
    method: 'post',
    path: '/webhooks/deliveries/{id}/replay',
    id: 'replayDelivery',
    group,
    summary: 'Resend a delivery: the same body with the same id',
    description: 'As far as it is still granted. Receivers know one that came before by its `webhook-id`.',
    callers: ['application'],
    pathFields: NAMED,
    answer: {
      description: 'It is sent soon, and logged as a further attempt.',
      schema: Type.Object({ success: Type.Literal(true), id: Type.String() }),
      example: { success: true, id: ID },
    },
    errors: [WEBHOOKS.delivery_not_found, ...badClients],
  },
  {
    method: 'post',
    path: '/webhooks/replay',
    id: 'replayDeliveries',
    group,
    summary: 'Resend all deliveries of a period, the oldest first',
    description: 'At most 10,000 in one call: `more` says that there are others.',
    callers: ['application'],
    body: { fields: REPLAYED_DELIVERIES, name: 'ReplayedDeliveries', required: true },
    answer: {
      description: 'They are sent soon.',
      schema: Type.Object({
        success: Type.Literal(true),
        count: Type.Integer(),
        more: Type.Boolean(),
      }),
      example: { success: true, count: 3, more: false },
    },
    errors: [badField('from', 'is missing'), ...badBodies, ...badClients],
  },
];
