/** What every audited change must leave in the log. Each database's test calls this with its own `open`. */
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';

import type { AuditEntry, AuditedChange, Caller } from '../../src/audit/audit-entry.ts';
import type { Database } from '../../src/store/drivers/database.ts';
import { openStores } from '../../src/store/open-stores.ts';
import { rotatedSecrets } from '../../src/webhooks/endpoint-secret.ts';
import { grantAll, makeUsers, NOW, newAccount, sealer, tenTimes } from './calendar-rows.ts';
import { rowsIn } from './grant-rows.ts';

const ADA: Caller = {
  actor: { kind: 'person', id: 'p1', name: 'Ada' },
  address: '203.0.113.7',
  now: () => NOW + 5,
};
/** Wherever a change has a secret, it has this word. */
const CANARY = 'canary';
const HOOK = `https://hook.example/in?token=${CANARY}`;
const ACME = { clientId: 'acme' } as const;
const LATER = new Date(NOW + 9).toISOString();

type Stores = ReturnType<typeof openStores> & { readonly db: Database };
type Case = {
  readonly name: string;
  readonly before?: (stores: Stores) => Promise<unknown>;
  readonly change: (stores: Stores) => Promise<unknown>;
  readonly entry: Omit<AuditedChange, 'subject'> & { readonly subject?: string | RegExp };
};

const newClient = {
  ...{ clientId: 'new', name: 'New', displayName: undefined, createdAt: NOW },
  ...{ redirectUri: 'https://new.example/cb', webhookUrl: HOOK },
};
const endpoint = {
  ...{ endpointId: 'we_1', clientId: 'acme', url: HOOK, secret: `whsec_${CANARY}`, createdAt: NOW },
  hears: { events: true, calendars: false, connections: false, own: true },
};
const googleApp = { clientId: 'id.apps.example', clientSecret: CANARY };
const rotation = { ...ACME, secretHash: `hash of ${CANARY}`, now: NOW, oldExpireAt: NOW + 9 };
const key = (keyId: string) => ({ keyId, publicKey: 'AAAA', sealed: CANARY, activatedAt: NOW });
const signingKey = (kid: string, status: 'active' | 'next') =>
  ({ kid, algorithm: 'HS256', sealed: CANARY, status, createdAt: NOW }) as const;
const addEndpoint = ({ endpoints }: Stores) => endpoints.addEndpoint(endpoint);
const link = ({ accounts }: Stores) => accounts.linkAccount(newAccount({ accountId: CANARY }), NOW);
const USER = /^user_[\w-]{16}$/;

