/** GET /ready for the API reference. */
import { Type } from 'typebox';

import { refusal } from './error.schema.ts';
import type { Operation } from './operation.ts';

const RETRY = { 'Retry-After': 'Whole seconds.' };

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
    refusals: [
      refusal(503, 'database_unreachable', {
        when: 'The database does not answer.',
        message: 'The database does not answer',
        headers: RETRY,
      }),
      refusal(503, 'database_read_only', {
        when: 'The database is a PostgreSQL standby, or otherwise read-only.',
        message: 'The database takes no writes',
        headers: RETRY,
      }),
      refusal(503, 'migrations_pending', {
        when: 'The database is of another version of the program, and is being brought to this one.',
        message: 'Migrations of the database are not done',
        headers: RETRY,
      }),
      refusal(503, 'stopping', {
        when: 'It was told to stop, and finishes what it has.',
        message: 'This instance is stopping',
        headers: RETRY,
      }),
    ],
  },
];
