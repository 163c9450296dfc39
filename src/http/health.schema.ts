/** GET /health (docs/wire.md 1.14) for the API reference. */
import { Type } from 'typebox';

import type { Operation } from './operation.ts';

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
