/** Manifests at the administration API, on both databases. */
import assert from 'node:assert/strict';
import { generateKeyPairSync } from 'node:crypto';
import { after, before, describe, it } from 'node:test';

import { onEachDatabase } from '../harness/databases.ts';
import {
  type AdministrationApp,
  ENVIRONMENT_KEY as key,
  openAdministrationApp,
} from './administration-app.ts';

type Step = { action: string; path: string; changes: { field: string; before: unknown; after: unknown }[] };
type Applied = {
  status: number;
  steps: Step[];
  secrets: Record<string, string>[];
  failure: Record<string, string> | null;
  code: string;
  details: Record<string, string[]>;
};

const URI = 'https://app.example/cb';
const { publicKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
const KEYS = { keys: [publicKey.export({ format: 'jwk' })] };

onEachDatabase((database, open) => {
  describe(`manifests on ${database}`, () => {
    let administration: AdministrationApp;
    before(async () => {
      administration = await openAdministrationApp(await open());
    });
    after(() => administration.app.close());

    const apply = async (manifest: object, options: object = {}): Promise<Applied> => {
      const body = { manifest, ...options };
      const { status, document } = await administration.send('post', '/apply', { key, body });
      return { status, ...(document as Omit<Applied, 'status'>) }; // what the operation returns
    };
    const names = ({ steps }: Applied) => steps.map(({ action, path }) => `${action} ${path}`);
    const show = async (clientId: string) =>
      (await administration.send('get', `/applications/${clientId}`, { key })).document;
    const idOf = async (name: string) =>
      (await administration.stores.clients.listClients()).find((client) => client.name === name)?.clientId ??
      assert.fail(name);

    it('creates an application with all that belongs to it, and nothing the second time', async () => {
      const manifest = {
        applications: {
          Tideline: {
            redirect_uris: [URI, 'http://localhost:3000/cb'],
            ...{ display_name: 'Tideline', support_email: 'help@app.example', providers: ['google'] },
            ...{ webhook_url: 'https://app.example/hook', own_webhook_keys: true, verified: true },
            branding: { primary_color: '#ABC', theme: 'DARK', hide_footer: null },
            provider_apps: { google: { app_client_id: 'app', client_secret: ' canary\n' } },
          },
        },
      };
      delete (manifest.applications.Tideline.branding as Record<string, unknown>).hide_footer;
      const planned = await apply(manifest, { dry_run: true });
      const steps = [
        ...['create applications.Tideline', 'update applications.Tideline.branding'],
        ...['update applications.Tideline.provider_apps.google', 'update applications.Tideline'],
      ];
      assert.deepEqual(names(planned), steps);
      assert.equal((await administration.stores.clients.listClients()).length, 2);
      assert.doesNotMatch(JSON.stringify(planned), /canary/);

      const applied = await apply(manifest);
      assert.deepEqual([names(applied), applied.failure], [steps, null]);
      const [{ client_id: clientId = '', client_secret: secret, webhook_secret: hook } = {}] =
        applied.secrets;
      assert.match(`${secret} ${hook}`, /^kalends_\w+ whsec_/);
      const { name, theme, verified, own_webhook_keys, google_client_id, support_email, branding } = {
        theme: undefined,
        ...(await show(clientId)),
      } as Record<string, unknown>;
      assert.deepEqual(
        [name, theme, verified, own_webhook_keys, google_client_id, support_email],
        ['Tideline', undefined, true, true, 'app', 'help@app.example'],
      );
      assert.deepEqual((branding as Record<string, unknown>).primary_color, '#aabbcc');
      const stored = await administration.stores.providerApps.findProviderApp(clientId, 'google');
      assert.equal(stored?.clientSecret, 'canary');

      for (const options of [{ dry_run: true }, {}, { prune: true, dry_run: true }])
        assert.deepEqual(names(await apply(manifest, options)), []);
    });

    it('changes only what differs; null removes a value, and a missing field keeps it', async () => {
      const entry = { redirect_uris: [URI], display_name: 'A', support_url: 'https://app.example/help' };
      await apply({ applications: { Orbit: { ...entry, branding: { theme: 'dark' } } } });
      const clientId = await idOf('Orbit');
      const changed = { display_name: null, providers: ['caldav'], redirect_uris: [URI], branding: null };
      const { steps } = await apply({ applications: { Orbit: changed } });
      assert.deepEqual(steps, [
        {
          ...{ action: 'update', path: 'applications.Orbit' },
          changes: [
            { field: 'display_name', before: 'A', after: null },
            { field: 'providers', before: null, after: ['caldav'] },
          ],
        },
      ]);
      const document = await show(clientId);
      assert.deepEqual([document.display_name, document.support_url], [null, entry.support_url]);
      assert.deepEqual(names(await apply({ applications: { Orbit: { providers: null } } })), [
        'update applications.Orbit',
      ]);
      assert.equal((await show(clientId)).providers, null);
    });

    it('an id names an application with another name, and equal names without it are ambiguous', async () => {
      await apply({ applications: { Old: { redirect_uris: [URI] } } });
      const clientId = await idOf('Old');
      const renamed = await apply({ applications: { New: { client_id: clientId } } });
      assert.deepEqual(names(renamed), ['update applications.New']);
      assert.equal((await show(clientId)).name, 'New');
      const body = { name: 'New', redirect_uri: URI };
      await administration.send('post', '/applications', { key, body });
      const { status, details } = await apply({ applications: { New: {} } });
      assert.equal(status, 400);
      assert.match(String(details['applications.New']), /ambiguous: add client_id, which is one of proj/);
      const both = { A: { name: 'New', client_id: clientId }, New: {} };
      assert.deepEqual(names(await apply({ applications: both })), []);
    });

    it('reports all problems together, each with its path and the nearest name', async () => {
      const { status, code, details } = await apply({
        aplications: {},
        applications: {
          One: {
            ...{ redirect_uris: [], display_nam: 'x', theme: 'dark', webhook_url: 'http://no.example' },
            branding: { primary_color: 'red', theme: 'blue' },
            provider_apps: { google: { app_client_id: 'x' }, apple: {}, microsoft: 'x' },
          },
          Two: { redirect_uris: null, client_id: 'none', support_email: 'x', verified: 'yes' },
          'https://x': [],
          Four: 4,
          '': { redirect_uris: [URI] },
          '\ud800': { redirect_uris: [URI] },
        },
      });
      assert.deepEqual([status, code], [400, 'invalid_request']);
      assert.deepEqual(Object.keys(details).sort(), [
        ...['aplications', 'applications.Four', 'applications.Four.redirect_uris'],
        ...['applications.One.branding.primary_color', 'applications.One.branding.theme'],
        ...['applications.One.display_nam', 'applications.One.provider_apps.apple'],
        'applications.One.provider_apps.google.client_secret',
        ...['applications.One.provider_apps.microsoft'],
        ...['applications.One.redirect_uris', 'applications.One.theme', 'applications.One.webhook_url'],
        ...['applications.Two.client_id', 'applications.Two.redirect_uris', 'applications.Two.support_email'],
        ...['applications.Two.verified', 'applications[""].name', 'applications["\\ud800"].name'],
        'applications["https://x"].redirect_uris',
      ]);
      assert.match(String(details['applications.One.display_nam']), /did you mean display_name\?/);
      assert.equal((await apply([])).status, 200);
      assert.equal((await apply({ applications: 'x' })).status, 400);
    });

    it('compares public keys as they are stored, and a plan never has a private one', async () => {
      const pair = generateKeyPairSync('ec', { namedCurve: 'P-256' });
      const jwk = { use: 'sig', alg: 'ES256', kid: '1', ...pair.publicKey.export({ format: 'jwk' }) };
      const keyed = (keys: object) => ({ applications: { Keyed: { redirect_uris: [URI], ...keys } } });
      await apply(keyed({ jwks: { keys: [jwk] } }));
      assert.deepEqual(names(await apply(keyed({ jwks: { keys: [jwk] } }), { dry_run: true })), []);

      const { d, ...secret } = pair.privateKey.export({ format: 'jwk' });
      const refused = await apply(keyed({ jwks: { keys: [{ d, ...secret }] } }), { dry_run: true });
      assert.match(String(refused.details['applications.Keyed.jwks']), /must have public keys only/);
      assert.equal(JSON.stringify(refused).includes(String(d)), false);
      for (const [keys, field, problem] of [
        [{ jwks_uri: 'nowhere' }, 'jwks_uri', /must be an absolute URL/],
        [{ jwks: { keys: [jwk] }, jwks_uri: URI }, 'jwks', /cannot be sent with jwks_uri/],
      ] as const)
        assert.match(String((await apply(keyed(keys))).details[`applications.Keyed.${field}`]), problem);

      const jwksUri = 'https://app.example/keys';
      await apply(keyed({ jwks_uri: jwksUri }));
      const read = { jwks: JSON.stringify({ keys: [jwk] }), readAt: 0, freshUntil: 0 };
      const source = { clientId: await idOf('Keyed'), jwksUri };
      await administration.stores.clientKeys.saveReadKeys(source, read);
      const { document } = await administration.send('get', '/manifest', { key });
      assert.deepEqual(names(await apply(document)), []);
      const { jwks, jwks_uri } =
        (document.applications as Record<string, Record<string, unknown>>).Keyed ?? {};
      assert.deepEqual([jwks, jwks_uri], [undefined, jwksUri], 'the keys at an address change');
    });

    it('stops at a failure, and lists what was done', async () => {
      const shared = { redirect_uris: [URI], webhook_url: 'https://shared.example/hook' };
      const manifest = { applications: { First: shared, Second: shared, Third: { redirect_uris: [URI] } } };
      const { status, failure, secrets, ...applied } = await apply(manifest);
      assert.deepEqual(
        [status, failure?.path, failure?.code],
        [200, 'applications.Second', 'address_in_use'],
      );
      assert.deepEqual([applied.steps.length, secrets.length], [1, 1]);
    });

    it('one manifest is applied at a time', async () => {
      const { managed } = administration.stores;
      assert.equal(await managed.claimApply('another', administration.clock.now), true);
      const refused = await apply({ applications: {} });
      assert.deepEqual([refused.status, refused.code], [409, 'apply_running']);
      assert.equal((await apply({}, { dry_run: true })).status, 200);
      administration.clock.now += 60_001;
      assert.equal((await apply({})).status, 200);
    });

    it('prunes what it created, and nothing else', async () => {
      await apply({ applications: { Kept: { redirect_uris: [URI] }, Gone: { redirect_uris: [URI] } } });
      const manifest = { applications: { Kept: {} } };
      assert.deepEqual(names(await apply(manifest)), []);
      assert.deepEqual(names(await apply({}, { prune: true })), []);
      const pruned = names(await apply(manifest, { prune: true }));
      assert.ok(pruned.includes('delete applications.Gone'), pruned.join());
      const left = (await administration.stores.clients.listClients()).map(({ name }) => name);
      assert.deepEqual(left.sort(), ['Kept', 'New', 'The acme', 'The other']);
      assert.deepEqual(names(await apply(manifest, { prune: true })), []);
    });

    for (const [field, value] of [
      ['jwks', KEYS],
      ['jwks_uri', 'https://app.example/jwks'],
    ] as const)
      it(`registers keys by ${field}, and null removes them`, async () => {
        const manifestOf = (keys: unknown) => ({
          applications: { [`By ${field}`]: { redirect_uris: [URI], [field]: keys } },
        });
        await apply(manifestOf(value));
        assert.deepEqual((await show(await idOf(`By ${field}`)))[field], value);

        const { failure, steps } = await apply(manifestOf(null));
        assert.deepEqual([failure, steps.map(({ action }) => action)], [null, ['update']]);
        assert.deepEqual((await show(await idOf(`By ${field}`)))[field], null);
        assert.deepEqual((await apply(manifestOf(null))).steps, []);
      });

    it('moves keys between an address and the application, whatever was read there', async () => {
      const jwksUri = 'https://app.example/jwks';
      const moved = (keys: object) => ({ applications: { Moved: { redirect_uris: [URI], ...keys } } });
      const readKeys = async () => {
        const read = { jwks: JSON.stringify(KEYS), readAt: 1, freshUntil: 2 };
        const source = { clientId: await idOf('Moved'), jwksUri };
        await administration.stores.clientKeys.saveReadKeys(source, read);
      };
      const atAddress = moved({ jwks: null, jwks_uri: jwksUri });
      for (const inline of [moved({ jwks: KEYS }), moved({ jwks: KEYS, jwks_uri: null })]) {
        await apply(atAddress);
        await readKeys();
        assert.deepEqual(names(await apply(atAddress)), []);

        assert.deepEqual(names(await apply(inline)), ['update applications.Moved']);

        const { jwks, jwks_uri } = await show(await idOf('Moved'));
        assert.deepEqual([jwks, jwks_uri], [KEYS, null]);
        assert.deepEqual(names(await apply(inline)), []);
      }
    });

    it('returns the client secret of an application that authenticates by one again', async () => {
      const keyed = { redirect_uris: [URI], client_authentication: 'private_key_jwt', jwks: KEYS };
      await apply({ applications: { Back: keyed } });

      const { secrets } = await apply({ applications: { Back: { client_authentication: 'secret' } } });

      assert.match(String(secrets[0]?.client_secret), /^kalends_/);
    });

    it('exports the address of keys without those that were read there', async () => {
      const jwksUri = 'https://app.example/jwks';
      await apply({ applications: { Remote: { redirect_uris: [URI], jwks_uri: jwksUri } } });
      const clientId = await idOf('Remote');
      const read = { jwks: JSON.stringify(KEYS), readAt: 1, freshUntil: 2 };
      await administration.stores.clientKeys.saveReadKeys({ clientId, jwksUri }, read);
      assert.deepEqual((await show(clientId)).jwks, KEYS);

      const { document } = await administration.send('get', '/manifest', { key });

      const { applications } = document as { applications: Record<string, Record<string, unknown>> };
      assert.deepEqual([applications.Remote?.jwks_uri, applications.Remote?.jwks], [jwksUri, undefined]);
    });
  });
});