const CASES: readonly Case[] = [
  {
    name: 'creating an application',
    change: ({ clients }) => clients.createClient(newClient, `hash of ${CANARY}`),
    entry: {
      action: 'client.created',
      clientId: 'new',
      after: {
        ...{ name: 'New', display_name: null, redirect_uri: 'https://new.example/cb' },
        ...{ webhook_url: 'https://hook.example/in?…', pushed_requests: 'accepted' },
        ...{ returning_users: 'prove', providers: null },
      },
    },
  },
  {
    name: 'changing an application, with what changed alone',
    change: ({ clients }) =>
      clients.updateClient('acme', { name: 'Acme', displayName: 'Acme Ltd', providers: ['google'] }, NOW),
    entry: {
      ...{ action: 'client.updated', ...ACME },
      before: { display_name: null, providers: null },
      after: { display_name: 'Acme Ltd', providers: ['google'] },
    },
  },
  {
    name: 'changing the query of a webhook URL, which may be a secret',
    before: ({ clients }) => clients.updateClient('acme', { webhookUrl: HOOK }, NOW),
    change: ({ clients }) => clients.updateClient('acme', { webhookUrl: `${HOOK}2` }, NOW),
    entry: {
      ...{ action: 'client.updated', ...ACME },
      before: { webhook_url: 'https://hook.example/in?…' },
      after: { webhook_url: 'https://hook.example/in?…' },
    },
  },
  {
    name: 'rotating a secret',
    change: ({ clients }) => clients.rotateSecret(rotation),
    entry: { action: 'client.secret_rotated', ...ACME, after: { old_secret_expires_at: LATER } },
  },
  {
    name: 'deleting an application',
    before: ({ clients }) => clients.createClient(newClient, CANARY),
    change: ({ clients }) => clients.deleteClient('new', NOW),
    entry: { action: 'client.deleted', clientId: 'new', before: { name: 'New' } },
  },
  {
    name: 'changing a look',
    change: ({ branding }) => branding.changeLook('acme', { theme: 'dark', primaryColor: null }, NOW),
    entry: {
      ...{ action: 'branding.updated', ...ACME },
      before: { theme: 'auto' },
      after: { theme: 'dark' },
    },
  },
  {
    name: 'setting the app of a provider',
    change: ({ providerApps }) => providerApps.setProviderApp({ ...ACME, kind: 'google' }, googleApp, NOW),
    entry: {
      ...{ action: 'provider_app.set', ...ACME, subject: 'google' },
      after: { client_id: 'id.apps.example' },
    },
  },
  {
    name: 'removing the app of a provider',
    before: ({ providerApps }) => providerApps.setProviderApp({ ...ACME, kind: 'google' }, googleApp, NOW),
    change: ({ providerApps }) => providerApps.removeProviderApp('acme', 'google'),
    entry: {
      ...{ action: 'provider_app.removed', ...ACME, subject: 'google' },
      before: { client_id: 'id.apps.example' },
    },
  },
  {
    name: 'revoking a user',
    change: ({ families }) => families.endGrantsOf('acme', 'ada', NOW),
    entry: { action: 'user.revoked', ...ACME, subject: USER, after: { ended_grants: 0 } },
  },
  {
    name: 'deleting a user',
    before: link,
    change: ({ users }) => users.deleteUser('acme', 'ada', NOW),
    entry: { action: 'user.deleted', ...ACME, subject: USER, before: { accounts: 1, grants: 0 } },
  },
  {
    name: 'disconnecting an account',
    before: link,
    change: async ({ accounts, db }) => {
      await grantAll(db);
      const [account] = await accounts.listAccounts('acme', 'ada');
      await accounts.removeAccount(account?.accountKey ?? '', NOW);
    },
    entry: {
      ...{ action: 'account.disconnected', ...ACME, subject: USER },
      before: { provider: 'caldav', accounts: 1 },
    },
  },
  {
    name: 'adding an endpoint',
    change: addEndpoint,
    entry: {
      ...{ action: 'endpoint.created', ...ACME, subject: 'we_1' },
      after: { url: 'https://hook.example/in?…', hears: ['events', 'own'] },
    },
  },
  {
    name: 'pausing an endpoint',
    before: addEndpoint,
    change: ({ endpoints }) => endpoints.pauseEndpoint('we_1', NOW),
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
      await stores.endpoints.pauseEndpoint('we_1', NOW);
    },
    change: ({ endpoints }) => endpoints.resumeEndpoint('we_1'),
    entry: {
      ...{ action: 'endpoint.resumed', ...ACME, subject: 'we_1' },
      before: { state: 'paused', paused_reason: 'operator' },
      after: { state: 'active', paused_reason: null },
    },
  },
  {
    name: 'removing an endpoint',
    before: addEndpoint,
    change: ({ endpoints }) => endpoints.removeEndpoint('we_1'),
    entry: {
      ...{ action: 'endpoint.deleted', ...ACME, subject: 'we_1' },
      before: { url: 'https://hook.example/in?…' },
    },
  },
  {
    name: 'giving the endpoint of a webhook URL its first secret',
    before: ({ clients }) => clients.updateClient('acme', { webhookUrl: HOOK }, NOW),
    change: ({ endpoints }) => endpoints.changeSecrets('we_acme', () => [{ secret: CANARY }]),
    entry: { action: 'endpoint.secret_created', ...ACME, subject: 'we_acme' },
  },
  {
    name: 'rotating the secret of an endpoint',
    before: addEndpoint,
    change: ({ endpoints }) =>
      endpoints.changeSecrets('we_1', (secrets) =>
        rotatedSecrets(secrets, `${CANARY}2`, { now: NOW, overlapMs: 9 }),
      ),
    entry: {
      ...{ action: 'endpoint.secret_rotated', ...ACME, subject: 'we_1' },
      after: { old_secret_expires_at: LATER },
    },
  },
  {
    name: 'replaying a delivery',
    before: addMessage,
    change: ({ messages }) => messages.askReplay('acme', 'm1', NOW),
    entry: { action: 'delivery.replayed', ...ACME, subject: 'm1', after: { count: 1 } },
  },
  {
    name: 'rotating the keys of webhooks',
    before: ({ webhookKeys }) => webhookKeys.addFirstWebhookKey(key('k1')),
    change: ({ webhookKeys }) => webhookKeys.rotateWebhookKeys(key('k2'), NOW + 9),
    entry: {
      action: 'webhook_keys.rotated',
      before: { active_key: 'k1' },
      after: { active_key: 'k2', previous_retires_at: LATER },
    },
  },
  {
    name: 'rotating the keys of tokens',
    before: async ({ signingKeys }) => {
      await signingKeys.addSigningKey(signingKey('k1', 'active'));
      await signingKeys.addSigningKey(signingKey('k2', 'next'));
    },
    change: ({ signingKeys }) => signingKeys.rotateSigningKeys(signingKey('k3', 'next')),
    entry: {
      ...{ action: 'signing_keys.rotated', subject: 'HS256' },
      before: { active_key: 'k1' },
      after: { active_key: 'k2' },
    },
  },
];

