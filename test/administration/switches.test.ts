/** The switches of an application in the administration API, on both databases. */
import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';

import { DEFAULT_SWITCHES, SWITCH_KEYS, switchField } from '../../src/oauth/switches.ts';
import { onEachDatabase } from '../harness/databases.ts';
import {
  type AdministrationApp,
  ENVIRONMENT_KEY as key,
  openAdministrationApp,
} from './administration-app.ts';

const CALLBACK = 'https://app.example/callback';
const DEFAULTS = Object.fromEntries(SWITCH_KEYS.map((key) => [switchField(key), DEFAULT_SWITCHES[key]]));
/** All switches besides the profile with another value than the default. */
const STRICT = {
  profile: 'default',
  ...{ pushed_requests: 'required', pkce: 'required', code_format: 'opaque', code_lifetime: 60 },
  ...{ issuer_in_callback: 'on', refresh_rotation: 'never', refresh_reuse: 'end-grant' },
  ...{ refresh_replay_window: 60, refresh_idle_lifetime: 3600, refresh_lifetime: 315_360_000 },
  ...{ sender_constraint: 'required', dpop_nonce: 'on', client_authentication: 'none' },
  ...{ revocation: 'authenticated', resource_indicators: 'on' },
};

onEachDatabase((database, open) => {
  describe(`the switches of an application in the administration API on ${database}`, () => {
    let administration: AdministrationApp;
    before(async () => {
      administration = await openAdministrationApp(await open());
    });
    after(() => administration.app.close());

    const create = (fields: object) =>
      administration.send('post', '/applications', {
        ...{ key, body: { name: 'Strict', redirect_uri: CALLBACK, ...fields } },
      });
    const created = async (fields = {}) => String((await create(fields)).document.client_id);
    const patch = (id: string, body: object) =>
      administration.send('patch', `/applications/${id}`, { key, body });
    const switchesOf = (document: Readonly<Record<string, unknown>>) =>
      Object.fromEntries(Object.keys(DEFAULTS).map((name) => [name, document[name]]));
    const stored = async (id: string) =>
      switchesOf((await administration.send('get', `/applications/${id}`, { key })).document);

    it('an application has the default switches, and each switch is set at its creation and later', async () => {
      const [plain, strict] = [await created(), await created(STRICT)];

      assert.deepEqual(await stored(plain), DEFAULTS);
      assert.deepEqual(await stored(strict), STRICT);
      const { status, document } = await patch(plain, STRICT);
      assert.deepEqual([status, switchesOf(document)], [200, STRICT]);
      await patch(plain, { name: 'Renamed' });
      assert.deepEqual(await stored(plain), STRICT);
      await patch(plain, DEFAULTS);
      assert.deepEqual(await stored(plain), DEFAULTS);
    });

    const valuesOutOfRange: readonly (readonly [string, readonly unknown[]])[] = [
      ...SWITCH_KEYS.map((key) => [switchField(key), ['maybe', true, -1, 1.5, [], {}]] as const),
      ['code_lifetime', [9, 601, 0]],
      ['refresh_replay_window', [121]],
      ['refresh_idle_lifetime', [1, 3599, 315_360_001, '30d']],
      ['refresh_lifetime', [1, 3599, 315_360_001, 'none']],
    ];
    for (const [name, values] of valuesOutOfRange)
      it(`refuses ${name} with ${values.length} values out of range`, async () => {
        const id = await created();
        for (const value of values) {
          const { status, document } = await patch(id, { [name]: value, name: 'Changed' });
          assert.deepEqual([status, document.code], [400, 'invalid_request'], JSON.stringify(value));
          assert.match(JSON.stringify(document.details), new RegExp(`"${name} must be `));
        }
        assert.deepEqual(await stored(id), DEFAULTS);
      });

    const publicClient = { client_authentication: 'none', code_format: 'opaque', pkce: 'required' };
    const excluded: readonly (readonly [object, readonly [string, string]])[] = [
      [{ refresh_rotation: 'never' }, ['refresh_rotation', 'client_authentication']],
      [{ refresh_reuse: 'end-grant' }, ['refresh_reuse', 'refresh_replay_window']],
      [{ refresh_reuse: 'end-grant', refresh_replay_window: 9 }, ['refresh_reuse', 'refresh_replay_window']],
      [
        { issuer_in_callback: 'on', add_redirect_uris: [`${CALLBACK}?iss=x`] },
        ['issuer_in_callback', 'redirect_uri'],
      ],
      [
        { ...publicClient, code_format: 'user-id', sender_constraint: 'required' },
        ['client_authentication', 'code_format'],
      ],
      [
        { ...publicClient, pkce: 'accepted', sender_constraint: 'required' },
        ['client_authentication', 'pkce'],
      ],
      [publicClient, ['client_authentication', 'sender_constraint']],
      [
        { ...publicClient, sender_constraint: 'required', returning_users: 'continue' },
        ['client_authentication', 'returning_users'],
      ],
    ];
    for (const [fields, names] of excluded)
      it(`refuses ${JSON.stringify(fields)} with an error that names ${names.join(' and ')}`, async () => {
        const id = await created();
        const { add_redirect_uris: added = [], ...settings } = fields as { add_redirect_uris?: string[] };
        const refusals = [
          await patch(id, { ...fields, name: 'Changed' }),
          await create({ ...settings, redirect_uris: [CALLBACK, ...added] }),
        ];

        for (const { status, document } of refusals) {
          assert.deepEqual([status, document.code], [400, 'invalid_client_metadata']);
          for (const name of names)
            assert.ok(String(document.message).includes(name), String(document.message));
        }
        const { document } = await administration.send('get', `/applications/${id}`, { key });
        assert.deepEqual([document.name, switchesOf(document)], ['Strict', DEFAULTS]);
      });

    it('refuses the second half of an excluded combination when the first is stored', async () => {
      const id = await created({ issuer_in_callback: 'on', sender_constraint: 'required' });
      await patch(id, { refresh_rotation: 'never' });

      for (const body of [{ sender_constraint: 'accepted' }, { redirect_uris: [`${CALLBACK}?a=1&iss=2`] }])
        assert.equal((await patch(id, body)).document.code, 'invalid_client_metadata');
      const { document } = await administration.send('get', `/applications/${id}`, { key });
      assert.deepEqual([document.sender_constraint, document.redirect_uris], ['required', [CALLBACK]]);
    });

    it('two changes at once that exclude each other do not both succeed', async () => {
      const id = await created({ sender_constraint: 'required' });

      const results = await Promise.all([
        patch(id, { refresh_rotation: 'never' }),
        patch(id, { sender_constraint: 'off' }),
      ]);

      assert.deepEqual(results.map(({ status }) => status).sort(), [200, 400]);
    });

    it('the audit log has the changed switches before and after', async () => {
      const id = await created();
      await patch(id, { code_format: 'opaque', code_lifetime: 60, pkce: 'accepted' });

      const [entry] = await administration.stores.audit.listEntries({ clientId: id }, { limit: 1 });

      assert.deepEqual(
        [entry?.before, entry?.after],
        [
          { code_format: 'user-id', code_lifetime: 600 },
          { code_format: 'opaque', code_lifetime: 60 },
        ],
      );
    });
  });
});
