/** The page *Security* of an application: its profile, switches, returning users and providers. */
import assert from 'node:assert/strict';
import { generateKeyPairSync } from 'node:crypto';
import { after, before, describe, it } from 'node:test';

import { SWITCH_KEYS, SWITCHES, switchField } from '../../src/oauth/switches.ts';
import { makeFamily } from '../contract/grant-rows.ts';
import { onEachDatabase } from '../harness/databases.ts';
import { type DashboardApp, type DashboardBrowser, leadsTo, openDashboardApp } from './dashboard-app.ts';

const keyPair = generateKeyPairSync('ec', { namedCurve: 'P-256' });
const jwkSet = (key = keyPair.publicKey) =>
  JSON.stringify({ keys: [{ ...key.export({ format: 'jwk' }), kid: 'first<key>' }] });

const LIST = '/dashboard/applications';

onEachDatabase((database, open) => {
  describe(`the page Security on ${database}`, () => {
    let dashboard: DashboardApp;
    let owner: DashboardBrowser;
    before(async () => {
      dashboard = await openDashboardApp(await open());
      owner = await dashboard.signedIn('owner');
    });
    after(() => dashboard.app.close());

    const make = async () => {
      const form = { name: 'Mine', redirect_uris: 'https://app.example.com/callback' };
      return /proj\w{20}/.exec((await owner.post(`${LIST}/new`, form)).body)?.[0] ?? '';
    };
    const withGrant = async () => {
      const clientId = await make();
      await makeFamily(dashboard.db, { clientId, userId: 'ada' });
      return clientId;
    };
    const addKeys = (clientId: string) =>
      dashboard.stores.clients.updateClient(
        clientId,
        { keys: { jwks: '{"keys":[]}' } },
        { now: dashboard.clock.now, by: undefined },
      );
    const find = async (clientId: string) => (await dashboard.stores.clients.findClient(clientId)) ?? {};
    const post = (clientId: string, form: Record<string, string>) =>
      owner.post(`${LIST}/${clientId}/security`, { providers: 'all', ...form });
    const get = async (clientId: string) => (await owner.get(`${LIST}/${clientId}/security`)).body;

    it('shows the profile first, and each switch folded with its name, its effect and its consequence', async () => {
      const body = await get(await make());

      const [beforeSwitches = '', switches = ''] = body.split('<details class="code-of" id="switches">');
      assert.match(beforeSwitches, /name="profile" value="default" checked.*name="profile" value="fapi2"/s);
      for (const key of SWITCH_KEYS.filter((key) => key !== 'profile')) {
        const [, hint = ''] = switches.split(`id="${switchField(key)}-hint">`);
        assert.ok(switches.includes(`name="${switchField(key)}"`), key);
        const text = (hint.split('</p>')[0] ?? '').replaceAll(/<\/?code>/g, '`');
        assert.equal(text, `${SWITCHES[key].doc}<br>${SWITCHES[key].consequence}`);
      }
      assert.match(
        switches,
        /Refresh idle lifetime<.*?value="none".*Code lifetime|Code lifetime \(seconds\)/s,
      );
    });

    it('saves all switches, how users return, and providers', async () => {
      const clientId = await make();
      const form = {
        ...{ pushed_requests: 'required', pkce: 'required', code_format: 'opaque', code_lifetime: '60' },
        ...{ issuer_in_callback: 'on', refresh_reuse: 'end-grant', refresh_replay_window: '60' },
        ...{ refresh_idle_lifetime: '30d', refresh_lifetime: 'none', sender_constraint: 'accepted' },
        ...{ dpop_nonce: 'on', revocation: 'authenticated', resource_indicators: 'on' },
        returning_users: 'continue',
      };

      assert.equal(
        leadsTo(await post(clientId, { ...form, providers: 'only', provider: 'caldav' })),
        `${LIST}/${clientId}/security?done=saved`,
      );

      const client = await dashboard.stores.clients.findClient(clientId);
      assert.deepEqual(client?.providers, ['caldav']);
      assert.deepEqual([client.returningUsers, client.refreshIdleLifetime], ['continue', 2_592_000]);
      assert.deepEqual([client.codeFormat, client.codeLifetime], ['opaque', 60]);
      const body = await get(clientId);
      assert.match(body, /value="30d"/);
      assert.match(body, /Switches: 12 not at the default/);
    });

    it('keeps the values of absent fields, and no provider is no choice', async () => {
      const clientId = await make();
      await post(clientId, { pushed_requests: 'required', returning_users: 'continue' });

      const none = await post(clientId, { providers: 'only', code_format: 'opaque' });
      assert.equal(none.status, 400);
      assert.match(none.body, /<option selected>opaque/);
      await post(clientId, { code_lifetime: '20' });
      const { pushedRequests, returningUsers, codeFormat, codeLifetime } =
        (await dashboard.stores.clients.findClient(clientId)) ?? {};
      assert.deepEqual(
        [pushedRequests, returningUsers, codeFormat, codeLifetime],
        ['required', 'continue', 'user-id', 20],
      );
    });

    for (const [name, typed, range] of [
      ...['121', '-1', 'soon', '', '<b>'].map(
        (typed) => ['refresh_replay_window', typed, 'a whole number of seconds from 0 to 120'] as const,
      ),
      ['code_lifetime', '9', 'a whole number of seconds from 10 to 600'],
      ['refresh_lifetime', '59m', 'none or a time from 1h to 3650d'],
      ['refresh_idle_lifetime', '0', 'none or a time from 1h to 3650d'],
    ] as const)
      it(`refuses ${name} "${typed}" beside its field, keeps what was typed and saves nothing`, async () => {
        const clientId = await make();
        const refused = await post(clientId, { [name]: typed, pkce: 'required' });

        assert.equal(refused.status, 400);
        const value = typed.replace('<', '&#60;').replace('>', '&#62;');
        const [, input = ''] = refused.body.split(`name="${name}"`);
        assert.match(input, new RegExp(`^[^>]* value="${value}"[^]*?${range}`));
        assert.match(refused.body, /id="switches" open>/);
        assert.match(refused.body, /id="pkce".*?<option selected>required/s);
        assert.equal((await dashboard.stores.clients.findClient(clientId))?.pkce, 'accepted');
      });

    it('names both switches of an excluded combination, keeps what was typed and saves nothing', async () => {
      const clientId = await make();
      const before = await find(clientId);
      for (const [form, text] of [
        [
          { refresh_rotation: 'never' },
          /Refresh token rotation &#34;never&#34; requires client authentication/,
        ],
        [
          { refresh_reuse: 'end-grant', refresh_replay_window: '9' },
          /Refresh token reuse &#34;end-grant&#34; requires a refresh replay window of/,
        ],
        [{ profile: 'fapi2' }, /Profile &#34;fapi2&#34; requires a public key/],
      ] as const) {
        const refused = await post(clientId, { ...form, code_lifetime: '33' });
        assert.equal(refused.status, 400);
        assert.match(refused.body, text);
        assert.match(refused.body, /name="code_lifetime"[^>]* value="33"/);
        assert.deepEqual(await find(clientId), before);
      }
    });

    it('names the living grants and the effects before it saves, and saves when they are confirmed', async () => {
      const clientId = await withGrant();
      const form = { sender_constraint: 'required', code_lifetime: '60' };

      const asked = await post(clientId, form);

      assert.equal(asked.status, 200);
      assert.match(asked.body, /Nothing is saved yet\. This application has 1 active grant\./);
      assert.match(asked.body, /unbound access tokens are refused within 5 seconds/);
      assert.match(asked.body, /name="confirmed" value="senderConstraint"/);
      assert.match(asked.body, /id="sender_constraint".*?<option selected>required/s);
      assert.equal((await dashboard.stores.clients.findClient(clientId))?.codeLifetime, 600);
      assert.equal((await post(clientId, { ...form, confirmed: 'senderConstraint' })).status, 303);
      const saved = await dashboard.stores.clients.findClient(clientId);
      assert.deepEqual([saved?.senderConstraint, saved?.codeLifetime], ['required', 60]);
    });

    it('asks again for another effect, not for a switch that grants do not feel, and names a problem first', async () => {
      const clientId = await withGrant();
      const confirmed = { confirmed: 'senderConstraint' };

      assert.equal((await post(clientId, { refresh_lifetime: '30d', ...confirmed })).status, 200);
      assert.equal((await post(clientId, { pkce: 'required', ...confirmed })).status, 303);
      const refused = await post(clientId, { sender_constraint: 'accepted', refresh_rotation: 'never' });
      assert.equal(refused.status, 400);
      const { refreshLifetime, senderConstraint } =
        (await dashboard.stores.clients.findClient(clientId)) ?? {};
      assert.deepEqual([refreshLifetime, senderConstraint], [0, 'off']);
    });

    it('sets the profile and shows what it requires; the default profile shows a new secret once', async () => {
      const clientId = await make();
      assert.match(await get(clientId), /Requirements of FAPI 2\.0: 10 missing/);
      await addKeys(clientId);
      // The form sends the values of all fields: those that were not changed are those of the profile.
      const rest = { code_lifetime: '600', pkce: 'accepted', revocation: 'open' };

      assert.equal((await post(clientId, { profile: 'fapi2', ...rest })).status, 303);
      assert.equal((await dashboard.stores.clients.findClient(clientId))?.codeLifetime, 60);
      assert.match(await get(clientId), /Requirements of FAPI 2\.0: all met/);
      const back = await post(clientId, { profile: 'default', code_lifetime: '60', pkce: 'required' });

      assert.match(back.body, /<pre id="client-secret" class="copyable">kalends_\w{43}</);
      assert.equal(back.headers['cache-control'], 'no-store');
      assert.equal((await dashboard.stores.clients.findClient(clientId))?.codeLifetime, 600);
      assert.doesNotMatch(await get(clientId), /kalends_\w{43}/);
    });

    it('registers the typed keys with the switch, shows them, and removes them when no longer needed', async () => {
      const clientId = await make();
      const keyless = await post(clientId, { client_authentication: 'private_key_jwt' });
      assert.equal(keyless.status, 400);
      assert.match(
        keyless.body,
        /Client authentication &#34;private_key_jwt&#34; requires a public key: register one with JWKS/,
      );
      assert.match(keyless.body, /<option selected>private_key_jwt/);

      const form = { client_authentication: 'private_key_jwt', jwks: jwkSet() };
      assert.equal((await post(clientId, form)).status, 303);
      assert.match(await get(clientId), /first&#60;key&#62;<\/span> \(ES256\)/);
      const needed = await post(clientId, { remove_keys: 'yes' });
      assert.deepEqual([needed.status, await dashboard.stores.clientKeys.hasKeys(clientId)], [400, true]);
      assert.match(needed.body, /requires a public key/);
      const back = await post(clientId, { client_authentication: 'secret', remove_keys: 'yes' });

      assert.match(back.body, /<pre id="client-secret" class="copyable">kalends_\w{43}</);
      assert.equal(await dashboard.stores.clientKeys.hasKeys(clientId), false);
      assert.match(await get(clientId), /No key is registered/);
      assert.doesNotMatch(await get(clientId), /kalends_\w{43}/);
    });

    it('registers the address of keys, whose query viewers do not see', async () => {
      const clientId = await make();
      const address = 'https://app.example/jwks?token=canary';
      assert.equal((await post(clientId, { jwks_uri: address })).status, 303);

      assert.match(await get(clientId), /app\.example\/jwks\?token\W+\w*\W*canary/);
      const viewer = await dashboard.signedIn('viewer');
      const { body } = await viewer.get(`${LIST}/${clientId}/security`);
      assert.match(body, /https:\/\/app\.example\/jwks/);
      assert.doesNotMatch(body, /canary/);
      const stored = await dashboard.stores.clientKeys.findKeys(clientId);
      assert.deepEqual(stored, { jwksUri: address, isPublicOnly: false, cached: undefined });
    });

    for (const [keys, field, text] of [
      [{ jwks: 'soon' }, 'jwks', /JWKS must be a JWK Set with 1 to 10 keys\. Correct/],
      [{ jwks: jwkSet(keyPair.privateKey) }, 'jwks', /JWKS must have public keys only/],
      [{ jwks: jwkSet(), jwks_uri: 'https://a.example' }, 'jwks', /JWKS cannot be sent with JWKS URL/],
      [{ jwks_uri: 'http://a.example/jwks' }, 'jwks_uri', /JWKS URL must/],
    ] as const)
      it(`refuses the keys ${Object.keys(keys).join(' and ')} beside their field: ${text.source}`, async () => {
        const clientId = await make();

        const { status, body } = await post(clientId, { ...keys, pkce: 'required' });

        assert.equal(status, 400);
        assert.match(body.split(`id="${field}-wrong">`)[1]?.split('<')[0] ?? '', text);
        assert.doesNotMatch(body, /<textarea[^>]*>[^<]/);
        assert.match(body, /id="pkce".*?<option selected>required/s);
        assert.equal(await dashboard.stores.clientKeys.hasKeys(clientId), false);
        assert.equal((await dashboard.stores.clients.findClient(clientId))?.pkce, 'accepted');
      });

    it('a change that creates a secret or gives access without it needs a sign-in of the last five minutes', async () => {
      const [clientId, other] = [await make(), await make()];
      await addKeys(clientId);
      await post(clientId, { profile: 'fapi2' });
      const late = await dashboard.signedIn('owner');
      dashboard.clock.now += 6 * 60_000;

      for (const [id, form] of [
        [clientId, { profile: 'default' }],
        [clientId, { client_authentication: 'secret' }],
        [clientId, { jwks: jwkSet() }],
        [clientId, { jwks_uri: 'https://thief.example/jwks' }],
        [other, { client_authentication: 'none' }],
      ] as const) {
        const answer = await late.post(`${LIST}/${id}/security`, { providers: 'all', ...form });
        assert.match(leadsTo(answer), /\/confirm\?/, JSON.stringify(form));
      }
      assert.equal((await dashboard.stores.clients.findClient(clientId))?.profile, 'fapi2');
      assert.deepEqual(await dashboard.stores.clientKeys.findKeys(clientId), {
        jwks: '{"keys":[]}',
        jwksUri: undefined,
      });
      owner = await dashboard.signedIn('owner');
    });

    it('viewers read the switches and change none', async () => {
      const clientId = await make();
      const viewer = await dashboard.signedIn('viewer');
      const path = `${LIST}/${clientId}/security`;

      assert.match((await viewer.get(path)).body, /<fieldset class="read-only" disabled>/);
      assert.equal((await viewer.post(path, { pkce: 'required' })).status, 403);
    });
  });
});
