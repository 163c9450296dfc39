/** Webhook subscriptions, which are not available yet (docs/wire.md 1.12), for the API reference. */
import { badTokens, refusal } from '../http/error.schema.ts';
import type { Operation } from '../http/operation.ts';

const NAMES = [
  ['/subscribe-webhook', 'subscribeWebhook', 'Subscribe to the changes of a calendar'],
  ['/unsubscribe-webhook', 'unsubscribeWebhook', 'End a subscription'],
  ['/webhooks/subscribe', 'subscribe', 'Another name of `/subscribe-webhook`'],
  ['/webhooks/unsubscribe', 'unsubscribe', 'Another name of `/unsubscribe-webhook`'],
] as const;

const NOT_YET = 'Webhook subscriptions are not available yet';

export const webhookOperations: readonly Operation[] = NAMES.map(([path, id, summary]) => ({
  method: 'post',
  path,
  id,
  group: 'Webhooks',
  summary,
  description: 'Not available yet: follow `GET /events/changes` meanwhile.',
  callers: ['free-busy'],
  answer: undefined,
  refusals: [...badTokens, refusal(501, 'not_implemented', { when: 'Always, for now.', message: NOT_YET })],
}));