export function auditedChangesContract(database: string, open: () => Promise<Database>): void {
  const prepare = async () => {
    const db = await open();
    await makeUsers(db);
    const stores = { db, ...openStores(db, { sealer }) };
    const entries = () => stores.audit.listEntries({}, { limit: 200 });
    return { db, plain: stores, audited: { ...stores, ...stores.auditedFor(ADA) }, entries };
  };

  describe(`AuditedChanges on ${database}`, () => {
    for (const { name, before, change, entry } of CASES) {
      it(`${name} leaves one entry of who asked for it, without a secret`, async () => {
        const { db, plain, audited, entries } = await prepare();
        await before?.(plain);
        assert.deepEqual(await entries(), [], 'what is not done for a caller is not audited');

        await change(audited);

        const [found, ...others] = await entries();
        const { subject, ...facts } = entry;
        assert.deepEqual(others, []);
        const expected = { before: undefined, after: undefined, ...facts };
        // What a user had is counted by kind; the table names some.
        if (facts.action === 'user.deleted') assert.partialDeepStrictEqual(found, facts);
        else assert.deepEqual(found && factsOf(found), expected);
        if (subject instanceof RegExp) assert.match(found?.subject ?? '', subject);
        else assert.equal(found?.subject, subject);
        assert.deepEqual([found?.actor, found?.address, found?.at], [ADA.actor, ADA.address, NOW + 5]);
        assert.doesNotMatch(JSON.stringify(await db.all('SELECT * FROM audit_entry')), /canary/);
      });
    }

    it('a change of nothing, and of what is not there, leaves no entry', async () => {
      const { audited, entries } = await prepare();
      const { clients, branding, providerApps, endpoints, messages, users, accounts } = audited;

      await clients.updateClient('acme', { name: 'Acme', webhookUrl: null }, NOW);
      await branding.changeLook('acme', { theme: 'auto' }, NOW);
      await clients.updateClient('nobody', { name: 'Nobody' }, NOW);
      await clients.rotateSecret({ ...rotation, clientId: 'nobody' });
      await clients.deleteClient('nobody', NOW);
      await branding.changeLook('nobody', { theme: 'dark' }, NOW);
      await providerApps.setProviderApp({ clientId: 'nobody', kind: 'google' }, googleApp, NOW);
      await providerApps.removeProviderApp('acme', 'google');
      await endpoints.pauseEndpoint('nothing', NOW);
      await endpoints.resumeEndpoint('nothing');
      await endpoints.removeEndpoint('nothing');
      await endpoints.changeSecrets('nothing', () => [{ secret: CANARY }]);
      await messages.askReplay('acme', 'nothing', NOW);
      await messages.askReplays({ clientId: 'acme', userId: 'nobody' }, NOW, 10);
      await users.deleteUser('acme', 'nobody', NOW);
      await accounts.removeAccount('nothing', NOW);

      assert.deepEqual(await entries(), []);
    });

    it('a change that fails leaves no entry', async () => {
      const { audited, entries } = await prepare();
      await audited.clients.createClient(newClient, 'hash');

      await assert.rejects(audited.clients.createClient(newClient, 'hash'));
      await assert.rejects(audited.endpoints.addEndpoint({ ...endpoint, clientId: 'nobody' }));

      assert.equal((await entries()).length, 1);
    });

    it('each of ten changes at once leaves an entry, which begins where the one before it ended', async () => {
      const { audited, entries } = await prepare();

      await tenTimes((i) => audited.clients.updateClient('acme', { displayName: `Name ${i}` }, NOW));

      const [newest, ...older] = await entries();
      assert.equal(older.length, 9);
      [...older.entries()].reduce((later, [, earlier]) => {
        assert.equal(later?.before?.display_name, earlier.after?.display_name);
        return earlier;
      }, newest);
    });

    it('of ten deletions at once one leaves an entry, however much the user has', async () => {
      for (const events of [0, 10_000]) {
        const { db, plain, audited, entries } = await prepare();
        await link(plain);
        await grantAll(db);
        await db.write(
          `INSERT INTO calendar (calendar_key, account_key, href, position, title, time_zone, access, original, event_count)
           SELECT 'c', account_key, '/c/', 0, 'C', 'UTC', 'read', '{}', CAST(:events AS BIGINT) FROM account`,
          { events },
        );

        await tenTimes(() => audited.users.deleteUser('acme', 'ada', NOW));

        assert.deepEqual(
          (await entries()).map(({ action, before }) => [action, before?.accounts, before?.grants]),
          [['user.deleted', 1, 1]],
        );
        assert.equal(await rowsIn(db, 'application_user'), 1);
      }
    });

    it('of ten deletions of an application at once one leaves an entry, and it stays', async () => {
      const { plain, audited, entries } = await prepare();
      await plain.clients.createClient(newClient, 'hash');
      await audited.clients.updateClient('new', { name: 'Newer' }, NOW);

      await tenTimes(() => audited.clients.deleteClient('new', NOW));

      assert.deepEqual(
        (await entries()).map(({ action, clientId }) => [action, clientId]),
        [
          ['client.deleted', 'new'],
          ['client.updated', 'new'],
        ],
      );
    });

    it('a user has one name in the log, of no meaning to anybody once the user is deleted', async () => {
      const { db, audited, entries } = await prepare();
      await audited.families.endGrantsOf('acme', 'ada', NOW);
      await audited.families.endGrantsOf('acme', 'ben', NOW);
      const named = await audited.audit.subjectOfUser('acme', 'ada');
      await audited.users.deleteUser('acme', 'ada', NOW);

      const [deleted, ben, ada] = (await entries()).map(({ subject }) => subject);
      assert.deepEqual([deleted, ada], [named, named]);
      assert.notEqual(ben, ada);
      assert.equal(await audited.audit.subjectOfUser('acme', 'ada'), undefined);
      assert.doesNotMatch(JSON.stringify(await db.all('SELECT * FROM audit_entry')), /ada|ben/);
      // The same id again is somebody else to the log.
      await audited.users.loadOrCreateUser('acme', 'ada', NOW);
      await audited.families.endGrantsOf('acme', 'ada', NOW);
      assert.notEqual((await entries())[0]?.subject, named);
    });

    it('a replay of many says which, without the id of a calendar or of the user', async () => {
      const { plain, audited, entries } = await prepare();
      await addMessage(plain);
      const filter = { ...ACME, userId: 'ada', calendarId: CANARY, from: NOW, to: NOW + 9 };

      await audited.messages.askReplays(filter, NOW, 10);

      const [entry] = await entries();
      const user = await plain.audit.subjectOfUser('acme', 'ada');
      assert.deepEqual(entry?.after, { count: 1, user, from: new Date(NOW).toISOString(), to: LATER });
    });
  });
}

function factsOf({ number: _, at: __, actor: ___, address: ____, subject: _____, ...facts }: AuditEntry) {
  return Object.fromEntries(
    Object.entries(facts).filter(([name, value]) => name !== 'clientId' || value !== undefined),
  );
}

async function addMessage(stores: Stores): Promise<void> {
  await addEndpoint(stores);
  await link(stores);
  await stores.db.write(
    `INSERT INTO webhook_message (message_id, endpoint_id, client_id, user_id, account_key, calendar_key, provider,
       calendar_id, sequence, change_type, event_count, shows, body, state, attempts, next_at, created_at)
     SELECT 'm1', 'we_1', client_id, user_id, account_key, NULL, provider, 'canary', 1, 'updated', 1, 'events', 'canary',
            'dead', 1, 0, CAST(:now AS BIGINT) FROM account`,
    { now: NOW },
  );
}
