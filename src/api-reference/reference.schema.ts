/** GET /openapi.json, which describes itself too. */
import { anyObject, type Operation } from '../http/operation.ts';

export const referenceOperations: readonly Operation[] = [
  {
    method: 'get',
    path: '/openapi.json',
    id: 'getOpenApiDocument',
    group: 'Server',
    summary: 'This interface as an OpenAPI 3.1 document',
    description:
      'Made of the same descriptions as the reference under `/docs/api`; clients can be generated from it.',
    callers: ['anybody'],
    answer: {
      description: 'The document.',
      schema: anyObject('OpenAPI 3.1.'),
      example: { openapi: '3.1.1' },
    },
    errors: [],
  },
];
