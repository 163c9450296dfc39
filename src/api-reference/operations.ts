/** Every operation of the interface, in the order the reference shows them. */
import { connectionOperations } from '../connect/accounts/connections.schema.ts';
import { userOperations } from '../connect/accounts/users.schema.ts';
import { freeBusyOperations } from '../free-busy/free-busy.schema.ts';
import { healthOperations } from '../http/health.schema.ts';
import type { Operation } from '../http/operation.ts';
import { readyOperations } from '../http/ready.schema.ts';
import { oauthOperations } from '../oauth/oauth.schema.ts';
import { parOperations } from '../oauth/par.schema.ts';
import { calendarOperations } from '../reading/calendars.schema.ts';
import { eventOperations } from '../reading/events.schema.ts';
import { deliveryOperations } from '../webhooks/deliveries.schema.ts';
import { listenerOperations } from '../webhooks/listeners.schema.ts';
import { webhookOperations } from '../webhooks/webhooks.schema.ts';
import { calendarWriteOperations } from '../writing/calendars.schema.ts';
import { eventWriteOperations } from '../writing/events.schema.ts';
import { referenceOperations } from './reference.schema.ts';

export const OPERATIONS: readonly Operation[] = [
  ...oauthOperations,
  ...parOperations,
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
