/** GET /health (docs/wire.md 1.14) and GET /ready, for the API reference. */
import { Type } from 'typebox';
import type { Operation } from './operation.ts';
import { ANY_CALL } from './refusal.ts';

export const healthOperations: readonly Operation[] = [
  {
    method: 'get',
    path: '/health',
    id: 'getHealth',
    group: 'Server',
    summary: 'Whether requests can be served',
    description: 'It asks nothing but whether the process lives; `GET /ready` asks the database as well.',
    callers: ['anybody'],
    answer: {
      description: 'They can.',
      schema: Type.Object({ status: Type.Literal('ok') }),
      example: { status: 'ok' },
    },
    errors: [],
  },
];

export const readyOperations: readonly Operation[] = [
  {
    method: 'get',
    path: '/ready',
    id: 'getReadiness',
    group: 'Server',
    summary: 'Whether this instance is to be sent requests',
    description:
      'For load balancers: 503 with the reason while the database is unreachable or read-only, migrations run, or the instance is about to end.',
    callers: ['anybody'],
    answer: {
      description: 'It is: the database answers and takes writes, and its migrations are done.',
      schema: Type.Object({ status: Type.Literal('ready') }),
      example: { status: 'ready' },
    },
    errors: [
      ANY_CALL.database_unreachable,
      ANY_CALL.database_read_only,
      ANY_CALL.migrations_pending,
      ANY_CALL.stopping,
    ],
  },
];
