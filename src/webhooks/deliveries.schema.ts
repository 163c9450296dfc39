/** The log of deliveries and their replay, for the API reference. */
import { Type } from 'typebox';

import { badBodies, badField, refusal } from '../http/error.schema.ts';
import { type Operation, oneOf, type Parameter } from '../http/operation.ts';
import { badClients } from '../oauth/oauth.schema.ts';
import { Provider } from '../reading/calendar.schema.ts';

const AT = '2026-11-23T09:00:00.000Z';
const ID = 'msg_2a161f33-a287-419f-85f9-fc95dbecccdd';
const group = 'Webhooks';
const State = oneOf(['pending', 'delivered', 'dead', 'withheld']);
const time = (description: string) => Type.String({ format: 'date-time', description });

const MEMBERS = {
  id: Type.String({ description: 'The `webhook-id` of every attempt.' }),
  endpointId: Type.String(),
  userId: Type.String(),
  provider: Provider,
  calendarId: Type.Optional(Type.String()),
  sequence: Type.Integer({ description: 'Its number among those of the calendar.' }),
  changeType: oneOf(['created', 'updated', 'deleted', 'mixed']),
  eventCount: Type.Integer(),
  state: State,
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

const FILTERS = [
  ['state', 'Of one state.', State, 'dead'],
  ['userId', 'Of one user.', Type.String(), 'ada'],
  ['provider', 'Of one provider.', Provider, 'google'],
  ['calendarId', 'Of one calendar.', Type.String(), 'ada@example.com'],
  ['endpointId', 'To one endpoint.', Type.String(), EXAMPLE.endpointId],
  ['from', 'Made at that time or later.', Type.String({ format: 'date-time' }), AT],
  ['to', 'Made before.', Type.String({ format: 'date-time' }), AT],
] as const;
const parameters: readonly Parameter[] = FILTERS.map(([name, description, schema, example]) => {
  return { in: 'query', name, description, schema, example };
});
const NAMED: Parameter = {
  in: 'path',
  name: 'id',
  description: 'The `webhook-id` of the delivery.',
  schema: Type.String(),
  required: true,
  example: ID,
};
const unknown = refusal(404, 'delivery_not_found', {
  when: 'The application has no such delivery.',
  message: 'The application has no such delivery; they are kept for 30 days',
});

export const deliveryOperations: readonly Operation[] = [
  {
    method: 'get',
    path: '/webhooks/deliveries',
    id: 'listDeliveries',
    group,
    summary: 'The log of deliveries, the newest first',
    description: 'Kept for 30 days.',
    callers: ['application'],
    parameters: [
      ...parameters,
      {
        in: 'query',
        name: 'pageSize',
        description: 'From 1 to 250; 50 by default.',
        schema: Type.Integer({ minimum: 1, maximum: 250 }),
        example: 50,
      },
      {
        in: 'query',
        name: 'nextPageToken',
        description: 'Of the answer before.',
        schema: Type.String(),
        example: 'MTc5NTQyNDQwMDAwMCBtc2dfMmExNjFmMzMtYTI4Ny00MTlmLTg1ZjktZmM5NWRiZWNjY2Rk',
      },
    ],
    answer: {
      status: 200,
      description: 'A page of it.',
      schema: Type.Object({
        deliveries: Type.Array(Delivery),
        pageSize: Type.Integer(),
        nextPageToken: Type.Optional(Type.String()),
      }),
      example: { deliveries: [EXAMPLE], pageSize: 50 },
    },
    refusals: [badField('from', 'must be a date and time such as 2026-11-23T09:00:00Z'), ...badClients],
  },
  {
    method: 'get',
    path: '/webhooks/deliveries/{id}',
    id: 'getDelivery',
    group,
    summary: 'One delivery with its attempts and its body',
    description: 'Each attempt has what the receiver answered.',
    callers: ['application'],
    parameters: [NAMED],
    answer: {
      status: 200,
      description: 'The delivery.',
      schema: DeliveryDetails,
      example: {
        ...EXAMPLE,
        attemptLog: [{ number: 1, startedAt: AT, durationMs: 81, status: 204 }],
        body: { provider: 'google', userId: 'ada', calendarId: 'ada@example.com', events: [] },
      },
    },
    refusals: [unknown, ...badClients],
  },
  {
    method: 'post',
    path: '/webhooks/deliveries/{id}/replay',
    id: 'replayDelivery',
    group,
    summary: 'Send a delivery once more: the same body under the same id',
    description: 'As far as it is still granted. Receivers know one that came before by its `webhook-id`.',
    callers: ['application'],
    parameters: [NAMED],
    answer: {
      status: 200,
      description: 'It is sent soon, and logged as a further attempt.',
      schema: Type.Object({ success: Type.Literal(true), id: Type.String() }),
      example: { success: true, id: ID },
    },
    refusals: [unknown, ...badClients],
  },
  {
    method: 'post',
    path: '/webhooks/replay',
    id: 'replayDeliveries',
    group,
    summary: 'Send all deliveries of a time once more, the oldest first',
    description: 'At most 10,000 in one call: `more` says that there are others.',
    callers: ['application'],
    body: {
      required: true,
      schema: Type.Object(
        {
          from: Type.String({ format: 'date-time' }),
          to: Type.String({ format: 'date-time' }),
          state: Type.Optional(State),
          userId: Type.Optional(Type.String()),
          provider: Type.Optional(Provider),
          calendarId: Type.Optional(Type.String()),
          endpointId: Type.Optional(Type.String()),
        },
        { $id: 'ReplayedDeliveries' },
      ),
      example: { from: '2026-11-22T00:00:00Z', to: '2026-11-23T00:00:00Z', state: 'dead' },
    },
    answer: {
      status: 200,
      description: 'They are sent soon.',
      schema: Type.Object({
        success: Type.Literal(true),
        count: Type.Integer(),
        more: Type.Boolean(),
      }),
      example: { success: true, count: 3, more: false },
    },
    refusals: [badField('from', 'is missing'), ...badBodies, ...badClients],
  },
];
