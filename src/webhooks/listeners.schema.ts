/** Listeners, for the API reference. */
import { Type } from 'typebox';
import { badBodies, badField } from '../http/error.schema.ts';
import { required, text } from '../http/fields.ts';
import type { Operation } from '../http/operation.ts';
import { badClients } from '../oauth/oauth.schema.ts';
import { QUERY } from '../reading/events-query.ts';
import { HEARS, LISTENER_QUERY, MOST_SECONDS, NEW_LISTENER } from './listeners.ts';
import { WEBHOOKS } from './webhook-error.ts';

const ID = 'we_3q2-7wAAAAAAAAAA';
const AT = '2026-11-23T09:03:00.000Z';
const group = 'Webhooks';

const ends = Type.String({
  format: 'date-time',
  description: 'The listener ends at this time unless it sends another request.',
});
const NAMED = { id: required(text({ doc: 'The listener.', example: ID })) };

const HandedDelivery = Type.Object(
  {
    headers: Type.Record(Type.String(), Type.String()),
    body: Type.String({ description: 'The signed body, as UTF-8.' }),
  },
  { $id: 'HandedDelivery' },
);

export const listenerOperations: readonly Operation[] = [
  {
    method: 'post',
    path: '/webhooks/listeners',
    id: 'addListener',
    group,
    summary: 'Create a listener for a machine that cannot receive requests',
    description:
      '`kalends listen` uses this. The listener receives changes from now on. Other endpoints still receive all their deliveries.',
    callers: ['application'],
    body: { fields: NEW_LISTENER, name: 'NewListener', required: false },
    answer: {
      description: 'The listener was created.',
      schema: Type.Object({ id: Type.String(), secret: Type.String(), expiresAt: ends }),
      example: { id: ID, secret: 'whsec_C2FVsBQIhrscChlQIMV+b5sSYspob7oD', expiresAt: AT },
    },
    errors: [
      badField('hears', `must be a list of ${HEARS.join(', ')}`),
      WEBHOOKS.too_many_listeners,
      ...badBodies,
      ...badClients,
    ],
  },
  {
    method: 'get',
    path: '/webhooks/listeners/{id}/deliveries',
    id: 'takeListenerDeliveries',
    group,
    summary: 'Read the deliveries of a listener, signed as they would be sent',
    description:
      'Each delivery is returned at most once: if the connection breaks during a response, the deliveries in it are not returned again. Deliveries of a calendar are in order.',
    callers: ['application'],
    pathFields: NAMED,
    query: LISTENER_QUERY,
    answer: {
      description: 'The pending deliveries.',
      schema: Type.Object({ deliveries: Type.Array(HandedDelivery), expiresAt: ends }),
      example: {
        deliveries: [
          {
            headers: {
              'content-type': 'application/json',
              'webhook-id': 'msg_2a161f33-a287-419f-85f9-fc95dbecccdd',
              'webhook-timestamp': '1795424400',
              'webhook-signature': 'v1a,QUJD v1,REVG',
            },
            body: '{"provider":"google","events":[]}',
          },
        ],
        expiresAt: AT,
      },
    },
    errors: [
      badField('wait', `must be a whole number from 0 to ${MOST_SECONDS}`),
      WEBHOOKS.listener_not_found,
      {
        ...QUERY.too_many_reads,
        message:
          'Too many requests of this user are waiting for changes already: send requests without wait: at most 5 such reads run at once; try again after one of them has ended',
      },
      ...badClients,
    ],
  },
  {
    method: 'delete',
    path: '/webhooks/listeners/{id}',
    id: 'removeListener',
    group,
    summary: 'End a listener and discard its pending deliveries',
    description:
      'Pending deliveries of the listener are not sent to other endpoints. Read the changes with `GET /events/changes`.',
    callers: ['application'],
    pathFields: NAMED,
    answer: {
      description: 'The listener has ended.',
      schema: Type.Object({ success: Type.Literal(true) }),
      example: { success: true },
    },
    errors: [WEBHOOKS.listener_not_found, ...badClients],
  },
];
