/** Each change that is audited, and the entry it must leave. */
import type { AuditedChange, Caller } from '../../src/audit/audit-entry.ts';
import { SWITCH_KEYS, SWITCHES, switchField } from '../../src/oauth/switches.ts';
import type { Database } from '../../src/store/drivers/database.ts';
import type { openStores } from '../../src/store/open-stores.ts';
import { messageContext } from '../../src/store/webhooks/webhook-sealing.ts';
import { rotatedSecrets } from '../../src/webhooks/endpoint-secret.ts';
import { grantAll, NOW, newAccount, sealer } from './calendar-rows.ts';

/** Wherever a change has a secret, it has this word. */
export const CANARY = 'canary';
const HOOK = `https://hook.example/in?token=${CANARY}`;
export const ACME = { clientId: 'acme' } as const;
export const LATER = new Date(NOW + 9).toISOString();

export type Stores = ReturnType<typeof openStores> & { readonly db: Database };
type Case = {
  readonly name: string;
  readonly before?: (stores: Stores) => Promise<unknown>;
  readonly change: (stores: Stores, by: Caller) => Promise<unknown>;
  readonly entry: Omit<AuditedChange, 'subject'> & { readonly subject?: string | RegExp };
};

export const newClient = {
  ...{ clientId: 'new', name: 'New', displayName: undefined, createdAt: NOW },
  ...{ redirectUri: 'https://new.example/cb', webhookUrl: HOOK },
};
export const endpoint = {
  ...{ endpointId: 'we_1', clientId: 'acme', url: HOOK, secret: `whsec_${CANARY}`, createdAt: NOW },
  hears: { events: true, calendars: false, connections: false, own: true },
};
export const googleApp = { clientId: 'id.apps.example', clientSecret: CANARY };
export const rotation = { ...ACME, secretHash: `hash of ${CANARY}`, now: NOW, oldExpireAt: NOW + 9 };
const key = (keyId: string, clientId = '') => ({
  clientId,
  keyId,
  publicKey: 'AAAA',
  sealed: CANARY,
  activatedAt: NOW,
});
const signingKey = (kid: string, status: 'active' | 'next') =>
  ({ kid, algorithm: 'HS256', sealed: CANARY, status, createdAt: NOW }) as const;
const addEndpoint = ({ endpoints }: Stores) => endpoints.addEndpoint(endpoint, undefined);
export const link = ({ accounts }: Stores) => accounts.linkAccount(newAccount({ accountId: CANARY }), NOW);
const USER = /^user_[\w-]{16}$/;

