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
  id: Type.String({ description: 'The `webhook-id` of all its attempts.' }),
  endpointId: Type.String(),
  userId: Type.String(),
  provider: Provider,
  calendarId: Type.Optional(Type.String()),
  sequence: Type.Integer({ description: 'The sequence number of the delivery within its calendar.' }),
  changeType: enumeration(['created', 'updated', 'deleted', 'mixed']),
  eventCount: Type.Integer(),
  state: enumeration(STATES),
  reason: Type.Optional(Type.String({ description: 'Why it is dead or withheld.' })),
  attempts: Type.Integer(),
  createdAt: time('When the delivery was created.'),
  nextAttemptAt: Type.Optional(time('The time of the next attempt. Present while the delivery is pending.')),
  settledAt: Type.Optional(time('When it was delivered, or became dead or withheld.')),
};
const Delivery = Type.Object(MEMBERS, { $id: 'Delivery' });
const DeliveryDetails = Type.Object(
  {
    ...MEMBERS,
    attemptLog: Type.Array(
      Type.Object({
        number: Type.Integer(),
        startedAt: time('When the attempt was sent.'),
        durationMs: Type.Integer(),
        status: Type.Optional(Type.Integer()),
        fault: Type.Optional(Type.String({ description: 'Absent if the attempt succeeded.' })),
        answer: Type.Optional(
          Type.String({ description: 'The first kilobyte of the response. Only for public addresses.' }),
        ),
      }),
    ),
    body: Type.Union([Type.Record(Type.String(), Type.Unknown()), Type.Null()], {
      description: 'The body as it was sent. Null if no grant covers the account any more.',
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
    summary: 'List the deliveries, newest first',
    description: 'Deliveries are kept for 30 days.',
    callers: ['application'],
    query: DELIVERIES_QUERY,
    answer: {
      description: 'One page of deliveries.',
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
    description: 'Each attempt contains the response of the receiver.',
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
    description:
      'The body contains only data that a grant still covers. Receivers can recognize a delivery they have already received by its `webhook-id`.',
    callers: ['application'],
    pathFields: NAMED,
    answer: {
      description: 'The delivery is sent soon and recorded as another attempt.',
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
    summary: 'Resend all deliveries of a period, oldest first',
    description: 'At most 10,000 per request. `more` is true if there are others.',
    callers: ['application'],
    body: { fields: REPLAYED_DELIVERIES, name: 'ReplayedDeliveries', required: true },
    answer: {
      description: 'The deliveries are sent soon.',
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
