/** The profile of an application and its check in the administration API, on both databases. */
import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';

import { DEFAULT_SWITCHES, SWITCH_KEYS, switchField } from '../../src/oauth/switches.ts';
import { makeFamily } from '../contract/grant-rows.ts';
import { onEachDatabase } from '../harness/databases.ts';
import {
  type AdministrationApp,
  ENVIRONMENT_KEY as key,
  NOW,
  openAdministrationApp,
  USER,
} from './administration-app.ts';

const DEFAULTS = Object.fromEntries(SWITCH_KEYS.map((key) => [switchField(key), DEFAULT_SWITCHES[key]]));
/** The switches that the profile sets, and its values. */
const FAPI2 = {
  ...{ profile: 'fapi2', pushed_requests: 'required', pkce: 'required', code_format: 'opaque' },
  ...{ code_lifetime: 60, issuer_in_callback: 'on', refresh_rotation: 'never', refresh_reuse: 'end-grant' },
  ...{ refresh_replay_window: 60, sender_constraint: 'required', client_authentication: 'private_key_jwt' },
  revocation: 'authenticated',
};

type Check = { name: string; requirement: string; missing: string | null };

onEachDatabase((database, open) => {
  describe(`the profile of an application on ${database}`, () => {
    let administration: AdministrationApp;
    before(async () => {
      administration = await openAdministrationApp(await open());
    });
    after(() => administration.app.close());

    const created = async (fields = {}) => {
      const body = { name: 'Bank', redirect_uri: 'https://bank.example/callback', ...fields };
      return String((await administration.send('post', '/applications', { key, body })).document.client_id);
    };
    const addKeys = (id: string) =>
      administration.stores.clients.updateClient(
        id,
        { keys: { jwks: '{"keys":[]}' } },
        { now: NOW, by: undefined },
      );
    const withKeys = async (fields = {}) => {
      const id = await created(fields);
      await addKeys(id);
      return id;
    };
    const patch = (id: string, body: object) =>
      administration.send('patch', `/applications/${id}`, { key, body });
    const show = async (id: string) =>
      (await administration.send('get', `/applications/${id}`, { key })).document;
    const switchesOf = async (id: string) => {
      const document = await show(id);
      return Object.fromEntries(Object.keys(DEFAULTS).map((name) => [name, document[name]]));
    };
    const check = async (id: string, query = '') =>
      (await administration.send('get', `/applications/${id}/check${query}`, { key })).document;
    const missing = async (id: string, query = '') =>
      ((await check(id, query)).requirements as Check[])
        .filter(({ missing }) => missing !== null)
        .map(({ name }) => name);

    it('fapi2 sets its switches, ends the secrets, and keeps what is stricter or no part of it', async () => {
      const id = await withKeys({ code_lifetime: 30, dpop_nonce: 'on', refresh_lifetime: 86_400 });

      const { status, document } = await patch(id, { profile: 'fapi2' });

      assert.equal(status, 200);
      const stricter = { code_lifetime: 30, dpop_nonce: 'on', refresh_lifetime: 86_400 };
      assert.deepEqual(await switchesOf(id), { ...DEFAULTS, ...FAPI2, ...stricter });
      assert.deepEqual([document.live_secrets, document.client_secret], [0, undefined]);
    });

    it('refuses private_key_jwt without keys, and says how to register one', async () => {
      const id = await created();
      const body = { name: 'Keyless', redirect_uri: 'https://bank.example/callback' };
      const method = { client_authentication: 'private_key_jwt' };

      for (const { status, document } of [
        await patch(id, method),
        await administration.send('post', '/applications', { key, body: { ...body, ...method } }),
      ]) {
        assert.deepEqual([status, document.code], [400, 'invalid_client_metadata']);
        assert.match(
          JSON.stringify(document),
          /private_key_jwt.* requires a public key: register one with jwks/,
        );
      }
      assert.deepEqual(await switchesOf(id), DEFAULTS);
      await addKeys(id);
      assert.equal((await patch(id, method)).status, 200);
    });

    it('default restores the switches from before and returns a new secret', async () => {
      const earlier = { code_lifetime: 90, refresh_idle_lifetime: 3600, resource_indicators: 'on' };
      const id = await withKeys(earlier);
      await patch(id, { profile: 'fapi2' });
      await patch(id, { refresh_idle_lifetime: 7200, code_lifetime: 20 });

      const { status, document } = await patch(id, { profile: 'default' });

      assert.equal(status, 200);
      assert.match(String(document.client_secret), /^kalends_\w{43}$/);
      assert.equal(document.live_secrets, 1);
      assert.deepEqual(await switchesOf(id), { ...DEFAULTS, ...earlier });
      assert.equal((await patch(id, { profile: 'default' })).document.client_secret, undefined);
    });

    it('a change of the profile has the switches that the same request sets', async () => {
      const id = await withKeys();
      await patch(id, { profile: 'fapi2', refresh_rotation: 'always', code_lifetime: 15 });
      const { refresh_rotation: rotation, code_lifetime: lifetime } = await switchesOf(id);
      assert.deepEqual([rotation, lifetime], ['always', 15]);

      await patch(id, { profile: 'default', pkce: 'required' });
      assert.deepEqual(await switchesOf(id), { ...DEFAULTS, pkce: 'required' });
    });

    for (const [name, value] of [
      ['pushed_requests', 'accepted'],
      ['pkce', 'accepted'],
      ['code_format', 'user-id'],
      ['code_lifetime', 61],
      ['issuer_in_callback', 'off'],
      ['refresh_reuse', 'refuse'],
      ['refresh_replay_window', 61],
      ['sender_constraint', 'accepted'],
      ['client_authentication', 'secret'],
      ['client_authentication', 'none'],
      ['revocation', 'open'],
    ] as const)
      it(`refuses ${name} ${value} with fapi2, and with fapi2 in the same request`, async () => {
        const id = await withKeys();
        const together = await patch(id, { profile: 'fapi2', [name]: value });
        assert.deepEqual(await switchesOf(id), DEFAULTS);
        await patch(id, { profile: 'fapi2' });
        const later = await patch(id, { [name]: value });

        for (const { status, document } of [together, later]) {
          assert.deepEqual([status, document.code], [400, 'invalid_client_metadata']);
          assert.match(String(document.message), new RegExp(`^profile "fapi2" requires ${name}\\b`));
        }
        assert.deepEqual(await switchesOf(id), { ...DEFAULTS, ...FAPI2 });
      });

    it('fapi2 needs keys, also at the creation, and changes nothing without them', async () => {
      const id = await created();
      const { status, document } = await patch(id, { profile: 'fapi2', name: 'Changed' });
      assert.deepEqual([status, document.code], [400, 'invalid_client_metadata']);
      assert.match(String(document.message), /requires a public key.*jwks or jwks_uri/);
      assert.deepEqual([(await show(id)).name, (await show(id)).live_secrets], ['Bank', 1]);

      const body = { name: 'Bank', redirect_uri: 'https://bank.example/callback', profile: 'fapi2' };
      assert.equal((await administration.send('post', '/applications', { key, body })).status, 400);
    });

    for (const name of ['jwks', 'jwks_uri'])
      it(`an empty ${name} removes the keys, unless the application authenticates by them`, async () => {
        const id = await withKeys();
        await patch(id, { client_authentication: 'private_key_jwt' });

        const { status, document } = await patch(id, { [name]: '' });
        assert.deepEqual([status, document.code], [400, 'invalid_client_metadata']);
        assert.match(String(document.message), /private_key_jwt" requires a public key/);
        assert.deepEqual((await show(id)).jwks, { keys: [] });

        assert.equal((await patch(id, { [name]: '', client_authentication: 'secret' })).status, 200);
        assert.deepEqual((await show(id)).jwks, null);
      });

    it('of ten changes to default at once, one returns the new secret', async () => {
      const id = await withKeys();
      await patch(id, { profile: 'fapi2' });

      const responses = await Promise.all(
        Array.from({ length: 10 }, () => patch(id, { profile: 'default' })),
      );

      const secrets = responses.flatMap(({ document }) => document.client_secret ?? []);
      assert.deepEqual([secrets.length, (await show(id)).live_secrets], [1, 1]);
      assert.deepEqual(await switchesOf(id), DEFAULTS);
    });

    it('the audit log has the profile and its switches before and after, and no secret', async () => {
      const id = await withKeys();
      await patch(id, { profile: 'fapi2' });
      await patch(id, { profile: 'default' });

      const [back, forth] = await administration.stores.audit.listEntries({ clientId: id }, { limit: 2 });
      const { resource_indicators: _, dpop_nonce: __, ...changed } = DEFAULTS;
      const { refresh_idle_lifetime: ___, refresh_lifetime: ____, ...before } = changed;
      assert.deepEqual([forth?.before, forth?.after], [before, FAPI2]);
      assert.deepEqual([back?.before, back?.after], [FAPI2, before]);
    });

    it('the check lists what is missing for the profile, and nothing with the profile', async () => {
      const id = await created();
      const { profile: _, refresh_rotation: __, ...switches } = FAPI2;
      const { refresh_replay_window: ___, ...wrong } = switches;
      assert.deepEqual(await missing(id, '?profile=fapi2'), ['keys', ...Object.keys(wrong)]);
      assert.deepEqual(await missing(id), []);

      await addKeys(id);
      await patch(id, { profile: 'fapi2' });
      const { met, profile, requirements } = await check(id);
      assert.deepEqual([met, profile], [true, 'fapi2']);
      assert.equal((requirements as Check[]).length, Object.keys(switches).length + 2);
    });

    it('the check has the number of living grants, and refuses an unknown application or profile', async () => {
      await makeFamily(administration.db, { clientId: 'acme', userId: USER });

      assert.equal((await check('acme')).living_grants, 1);
      assert.equal((await check(await created())).living_grants, 0);
      assert.equal((await check('nobody')).code, 'not_there');
      assert.equal((await check('acme', '?profile=fapi3')).code, 'invalid_request');
    });
  });
});
