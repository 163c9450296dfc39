/** The OpenAPI document of this program, from the operations of all features. */

import { connectionOperations } from '../connect/accounts/connections.schema.ts';
import { userOperations } from '../connect/accounts/users.schema.ts';
import { freeBusyOperations } from '../free-busy/free-busy.schema.ts';
import { healthOperations, readyOperations } from '../http/health.schema.ts';
import { anyObject, type Operation } from '../http/operation.ts';
import { version } from '../lib/version.ts';
import { introspectionOperations } from '../oauth/introspection.schema.ts';
import { oauthOperations } from '../oauth/oauth.schema.ts';
import { parOperations } from '../oauth/par.schema.ts';
import { calendarOperations } from '../reading/calendars.schema.ts';
import { eventOperations } from '../reading/events.schema.ts';
import { deliveryOperations } from '../webhooks/deliveries.schema.ts';
import { listenerOperations } from '../webhooks/listeners.schema.ts';
import { WEBHOOK_MESSAGES } from '../webhooks/message.schema.ts';
import { webhookOperations } from '../webhooks/webhooks.schema.ts';
import { calendarWriteOperations } from '../writing/calendars.schema.ts';
import { eventWriteOperations } from '../writing/events.schema.ts';
import { type OpenApiDocument, openapiDocument } from './openapi-document.ts';

export const referenceOperations: readonly Operation[] = [
  {
    method: 'get',
    path: '/openapi.json',
    id: 'getOpenApiDocument',
    group: 'Server',
    summary: 'Get the API description as an OpenAPI 3.1 document',
    description:
      'The reference under `/docs/api` has the same content. Use the document to generate clients.',
    callers: ['anybody'],
    answer: {
      description: 'The document.',
      schema: anyObject('OpenAPI 3.1.'),
      example: { openapi: '3.1.1' },
    },
    errors: [],
  },
];

export const OPERATIONS: readonly Operation[] = [
  ...oauthOperations,
  ...parOperations,
  ...introspectionOperations,
  ...calendarOperations,
  ...connectionOperations,
  ...calendarWriteOperations,
  ...eventOperations,
  ...eventWriteOperations,
  ...freeBusyOperations,
  ...userOperations,
  ...webhookOperations,
  ...deliveryOperations,
  ...listenerOperations,
  ...healthOperations,
  ...readyOperations,
  ...referenceOperations,
];

/** Returns the document; `publicUrl` is the origin of its server. */
export const currentDocument = (publicUrl: string): OpenApiDocument =>
  openapiDocument({ publicUrl, version: version(), operations: OPERATIONS, webhooks: WEBHOOK_MESSAGES });
