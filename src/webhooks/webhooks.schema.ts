/** Webhook subscriptions (docs/wire.md 1.12) and keys, for the API reference. */

import { Type } from 'typebox';
import { badBodies, badField, badTokens } from '../http/error.schema.ts';
import { required, text } from '../http/fields.ts';
import { enumeration, type Operation } from '../http/operation.ts';
import { SERVER } from '../http/server-error.ts';
import { Provider } from '../reading/calendar.schema.ts';
import { READING } from '../reading/read-error.ts';
import { ENDED_SUBSCRIPTION, NEW_SUBSCRIPTION } from './subscriptions.ts';
import { WEBHOOKS } from './webhook-error.ts';

const NAMES = [
  ['/subscribe-webhook', 'subscribeWebhook', 'Subscribe to a calendar under your own channel id'],
  ['/webhooks/subscribe', 'subscribe', 'Alias of `/subscribe-webhook`'],
] as const;
const END_NAMES = [
  ['/unsubscribe-webhook', 'unsubscribeWebhook', 'Unsubscribe from a calendar'],
  ['/webhooks/unsubscribe', 'unsubscribe', 'Alias of `/unsubscribe-webhook`'],
] as const;

const CHANNEL = 'work-of-ada';
const EXPIRATION = '2026-12-31T00:00:00.000Z';
const ChannelId = Type.String({ description: 'Unique among the user’s calendars.', maxLength: 256 });

const Subscribed = Type.Object(
  {
    success: Type.Literal(true),
    provider: Provider,
    subscription: Type.Object({
      channelId: ChannelId,
      expiration: Type.Optional(Type.String({ format: 'date-time' })),
    }),
    serverWebhookUrl: Type.String({
      description: 'The URL at Kalends that receives push notifications from the provider.',
    }),
    channelId: ChannelId,
  },
  { $id: 'Subscribed' },
);

const subscriptions: readonly Operation[] = NAMES.map(([path, id, summary]) => ({
  method: 'post',
  path,
  id,
  group: 'Webhooks',
  summary,
  description:
    'If the application has a webhook URL, changes of all calendars are delivered automatically. This request sets the channel id for the deliveries of one calendar, or subscribes again to a calendar that was unsubscribed.',
  callers: ['free-busy'],
  body: { fields: NEW_SUBSCRIPTION, name: 'NewSubscription', required: true },
  answer: {
    description: 'The calendar is subscribed.',
    schema: Subscribed,
    example: {
      success: true,
      provider: 'google',
      subscription: { channelId: CHANNEL, expiration: EXPIRATION },
      serverWebhookUrl: 'https://kalends.example/api/webhook-receiver/google',
      channelId: CHANNEL,
    },
  },
  errors: [
    badField('calendarId', 'is missing'),
    ...badBodies,
    ...badTokens,
    WEBHOOKS.webhook_url_required,
    READING.calendar_permission_required,
    READING.calendar_not_found,
  ],
}));

const ends: readonly Operation[] = END_NAMES.map(([path, id, summary]) => ({
  method: 'post',
  path,
  id,
  group: 'Webhooks',
  summary,
  description:
    'Also succeeds for a channel that does not exist. Pending deliveries of the calendar are not sent.',
  callers: ['free-busy'],
  body: { fields: ENDED_SUBSCRIPTION, name: 'EndedSubscription', required: true },
  answer: {
    description: 'The calendar is not subscribed.',
    schema: Type.Object({ success: Type.Literal(true), message: Type.String() }),
    example: { success: true, message: 'The subscription was ended' },
  },
  errors: [badField('channelId', 'is missing'), ...badBodies, ...badTokens],
}));

const list: Operation = {
  method: 'get',
  path: '/subscriptions',
  id: 'listSubscriptions',
  group: 'Webhooks',
  summary: 'List the calendars whose changes are delivered',
  description:
    'If the application has a webhook URL, all calendars are subscribed automatically, except those that were unsubscribed.',
  callers: ['free-busy'],
  answer: {
    description: 'The subscribed calendars that the grant covers. Empty without a webhook URL.',
    schema: Type.Object({
      subscriptions: Type.Array(
        Type.Object(
          {
            provider: Provider,
            account: Type.String(),
            calendarId: Type.String(),
            channelId: ChannelId,
            expiration: Type.Optional(Type.String({ format: 'date-time' })),
          },
          { $id: 'Subscription' },
        ),
      ),
    }),
    example: {
      subscriptions: [
        {
          provider: 'google',
          account: 'ada@example.com',
          calendarId: 'ada@example.com',
          channelId: CHANNEL,
        },
      ],
    },
  },
  errors: [...badTokens],
};

const PublishedKey = Type.Object(
  {
    id: Type.String(),
    alg: Type.Literal('ed25519'),
    key: Type.String({ description: '`whpk_` and the 32 bytes of the public key in base64.' }),
    status: enumeration(['active', 'previous']),
    activated_at: Type.String({ format: 'date-time' }),
    retires_at: Type.Optional(
      Type.String({
        format: 'date-time',
        description: 'The time until which a previous key also signs.',
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
  description:
    'These keys sign for applications that have no keys of their own. There is at least one; the active one is first.',
  callers: ['anybody'],
  answer: {
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
  errors: [],
};

const applicationKeys: Operation = {
  ...publishedKeys,
  path: '/.well-known/webhook-keys/{id}',
  id: 'getApplicationWebhookKeys',
  summary: 'The public keys of the webhooks of one application',
  description: 'The application’s own keys, or the deployment’s keys if it has none.',
  pathFields: { id: required(text({ doc: 'The client id.', example: 'p' })) },
  errors: [{ ...SERVER.not_found, when: 'Unknown id.', message: 'No application has this id' }],
};

const keyLists = [publishedKeys, applicationKeys];
export const webhookOperations: readonly Operation[] = [...subscriptions, ...ends, list, ...keyLists];
