/**
 * Operation × credential, from the table itself: nothing passes that the permission of a row forbids. The permissions of
 * roles have their own table in test/dashboard/matrix.test.ts.
 */
import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import type { AdminOperation } from '../../src/administration/operations/operation.ts';
import { ADMIN_OPERATIONS } from '../../src/administration/operations/operations.ts';
import { addWebhook } from '../../src/administration/webhooks.ts';
import { revokeAdminKey } from '../../src/people/admin-keys.ts';
import { may } from '../../src/people/permission.ts';
import { ROLES } from '../../src/people/person.ts';
import type { ReviewStep } from '../../src/verification/review-states.ts';
import { grantAll, newAccount } from '../contract/calendar-rows.ts';
import { plantDelivery } from '../dashboard/planted-deliveries.ts';
import { onEachDatabase } from '../harness/databases.ts';
import {
  type AdministrationApp,
  CLIENT_SECRET,
  ENVIRONMENT_KEY,
  NOW,
  openAdministrationApp,
  USER,
} from './administration-app.ts';
import { REFUSED_REQUEST } from './logged-requests.ts';

const SVG = Buffer.from('<svg xmlns="http://www.w3.org/2000/svg"><rect width="9" height="9"/></svg>');

const HEARS_EVENTS = { events: true, calendars: false, connections: false, own: false };

/** The bodies of operations that need one. */
const BODIES: Readonly<Record<string, object>> = {
  createApplication: { name: 'New', redirect_uri: 'https://new.example/cb' },
  createAdminKey: { name: 'New', role: 'viewer' },
  createInvitation: { role: 'viewer' },
  updateMember: { role: 'viewer' },
  setLogo: { picture: SVG.toString('base64') },
  setProviderApp: { app_client_id: 'app', client_secret: 'canary' },
  requestChanges: { note: 'Another name' },
  withdrawVerification: { note: 'It ended' },
  runChecks: { name: 'clock' },
  setWebhookKeys: { own_webhook_keys: true },
  checkDeliverySignature: { timestamp: '1', signature: 'v1,AAAA' },
  applyManifest: { manifest: {}, dry_run: true },
};

/** The steps of the review that come before that of an operation. */
const STEPS_BEFORE: Readonly<Record<string, readonly ReviewStep[]>> = {
  submitForReview: [],
  cancelReview: ['submit'],
  approveSubmission: ['submit'],
  requestChanges: ['submit'],
  withdrawVerification: ['verify'],
};