export const CASES: readonly Case[] = [
  {
    name: 'creating an application',
    change: ({ clients }, by) => clients.createClient(newClient, `hash of ${CANARY}`, by),
    entry: {
      action: 'client.created',
      clientId: 'new',
      after: {
        ...{ name: 'New', display_name: null, redirect_uris: ['https://new.example/cb'] },
        ...{ webhook_url: 'https://hook.example/in?…', returning_users: 'prove', providers: null },
        ...Object.fromEntries(SWITCH_KEYS.map((key) => [switchField(key), SWITCHES[key].initial])),
      },
    },
  },
  {
    name: 'changing an application, with what changed alone',
    change: ({ clients }, by) =>
      clients.updateClient(
        'acme',
        { name: 'Acme', displayName: 'Acme Ltd', providers: ['google'] },
        { now: NOW, by },
      ),
    entry: {
      ...{ action: 'client.updated', ...ACME },
      before: { display_name: null, providers: null },
      after: { display_name: 'Acme Ltd', providers: ['google'] },
    },
  },
  {
    name: 'changing the switches of an application',
    change: ({ clients }, by) =>
      clients.updateClient(
        'acme',
        { codeFormat: 'opaque', codeLifetime: 600, refreshIdleLifetime: 3600 },
        { now: NOW, by },
      ),
    entry: {
      ...{ action: 'client.updated', ...ACME },
      before: { code_format: 'user-id', refresh_idle_lifetime: 0 },
      after: { code_format: 'opaque', refresh_idle_lifetime: 3600 },
    },
  },
  {
    name: 'changing the redirect URIs of an application',
    change: ({ clients }, by) =>
      clients.updateClient(
        'acme',
        { redirectUris: (uris) => [...uris, 'https://two.example/cb'] },
        { now: NOW, by },
      ),
    entry: {
      ...{ action: 'client.updated', ...ACME },
      before: { redirect_uris: ['https://acme.example/cb'] },
      after: { redirect_uris: ['https://acme.example/cb', 'https://two.example/cb'] },
    },
  },
  {
    name: 'changing the refresh replay window of an application',
    change: ({ clients }, by) => clients.updateClient('acme', { refreshReplayWindow: 60 }, { now: NOW, by }),
    entry: {
      ...{ action: 'client.updated', ...ACME },
      before: { refresh_replay_window: 0 },
      after: { refresh_replay_window: 60 },
    },
  },
  {
    name: 'changing the query of a webhook URL, which may be a secret',
    before: ({ clients }) => clients.updateClient('acme', { webhookUrl: HOOK }, { now: NOW, by: undefined }),
    change: ({ clients }, by) => clients.updateClient('acme', { webhookUrl: `${HOOK}2` }, { now: NOW, by }),
    entry: {
      ...{ action: 'client.updated', ...ACME },
      before: { webhook_url: 'https://hook.example/in?…' },
      after: { webhook_url: 'https://hook.example/in?…' },
    },
  },
  {
    name: 'rotating a secret',
    change: ({ clients }, by) => clients.rotateSecret({ ...rotation, by }),
    entry: { action: 'client.secret_rotated', ...ACME, after: { old_secret_expires_at: LATER } },
  },
  {
    name: 'deleting an application',
    before: ({ clients }) => clients.createClient(newClient, CANARY, undefined),
    change: ({ clients }, by) => clients.deleteClient('new', NOW, by),
    entry: { action: 'client.deleted', clientId: 'new', before: { name: 'New' } },
  },
  {
    name: 'changing a look',
    change: ({ branding }, by) =>
      branding.changeLook('acme', { theme: 'dark', primaryColor: null }, { now: NOW, by }),
    entry: {
      ...{ action: 'branding.updated', ...ACME },
      before: { theme: 'auto' },
      after: { theme: 'dark' },
    },
  },
  {
    name: 'setting the app of a provider',
    change: ({ providerApps }, by) =>
      providerApps.setProviderApp({ ...ACME, kind: 'google' }, googleApp, { now: NOW, by }),
    entry: {
      ...{ action: 'provider_app.set', ...ACME, subject: 'google' },
      after: { client_id: 'id.apps.example' },
    },
  },
  {
    name: 'removing the app of a provider',
    before: ({ providerApps }) =>
      providerApps.setProviderApp({ ...ACME, kind: 'google' }, googleApp, { now: NOW, by: undefined }),
    change: ({ providerApps }, by) => providerApps.removeProviderApp('acme', 'google', by),
    entry: {
      ...{ action: 'provider_app.removed', ...ACME, subject: 'google' },
      before: { client_id: 'id.apps.example' },
    },
  },
  {
    name: 'revoking a user',
    change: ({ families }, by) => families.endGrantsOf('acme', 'ada', { now: NOW, by }),
    entry: { action: 'user.revoked', ...ACME, subject: USER, after: { ended_grants: 0 } },
  },
  {
    name: 'deleting a user',
    before: link,
    change: ({ users }, by) => users.deleteUser('acme', 'ada', { now: NOW, by }),
    entry: { action: 'user.deleted', ...ACME, subject: USER, before: { accounts: 1, grants: 0 } },
  },
  {
    name: 'creating a reconnect link',
    before: link,
    change: ({ accounts }, by) =>
      accounts.auditReconnectLink({ ...ACME, userId: 'ada', provider: 'caldav' }, by),
    entry: {
      ...{ action: 'account.reconnect_link_created', ...ACME, subject: USER },
      after: { provider: 'caldav' },
    },
  },
  {
    name: 'disconnecting an account',
    before: link,
    change: async ({ accounts, db }, by) => {
      await grantAll(db);
      const [account] = await accounts.listAccounts('acme', 'ada');
      await accounts.removeAccount(account?.accountKey ?? '', NOW, by);
    },
    entry: {
      ...{ action: 'account.disconnected', ...ACME, subject: USER },
      before: { provider: 'caldav', accounts: 1 },
    },
  },
  {
    name: "asking for a sync of a user's accounts",
    before: async (stores) => {
      await link(stores);
      await grantAll(stores.db);
    },
    change: ({ accounts }, by) => accounts.requestSync({ ...ACME, userId: 'ada' }, NOW, by),
    entry: { action: 'account.sync_requested', ...ACME, subject: USER, after: { accounts: 1 } },
  },
  {
    name: 'adding an endpoint',
    change: ({ endpoints }, by) => endpoints.addEndpoint(endpoint, by),
    entry: {
      ...{ action: 'endpoint.created', ...ACME, subject: 'we_1' },
      after: { url: 'https://hook.example/in?…', hears: ['events', 'own'] },
    },
  },
  {
    name: 'pausing an endpoint',
    before: addEndpoint,
    change: ({ endpoints }, by) => endpoints.pauseEndpoint('we_1', NOW, by),
    entry: {
      ...{ action: 'endpoint.paused', ...ACME, subject: 'we_1' },
      before: { state: 'active', paused_reason: null },
      after: { state: 'paused', paused_reason: 'operator' },
    },
  },
  {
    name: 'resuming an endpoint',
    before: async (stores) => {
      await addEndpoint(stores);
      await stores.endpoints.pauseEndpoint('we_1', NOW, undefined);
    },
    change: ({ endpoints }, by) => endpoints.resumeEndpoint('we_1', by),
    entry: {
      ...{ action: 'endpoint.resumed', ...ACME, subject: 'we_1' },
      before: { state: 'paused', paused_reason: 'operator' },
      after: { state: 'active', paused_reason: null },
    },
  },
  {
    name: 'moving an endpoint, and letting it hear of something else',
    before: addEndpoint,
    change: ({ endpoints }, by) =>
      endpoints.changeEndpoint(
        'we_1',
        {
          hears: { events: true, calendars: true, connections: false, own: false },
          url: `https://new.example/in?${CANARY}`,
        },
        by,
      ),
    entry: {
      ...{ action: 'endpoint.updated', ...ACME, subject: 'we_1' },
      before: { url: 'https://hook.example/in?…', hears: ['events', 'own'] },
      after: { url: 'https://new.example/in?…', hears: ['events', 'calendars'] },
    },
  },
  {
    name: 'removing an endpoint',
    before: addEndpoint,
    change: ({ endpoints }, by) => endpoints.removeEndpoint('we_1', by),
    entry: {
      ...{ action: 'endpoint.deleted', ...ACME, subject: 'we_1' },
      before: { url: 'https://hook.example/in?…' },
    },
  },
  {
    name: 'giving the endpoint of a webhook URL its first secret',
    before: ({ clients }) => clients.updateClient('acme', { webhookUrl: HOOK }, { now: NOW, by: undefined }),
    change: ({ endpoints }, by) => endpoints.changeSecrets('we_acme', () => [{ secret: CANARY }], by),
    entry: { action: 'endpoint.secret_created', ...ACME, subject: 'we_acme' },
  },
  {
    name: 'rotating the secret of an endpoint',
    before: addEndpoint,
    change: ({ endpoints }, by) =>
      endpoints.changeSecrets(
        'we_1',
        (secrets) => rotatedSecrets(secrets, `${CANARY}2`, { now: NOW, overlapMs: 9 }),
        by,
      ),
    entry: {
      ...{ action: 'endpoint.secret_rotated', ...ACME, subject: 'we_1' },
      after: { old_secret_expires_at: LATER },
    },
  },
  {
    name: 'looking at a delivery',
    before: addMessage,
    change: ({ messages }, by) => messages.findMessage('acme', 'm1', by),
    entry: { action: 'delivery.shown', ...ACME, subject: 'm1' },
  },
  {
    name: 'replaying a delivery',
    before: addMessage,
    change: ({ messages }, by) => messages.askReplay('acme', 'm1', { now: NOW, by }),
    entry: { action: 'delivery.replayed', ...ACME, subject: 'm1', after: { count: 1 } },
  },
  {
    name: 'rotating the keys of webhooks',
    before: ({ webhookKeys }) => webhookKeys.addFirstWebhookKey(key('k1')),
    change: ({ webhookKeys }, by) => webhookKeys.rotateWebhookKeys(key('k2'), NOW + 9, by),
    entry: {
      action: 'webhook_keys.rotated',
      before: { active_key: 'k1' },
      after: { active_key: 'k2', previous_retires_at: LATER },
    },
  },
  {
    name: 'rotating the webhook keys of an application',
    before: ({ webhookKeys }) =>
      webhookKeys.switchWebhookKeys({ ...ACME, keys: 'own', overlapUntil: NOW, by: undefined }),
    change: ({ webhookKeys }, by) => webhookKeys.rotateWebhookKeys(key('k1', 'acme'), NOW + 9, by),
    entry: {
      ...{ action: 'webhook_keys.rotated', ...ACME },
      before: { active_key: null },
      after: { active_key: 'k1', previous_retires_at: LATER },
    },
  },
  {
    name: 'switching the webhook keys of an application',
    change: ({ webhookKeys }, by) =>
      webhookKeys.switchWebhookKeys({ ...ACME, keys: 'own', overlapUntil: NOW + 9, by }),
    entry: {
      ...{ action: 'webhook_keys.switched', ...ACME },
      before: { own_webhook_keys: false, overlap_until: null },
      after: { own_webhook_keys: true, overlap_until: LATER },
    },
  },
  {
    name: 'making the checks',
    change: ({ system }, by) =>
      system.keepChecks({ at: NOW, checks: [{ name: 'clock', status: 'fail', message: CANARY }] }, by),
    entry: { action: 'system.checked', after: { problems: 1, warnings: 0 } },
  },
  {
    name: 'making a backup',
    change: ({ system }, by) => system.noteBackup({ name: 'kalends-1.db', bytes: 7, at: NOW }, by),
    entry: { action: 'backup.made', subject: 'kalends-1.db', after: { bytes: 7 } },
  },
  {
    name: 'changing the master key',
    before: async ({ db, masterKey }) => {
      await db.write(`INSERT INTO setting (name, value) VALUES ('master_key', 'old')`);
      await masterKey.announceKey('new', NOW);
      await masterKey.useKey('new');
    },
    change: ({ masterKey }, by) => masterKey.finishKey('new', NOW, by),
    entry: { action: 'master_key.rotated', before: { key_id: 'old' }, after: { key_id: 'new' } },
  },
  {
    name: 'rotating the keys of tokens',
    before: async ({ signingKeys }) => {
      await signingKeys.addSigningKey(signingKey('k1', 'active'));
      await signingKeys.addSigningKey(signingKey('k2', 'next'));
    },
    change: ({ signingKeys }, by) => signingKeys.rotateSigningKeys(signingKey('k3', 'next'), by),
    entry: {
      ...{ action: 'signing_keys.rotated', subject: 'HS256' },
      before: { active_key: 'k1' },
      after: { active_key: 'k2' },
    },
  },
];

/** A delivery to ada, of an endpoint that is added with it. */
export async function addMessage(stores: Stores): Promise<void> {
  await addEndpoint(stores);
  await link(stores);
  await stores.db.write(
    `INSERT INTO webhook_message (message_id, endpoint_id, client_id, user_id, account_key, calendar_key, provider,
       calendar_id, sequence, change_type, event_count, shows, body, state, attempts, next_at, created_at)
     SELECT 'm1', 'we_1', client_id, user_id, account_key, NULL, provider, 'canary', 1, 'updated', 1, 'events', :body,
            'dead', 1, 0, CAST(:now AS BIGINT) FROM account`,
    { now: NOW, body: sealer.seal('{"canary":1}', messageContext('m1')) },
  );
}
