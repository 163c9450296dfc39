/** The operations on the keys that sign tokens and deliveries. */
import { flag, required } from '../../http/fields.ts';
import { ApiError } from '../../http/refusal.ts';
import { rotateSigningKeys } from '../../oauth/signing-keys.ts';
import { PeopleRefusal } from '../../people/people-refusal.ts';
import { rotateWebhookKeys } from '../../webhooks/webhook-signer.ts';
import { readApplication } from '../applications.ts';
import { toTime } from '../documents/field.ts';
import { ENDPOINTS } from './administration-error.ts';
import { CLIENT, operation, overlapField, overlapMsOf } from './operation.ts';

const GROUP = 'Signing keys';
const OF_APPLICATION = '/applications/{client_id}/webhook-keys';
const WEEK_HOURS = 7 * 24;

export const setWebhookKeys = operation({
  ...{ id: 'setWebhookKeys', method: 'patch', path: OF_APPLICATION, group: GROUP },
  summary: 'Sign the deliveries of an application with its own keys, or with those of the deployment',
  description:
    'Instances use the other keys within 30 seconds. If the application uses these keys already, the request can only end an overlap earlier.',
  permission: 'application.signing_keys',
  pathFields: CLIENT,
  fields: {
    own_webhook_keys: required(
      flag({ doc: '`true`: its own keys. `false`: the keys of the deployment.', example: true }),
    ),
    ...overlapField('key', WEEK_HOURS),
  },
  ...{ command: 'webhook own-keys', result: ['client_id', 'own_webhook_keys', 'overlap_until'] },
  async run(
    { client_id: clientId, own_webhook_keys: isOwn, overlap_hours: hours = WEEK_HOURS },
    { webhookKeys, now, by },
  ) {
    const change = { keys: isOwn ? 'own' : 'instance', overlapUntil: now() + overlapMsOf(hours) } as const;
    const use = await webhookKeys.switchWebhookKeys({ clientId, ...change, by });
    if (use === undefined) throw new PeopleRefusal('not_there');
    const until = use.overlapUntil > now() ? use.overlapUntil : undefined;
    return { client_id: clientId, own_webhook_keys: isOwn, overlap_until: toTime(until) };
  },
  toDocument: (result) => result,
});

/** A new key; `clientId` is absent for one of the deployment. */
type Rotated = { readonly keyId: string; readonly retiresAt: number; readonly clientId?: string };

const ROTATION = {
  method: 'post',
  group: GROUP,
  description: 'Instances use it within 30 seconds. Receivers cache fetched keys for a day at most.',
  fields: overlapField('key', WEEK_HOURS),
  command: 'webhook rotate-keys',
  result: ['id', 'client_id', 'previous_retires_at'],
  toDocument: ({ keyId, retiresAt, clientId }: Rotated) => ({
    ...{ id: keyId, client_id: clientId ?? null, previous_retires_at: toTime(retiresAt) },
  }),
} as const;

export const rotateApplicationWebhookKeys = operation({
  ...{ id: 'rotateApplicationWebhookKeys', path: `${OF_APPLICATION}/rotate`, ...ROTATION },
  summary: 'Sign the deliveries of an application that has its own keys with a new one',
  ...{ permission: 'application.signing_keys', errors: [ENDPOINTS.instance_keys], pathFields: CLIENT },
  async run({ client_id: clientId, overlap_hours: hours = WEEK_HOURS }, deps): Promise<Rotated> {
    await readApplication(deps.actor, clientId, deps);
    const rotated = await rotateWebhookKeys(overlapMsOf(hours), deps, clientId);
    if (rotated === undefined) throw new ApiError(ENDPOINTS.instance_keys);
    return { ...rotated, clientId };
  },
});

export const rotateInstanceWebhookKeys = operation({
  ...{ id: 'rotateWebhookKeys', path: '/webhook-keys/rotate', ...ROTATION },
  summary: 'Sign the deliveries of all applications without own keys with a new key',
  ...{ permission: 'system.change', pathFields: {} },
  async run({ overlap_hours: hours = WEEK_HOURS }, deps): Promise<Rotated> {
    // Only an application can lack keys.
    return (await rotateWebhookKeys(overlapMsOf(hours), deps)) as Rotated;
  },
});

export const rotateTokenKeys = operation({
  ...{ id: 'rotateSigningKeys', method: 'post', path: '/signing-keys/rotate', group: GROUP },
  summary: 'Sign tokens with a new key',
  description: 'Instances use it within 30 seconds. Existing tokens stay valid.',
  permission: 'system.change',
  ...{ pathFields: {}, fields: {}, command: 'keys rotate', result: ['kid', 'algorithm'] },
  async run(_, { signingKeyStore: keys, program: { tokenAlgorithm: algorithm }, ...deps }) {
    return { kid: await rotateSigningKeys(algorithm, { ...deps, keys }), algorithm };
  },
  toDocument: (result) => result,
});

export const SIGNING_KEY_OPERATIONS = [
  ...[setWebhookKeys, rotateApplicationWebhookKeys, rotateInstanceWebhookKeys, rotateTokenKeys],
];