onEachDatabase((database, open) => {
  describe(`the administration API on ${database}`, () => {
    let administration: AdministrationApp;
    before(async () => {
      administration = await openAdministrationApp(await open());
    });
    after(() => administration.app.close());

    /** Creates an account that needs reconnecting, and returns its key. */
    const createAccount = async (clientId: string) => {
      const { db, stores } = administration;
      const account = newAccount({ clientId, userId: USER, accountId: `${calls}@example.com` });
      const linked = await stores.accounts.linkAccount(account, NOW);
      await grantAll(db, { clientId, userId: USER });
      const health = { state: 'reauth_required', reason: 'password_refused', message: 'No' } as const;
      await stores.accounts.setHealth(linked, health, NOW);
      return linked.accountKey;
    };

    const createEndpoint = async (clientId: string) => {
      const typed = { url: 'https://app.example/hook', hears: HEARS_EVENTS, isShared: true };
      const deps = { ...administration.deps, by: administration.by };
      const added = await addWebhook('command line', { clientId, typed }, deps);
      return 'endpointId' in added ? added.endpointId : assert.fail(added.problem);
    };

    const createDelivery = async (clientId: string) => {
      const planted = { clientId, state: 'dead', createdAt: NOW, userId: USER } as const;
      const messageId = `msg_${calls}`;
      await plantDelivery(administration.deps, {
        ...planted,
        messageId,
        endpointId: await createEndpoint(clientId),
      });
      return messageId;
    };

    const createRequest = async (clientId: string) => {
      const requestId = `req-${calls}`;
      await administration.stores.requestLog.addRequests([{ ...REFUSED_REQUEST, requestId, clientId }]);
      return requestId;
    };

    const prepareReview = async (steps: readonly ReviewStep[], clientId: string) => {
      await administration.db.write('DELETE FROM verification WHERE client_id = :clientId', { clientId });
      for (const step of steps) {
        const entry = { clientId, step, note: undefined, now: NOW, by: undefined };
        await administration.stores.verification.makeStep(entry, () => undefined);
      }
    };

    /** Sends a valid request. Deletions are dry runs, and a key, member or link in the path is a new one. */
    const call = async (row: AdminOperation, clientId: string, key: string | undefined) => {
      const target = row.path.includes('{key_id}') ? await administration.createKey('viewer') : undefined;
      const hasAccount = row.path.includes('{account_key}') || row.id === 'createReconnectLink';
      const accountKey = hasAccount ? await createAccount(clientId) : '';
      const steps = STEPS_BEFORE[row.id];
      if (steps !== undefined) await prepareReview(steps, clientId);
      const member = /\{(person|invitation)_id\}/.test(row.path) ? await administration.addMember() : '';
      if (row.id === 'rotateApplicationWebhookKeys')
        await administration.stores.webhookKeys.switchWebhookKeys({
          ...{ clientId, keys: 'own', overlapUntil: NOW, by: undefined },
        });
      const requestId = row.path.includes('{request_id}') ? await createRequest(clientId) : '';
      const endpointId = row.path.includes('{endpoint_id}') ? await createEndpoint(clientId) : '';
      const deliveryId = row.path.includes('{delivery_id}') ? await createDelivery(clientId) : '';
      const path = row.path
        .replace('{delivery_id}', deliveryId)
        .replace('{request_id}', requestId)
        .replace('{endpoint_id}', endpointId)
        .replace(/\{(person|passkey|invitation)_id\}/g, member)
        .replace('{account_key}', accountKey)
        .replace('{scheme}', 'light')
        .replace('{provider}', 'google')
        .replace('{client_id}', clientId)
        .replace('{user_id}', encodeURIComponent(USER))
        .replace('{key_id}', target?.key.keyId ?? '');
      const bodies: Readonly<Record<string, object>> = {
        ...BODIES,
        createReconnectLink: { account_key: accountKey },
        replayDeliveries: { client_id: clientId, from: '2026-11-01T00:00:00Z', to: '2026-11-30T00:00:00Z' },
        addEndpoint: { url: `https://${clientId}.example/hook` },
      };
      const query = row.method === 'delete' && 'dry_run' in row.fields ? '?dry_run=true' : '';
      const body = row.method === 'post' || row.method === 'patch' ? (bodies[row.id] ?? {}) : undefined;
      // Each call has its own network, so that no limit applies.
      const address = `10.${Math.floor(calls / 250)}.${calls++ % 250}.1`;
      return administration.send(row.method, path + query, { key, body, address });
    };
    let calls = 0;

    /** Every credential that is not a valid key, by name. */
    const refused: Readonly<Record<string, () => Promise<string | undefined>>> = {
      'no key': async () => undefined,
      'an unknown key': async () => `kal_adm_${'x'.repeat(43)}`,
      'an expired key': async () => (await administration.createKey('owner', { lifetimeMs: 0 })).secret,
      'a revoked key': async () => {
        const { key, secret } = await administration.createKey('owner');
        await revokeAdminKey('command line', key.keyId, { ...administration.deps, by: administration.by });
        return secret;
      },
      'a key whose creator is gone': async () => {
        const { key } = await administration.createKey('owner', { lifetimeMs: 0 });
        const actor = { kind: 'admin_key', id: key.keyId, name: key.name } as const;
        return (await administration.createKey('owner', {}, actor)).secret;
      },
      'a client secret': async () => CLIENT_SECRET,
      'an access token': async () => `eyJhbGciOiJIUzI1NiJ9.${'e'.repeat(60)}.${'s'.repeat(43)}`,
    };

    for (const row of ADMIN_OPERATIONS)
      it(`${row.id} refuses everything but a valid key, and all in the same way`, async () => {
        for (const [name, credential] of Object.entries(refused)) {
          const { status, document, headers } = await call(row, 'acme', await credential());
          assert.deepEqual([status, document.code], [401, 'invalid_admin_key'], name);
          assert.equal(headers['www-authenticate'], 'Bearer');
        }
      });

    for (const row of ADMIN_OPERATIONS)
      for (const role of ROLES)
        it(`${row.id} allows a ${role} what the permission ${row.permission} does`, async () => {
          const { key, secret } = await administration.createKey(role);
          const isOfApplication = /\{(client|endpoint|delivery|request)_id\}|^.deliveries.replay/.test(
            row.path,
          );
          for (const clientId of ['acme', 'other']) {
            const isAllowed = may(key, row.permission, isOfApplication ? clientId : undefined);
            const { status, document } = await call(row, clientId, secret);
            const text = JSON.stringify(document);
            if (isAllowed) assert.equal(status, row.status ?? 200, text);
            else assert.match(`${status} ${document.code}`, /^(403 not_allowed|404 not_there)$/, text);
          }
        });

    for (const row of ADMIN_OPERATIONS)
      it(`${row.id} allows the key of the environment`, async () => {
        const { status, document, headers } = await call(row, 'acme', ENVIRONMENT_KEY);
        assert.equal(status, row.status ?? 200, JSON.stringify(document));
        for (const name of Object.keys(document))
          assert.ok(name === row.counted || row.result.includes(name), `${name} is not in the row`);
        assert.equal(headers['cache-control'], 'no-store');
        assert.equal(headers['access-control-allow-origin'], undefined);
        assert.equal(headers['set-cookie'], undefined);
      });

    it('an operation of a key leaves an audit entry with the key', async () => {
      const { key, secret } = await administration.createKey('owner');
      await administration.send('post', '/applications/acme/secrets/rotate', { key: secret, body: {} });

      const [entry] = await administration.stores.audit.listEntries(
        { action: 'client.secret_rotated', actor: { kind: 'admin_key', id: key.keyId } },
        { limit: 1 },
      );
      assert.deepEqual(entry?.actor, { kind: 'admin_key', id: key.keyId, name: 'A owner' });
      assert.equal(entry?.address, '192.0.2.1');
    });

    it('a private webhook address that a key sets counts as set by its role', async () => {
      const url = 'https://10.1.2.3/hook';
      const patch = async (key: string) =>
        (await administration.send('patch', '/applications/acme', { key, body: { webhook_url: url } }))
          .status;
      const isPrivate = async () =>
        (await administration.stores.endpoints.listEndpoints('acme'))[0]?.privateNetwork;

      assert.equal(await patch((await administration.createKey('developer')).secret), 400);
      assert.equal(await patch((await administration.createKey('owner')).secret), 200);
      assert.equal(await isPrivate(), 1);
    });
  });
});
