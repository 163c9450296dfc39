/** Random manifests, applied with failures between steps: each ends in an empty plan and deletes nothing unmanaged. */
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';

import fc from 'fast-check';
import { createApplication } from '../../src/administration/applications.ts';
import { type Applied, applyManifest } from '../../src/administration/operations/apply-manifest.ts';
import { exportManifest } from '../../src/administration/operations/export-manifest.ts';
import type { AdministrationDeps } from '../../src/administration/operations/operation.ts';
import { addWebhook, HEARS_EVENTS } from '../../src/administration/webhooks.ts';
import { onEachDatabase } from '../harness/databases.ts';
import { rounds } from '../harness/rounds.ts';
import { openAdministrationApp } from './administration-app.ts';

const NAMES = ['Alpha', 'Beta', 'Gamma'];
const URLS = ['https://a.example/x', 'https://b.example/x', 'https://c.example/x'];

const optional = <T extends object>(fields: { [K in keyof T]: fc.Arbitrary<T[K]> }) =>
  fc.record(fields, { requiredKeys: [] });
const textOrNull = fc.constantFrom(null, '', 'One', 'Two words');
const hears = fc.constantFrom(['events'], ['connections', 'events', 'own'], ['calendars']);
/** URLs of an application: those of others would be refused. */
const application = (i: number) => {
  const url = (path: string) => `https://${i}.example/${path}`;
  return fc.record(
    {
      redirect_uris: fc.constantFrom([URLS[0]], [URLS[1], URLS[2]], [URLS[2], URLS[1]]),
      ...{ display_name: textOrNull, own_webhook_keys: fc.boolean(), verified: fc.boolean() },
      providers: fc.constantFrom(null, [], ['google'], ['caldav', 'google', 'caldav']),
      refresh_replay_window: fc.constantFrom(0, 60),
      support_email: fc.constantFrom(null, 'help@app.example'),
      webhook_url: fc.constantFrom(null, url('one'), url('two')),
      branding: optional({
        primary_color: fc.constantFrom(null, '#ABC', '#001122'),
        theme: fc.constantFrom('dark', ' Light'),
        hide_footer: fc.boolean(),
      }),
      provider_apps: optional({
        google: fc.constantFrom(null, { app_client_id: ' a', client_secret: 's' }),
        microsoft: fc.constantFrom(
          { app_client_id: 'b', client_secret: 't ' },
          { app_client_id: 'c', client_secret: 't' },
        ),
      }),
      endpoints: fc.dictionary(fc.constantFrom(url('three'), url('four')), optional({ hears }), {
        maxKeys: 2,
      }),
    },
    { requiredKeys: ['redirect_uris'] },
  );
};
const member = fc.oneof(
  fc.record({ role: fc.constantFrom('owner', 'viewer') }),
  fc.record({ role: fc.constant('developer'), applications: fc.subarray(['The acme']) }),
);
const manifest = optional({
  applications: fc.record(
    { Alpha: application(1), Beta: application(2), Gamma: application(3) },
    { requiredKeys: [] },
  ),
  members: fc.dictionary(fc.constantFrom('ada@x.example', 'Grace@x.example'), member),
});

onEachDatabase((database, open) => {
  describe(`generated manifests on ${database}`, () => {
    it('end in an empty plan whatever fails, and delete nothing that they did not create', async () => {
      const administration = await openAdministrationApp(await open());
      const { deps, clock, stores, by } = administration;
      /** Returns dependencies of a process that fails at its `steps`-th audited change. */
      const failingAfter = (steps: number): AdministrationDeps => {
        let left = steps;
        const now = () => {
          if (left-- <= 0) throw new Error('killed');
          return clock.now;
        };
        const addresses = async () => ({ url: deps.publicUrl, dashboardUrl: deps.dashboardUrl });
        return {
          ...{ ...deps, actor: 'command line', addresses, by: { ...by, now }, testAlerts: async () => [] },
          openSigner: async () => deps.webhookSigner,
        };
      };
      const whole = failingAfter(Number.POSITIVE_INFINITY);
      const run = (input: object, steps = Number.POSITIVE_INFINITY, isDryRun = false): Promise<Applied> =>
        applyManifest({ manifest: { ...input }, isDryRun, prunes: true }, failingAfter(steps));
      const unmanaged = async () => {
        const clients = (await stores.clients.listClients()).filter(({ name }) => !NAMES.includes(name));
        const people = (await stores.people.listPeople()).map(({ login }) => login);
        return JSON.stringify([clients, people, (await stores.endpoints.findEndpoint(endpointId))?.url]);
      };
      await administration.addMember('owner');
      const typed = { url: 'https://other.example/hook', hears: HEARS_EVENTS, isShared: false };
      const own = await addWebhook('command line', { clientId: 'acme', typed }, whole);
      const endpointId = 'endpointId' in own ? own.endpointId : assert.fail(own.problem);
      await createApplication(
        'command line',
        { name: 'Manual', displayName: '', webhookUrl: '', redirectUris: ['https://m.example/'] },
        whole,
      );
      const before = await unmanaged();

      const sequence = fc.array(fc.tuple(manifest, fc.nat(12)), { minLength: 2, maxLength: 3 });
      await fc.assert(
        fc.asyncProperty(sequence, async (manifests) => {
          for (const [input, failsAt] of manifests) {
            for (let steps = failsAt; ; steps += 4) {
              const applied = await run(input, steps).catch((reason: Error) => reason);
              if (!(applied instanceof Error) && applied.failure === undefined) break;
              const message = applied instanceof Error ? applied.message : applied.failure?.code;
              assert.match(String(message), /^(killed|server_error)$/);
            }
            assert.deepEqual((await run(input, undefined, true)).steps, []);
            const exported = await exportManifest(whole);
            assert.deepEqual((await run(exported, undefined, true)).steps, []);
            assert.equal(await unmanaged(), before);
          }
        }),
        { numRuns: rounds(12) },
      );
      await administration.app.close();
    });
  });
});
