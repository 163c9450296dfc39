/** Listeners, for the API reference. */
import { Type } from 'typebox';

import { badBodies, badField, refusal } from '../http/error.schema.ts';
import { required, text } from '../http/fields.ts';
import type { Operation } from '../http/operation.ts';
import { badClients } from '../oauth/oauth.schema.ts';
import { HEARS, LISTENER_QUERY, MOST_LISTENERS, MOST_SECONDS, NEW_LISTENER } from './listeners.ts';

const ID = 'we_3q2-7wAAAAAAAAAA';
const AT = '2026-11-23T09:03:00.000Z';
const group = 'Webhooks';

const ends = Type.String({ format: 'date-time', description: 'It ends then, unless it asks again.' });
const NAMED = { id: required(text({ doc: 'The listener.', example: ID })) };
const unknown = refusal(404, 'listener_not_found', {
  when: 'The application has no such listener.',
  message: 'There is no such listener: it ended because it did not ask for three minutes',
});

const HandedDelivery = Type.Object(
  {
    headers: Type.Record(Type.String(), Type.String()),
    body: Type.String({ description: 'The bytes that are signed, as UTF-8.' }),
  },
  { $id: 'HandedDelivery' },
);

export const listenerOperations: readonly Operation[] = [
  {
    method: 'post',
    path: '/webhooks/listeners',
    id: 'addListener',
    group,
    summary: 'Begin to listen from where nothing can be called',
    description:
      'What `kalends listen` does. It hears what changes from now on, and takes nothing from other endpoints.',
    callers: ['application'],
    body: { fields: NEW_LISTENER, name: 'NewListener', required: false },
    answer: {
      description: 'It listens.',
      schema: Type.Object({ id: Type.String(), secret: Type.String(), expiresAt: ends }),
      example: { id: ID, secret: 'whsec_C2FVsBQIhrscChlQIMV+b5sSYspob7oD', expiresAt: AT },
    },
    refusals: [
      badField('hears', `must be a list of ${HEARS.join(', ')}`),
      refusal(429, 'too_many_listeners', {
        when: 'The application has as many as it may.',
        message: `The application has ${MOST_LISTENERS} listeners already: end one, or wait until it ends by itself`,
      }),
      ...badBodies,
      ...badClients,
    ],
  },
  {
    method: 'get',
    path: '/webhooks/listeners/{id}/deliveries',
    id: 'takeListenerDeliveries',
    group,
    summary: 'What there is for a listener, signed as it would be sent',
    description: 'Each is handed over once. Those of a calendar stand in their order.',
    callers: ['application'],
    pathFields: NAMED,
    query: LISTENER_QUERY,
    answer: {
      description: 'What there is.',
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
    refusals: [
      badField('wait', `must be a whole number from 0 to ${MOST_SECONDS}`),
      unknown,
      refusal(429, 'too_many_reads', {
        when: 'Too many requests of the listener, or of all, are held already.',
        message:
          'Too many requests wait for changes already: ask without wait: 5 such reads go on at once; try again when one has been answered',
      }),
      ...badClients,
    ],
  },
  {
    method: 'delete',
    path: '/webhooks/listeners/{id}',
    id: 'removeListener',
    group,
    summary: 'End a listener with all that waits for it',
    description: 'What was not handed over is told by nothing else: `GET /events/changes` has it.',
    callers: ['application'],
    pathFields: NAMED,
    answer: {
      description: 'It has ended.',
      schema: Type.Object({ success: Type.Literal(true) }),
      example: { success: true },
    },
    refusals: [unknown, ...badClients],
  },
];
