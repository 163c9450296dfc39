/** GET /health (docs/wire.md 1.14) and GET /ready, for the API reference. */

import { Type } from 'typebox';
import type { Operation } from './operation.ts';
import { READINESS } from './ready.route.ts';

export const healthOperations: readonly Operation[] = [
  {
    method: 'get',
    path: '/health',
    id: 'getHealth',
    group: 'Server',
    summary: 'Whether requests can be served',
    description: 'It only checks that the process runs. `GET /ready` also checks the database.',
    callers: ['anybody'],
    answer: {
      description: 'The server accepts requests.',
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
    summary: 'Whether this instance should receive requests',
    description:
      'For load balancers. Returns 503 with the reason while the database is unreachable or read-only, migrations run, or the instance is stopping.',
    callers: ['anybody'],
    answer: {
      description: 'The instance is ready: the database accepts writes and is migrated.',
      schema: Type.Object({ status: Type.Literal('ready') }),
      example: { status: 'ready' },
    },
    errors: [
      READINESS.database_unreachable,
      READINESS.database_read_only,
      READINESS.migrations_pending,
      READINESS.stopping,
    ],
  },
];
