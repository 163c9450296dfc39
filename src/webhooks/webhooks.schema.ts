/** Webhook subscriptions, which are not available yet (docs/wire.md 1.12), and the keys of webhooks, for the API reference. */
import { Type } from 'typebox';

import { badTokens, refusal } from '../http/error.schema.ts';
import { type Operation, oneOf } from '../http/operation.ts';

const NAMES = [
  ['/subscribe-webhook', 'subscribeWebhook', 'Subscribe to the changes of a calendar'],
  ['/unsubscribe-webhook', 'unsubscribeWebhook', 'End a subscription'],
  ['/webhooks/subscribe', 'subscribe', 'Another name of `/subscribe-webhook`'],
  ['/webhooks/unsubscribe', 'unsubscribe', 'Another name of `/unsubscribe-webhook`'],
] as const;

const NOT_YET = 'Webhook subscriptions are not available yet';

const PublishedKey = Type.Object(
  {
    id: Type.String(),
    alg: Type.Literal('ed25519'),
    key: Type.String({ description: '`whpk_` and the 32 bytes of the public key in base64.' }),
    status: oneOf(['active', 'previous']),
    activated_at: Type.String({ format: 'date-time' }),
    retires_at: Type.Optional(
      Type.String({
        format: 'date-time',
        description: 'Until when a previous key signs beside the active one.',
      }),
    ),
  },
  { $id: 'WebhookKey' },
);

const publishedKeys: Operation = {
  method: 'get',
  path: '/.well-known/webhook-keys',
  id: 'getWebhookKeys',
  group: 'Webhooks',
  summary: 'The public keys of webhooks',
  description: 'Every webhook is signed with each of them. One at least, the active one first.',
  callers: ['anybody'],
  answer: {
    status: 200,
    description: 'The keys.',
    schema: Type.Object({ keys: Type.Array(PublishedKey) }),
    example: {
      keys: [
        {
          id: 'whk_1a2b3c4d5e6f',
          alg: 'ed25519',
          key: 'whpk_0r0+Z02Sv1SRb1QjsKUnil6t2oqtAyhn5HHfKgbTXFs=',
          status: 'active',
          activated_at: '2026-11-23T09:00:00.000Z',
        },
      ],
    },
  },
  refusals: [],
};

const subscriptions: readonly Operation[] = NAMES.map(([path, id, summary]) => ({
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

export const webhookOperations: readonly Operation[] = [...subscriptions, publishedKeys];
