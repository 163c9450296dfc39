/** Applications in the dashboard: making, changing, new secrets, deletion, and what each leaves in the audit log. */
import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';

import { hashOfSecret } from '../../src/lib/sealing.ts';
import { makeAccount } from '../contract/grant-rows.ts';
import { onEachDatabase } from '../harness/databases.ts';
import {
  type Answer,
  type DashboardApp,
  type DashboardBrowser,
  leadsTo,
  openDashboardApp,
} from './dashboard-app.ts';

const LIST = '/dashboard/applications';
const NEW = `${LIST}/new`;
const REDIRECT = 'https://app.example.com/callback';

/** A secret as a page shows it once. */
const shownSecret = ({ body }: Answer, id = 'client-secret'): string =>
  new RegExp(`<pre id="${id}" class="copyable">([^<]+)</pre>`).exec(body)?.[1] ?? '';
const clientIdIn = ({ body }: Answer): string => /proj\w{20}/.exec(body)?.[0] ?? '';

onEachDatabase((database, open) => {
  describe(`applications in the dashboard, on ${database}`, () => {
    let dashboard: DashboardApp;
    let owner: DashboardBrowser;
    let developer: DashboardBrowser;
    let viewer: DashboardBrowser;
    before(async () => {
      dashboard = await openDashboardApp(await open());
      owner = await dashboard.signedIn('owner');
      developer = await dashboard.signedIn('developer');
      viewer = await dashboard.signedIn('viewer');
    });
    after(() => dashboard.app.close());

    const make = async (form: Record<string, string> = {}) =>
      clientIdIn(await owner.post(NEW, { name: 'Mine', redirect_uris: REDIRECT, ...form }));
    const find = (clientId: string) => dashboard.stores.clients.findClient(clientId);
    const actionsOf = async (clientId: string) =>
      (await dashboard.stores.audit.listEntries({ clientId }, { limit: 20 })).map(({ action, actor }) => [
        action,
        actor.kind === 'person' && actor.id,
      ]);

    it('an owner makes one and is shown its secrets once, with code that has all but the secret of it', async () => {
      const form = { name: 'Shop', display_name: 'The Shop', redirect_uris: `  ${REDIRECT}\n` };
      const answer = await owner.post(NEW, { ...form, webhook_url: 'https://app.example.com/hook' });

      assert.equal(answer.status, 200);
      assert.equal(answer.headers['cache-control'], 'no-store');
      const clientId = clientIdIn(answer);
      const record = await dashboard.stores.clients.findClientWithSecrets(clientId, dashboard.clock.now);
      assert.equal(record?.client.redirectUri, REDIRECT);
      assert.equal(record.client.displayName, 'The Shop');
      assert.deepEqual(record.secretHashes, [hashOfSecret(shownSecret(answer))]);
      assert.match(shownSecret(answer, 'webhook-secret'), /^whsec_/);
      for (const part of ['curl ', '@kalends/client', 'import requests'])
        assert.ok(answer.body.includes(part));
      const again = await owner.get(`${LIST}/${clientId}/start`);
      assert.ok(again.body.includes(clientId) && !again.body.includes(shownSecret(answer)));
      assert.ok((await owner.get(`${LIST}/${clientId}/credentials`)).status === 200);
      assert.deepEqual((await actionsOf(clientId)).at(-1), ['client.created', owner.personId]);
    });

    it('what cannot be comes back on the form, beside its field and with all that was typed', async () => {
      const before = await dashboard.stores.clients.listClients();
      const cases: readonly [Record<string, string>, string][] = [
        [{ name: ' ' }, 'name-wrong'],
        [{ name: 'x'.repeat(201) }, 'name-wrong'],
        [{ name: 'evil\u202Etxt' }, 'name-wrong'],
        [{ display_name: 'evil\u2066txt' }, 'display_name-wrong'],
        [{ redirect_uris: 'javascript:alert(1)' }, 'redirect_uris-wrong'],
        [{ redirect_uris: '' }, 'redirect_uris-wrong'],
        [{ webhook_url: 'http://example.com/' }, 'webhook_url-wrong'],
        [{ webhook_url: 'https://10.0.0.1/' }, 'webhook_url-wrong'],
      ];
      for (const [form, wrong] of cases) {
        const answer = await owner.post(NEW, { name: 'Kept', redirect_uris: REDIRECT, ...form });
        assert.equal(answer.status, 400, wrong);
        assert.ok(answer.body.includes(`id="${wrong}"`), `${wrong} of ${JSON.stringify(form)}`);
        assert.ok(form.name !== undefined || answer.body.includes('value="Kept"'));
      }
      const two = await owner.post(NEW, { name: '', redirect_uris: 'nowhere' });
      assert.ok(two.body.includes('id="name-wrong"') && two.body.includes('id="redirect_uris-wrong"'));
      assert.deepEqual(await dashboard.stores.clients.listClients(), before);
    });

    it('several redirect URIs are typed in lines, shown on the pages, and audited', async () => {
      const [second, third] = ['http://localhost:3000/cb', 'com.example.app:/cb'];
      const clientId = await make({ redirect_uris: `${REDIRECT}\r\n\r\n ${second} \r\n` });
      assert.deepEqual((await find(clientId))?.furtherRedirectUris, [second]);
      assert.match((await owner.get(LIST)).body, /and 1 more/);
      assert.ok((await owner.get(`${LIST}/${clientId}`)).body.includes(`>${REDIRECT}\n${second}</textarea>`));

      const lines = { name: 'Mine', redirect_uris: `${third}\n${REDIRECT}` };
      assert.equal(leadsTo(await owner.post(`${LIST}/${clientId}`, lines)), `${LIST}/${clientId}?done=saved`);
      const page = await viewer.get(`${LIST}/${clientId}`);
      for (const uri of [third, REDIRECT]) assert.ok(page.body.includes(`<span class="code">${uri}</span>`));
      const [entry] = await dashboard.stores.audit.listEntries({ clientId }, { limit: 1 });
      assert.deepEqual(
        [entry?.before?.redirect_uris, entry?.after?.redirect_uris],
        [
          [REDIRECT, second],
          [third, REDIRECT],
        ],
      );
    });

    it('each bad redirect URI has its own sentence, and what was typed stays', async () => {
      const clientId = await make();
      const typed = `${REDIRECT}\nftp://x\n${REDIRECT}\nhttps://<b>.example/`;
      const { status, body } = await owner.post(`${LIST}/${clientId}`, {
        name: 'Mine',
        redirect_uris: typed,
      });

      assert.equal(status, 400);
      const text = body.replace(/&#(\d+);/g, (_, number) => String.fromCodePoint(Number(number)));
      const sentences = [...text.matchAll(/<p class="wrong">([^\n]*?)<\/p>/g)].map(
        ([, sentence]) => sentence,
      );
      assert.deepEqual(
        sentences.map((sentence) => /"(.*?)"/.exec(sentence ?? '')?.[1]),
        ['ftp://x', REDIRECT, 'https://<b>.example/'],
      );
      assert.ok(text.includes(`${typed}</textarea>`));
      assert.ok(!body.includes('<b>.example'));
      const emptied = await owner.post(`${LIST}/${clientId}`, { name: 'Mine', redirect_uris: ' \n' });
      assert.deepEqual([emptied.status, emptied.body.includes('must not be empty')], [400, true]);
      assert.deepEqual((await find(clientId))?.redirectUri, REDIRECT);
    });

    it('markup and 200 characters in names are text on every page', async () => {
      const name = `<img src=x onerror=alert(1)>"'&${'ö'.repeat(169)}`;
      assert.equal(name.length, 200);
      const clientId = await make({ name, display_name: name });

      for (const path of ['', '/start', '/credentials', '/security', '/delete', '/credentials/rotate'])
        for (const page of [await owner.get(`${LIST}/${clientId}${path}`), await owner.get(LIST)]) {
          assert.equal(page.status, 200, path);
          assert.ok(!page.body.includes('<img src=x'));
          assert.ok(page.body.includes('&#60;img src'));
        }
      const file = await owner.get(`${LIST}/${clientId}/postman-environment`);
      assert.match(String(file.headers['content-disposition']), /^attachment; filename="[\w.]+"$/);
      assert.equal(JSON.parse(file.body).name, `Kalends: ${name}`);
    });

    it('a quote in a redirect URI ends no string of the code', async () => {
      const redirect = "https://app.example.com/it's;$(id)";
      const { body } = await owner.get(`${LIST}/${await make({ redirect_uris: redirect })}/start`);
      const code = body.replace(/&#(\d+);/g, (_, number) => String.fromCodePoint(Number(number)));

      assert.ok(code.includes(`'redirect_uri=https://app.example.com/it'\\''s;$(id)'`));
      assert.ok(code.includes(`redirectUri: "${redirect}"`));
    });

    it('a developer sees and changes what was given to them, and nothing else is there', async () => {
      const list = await developer.get(LIST);
      assert.ok(list.body.includes('The acme') && !list.body.includes('The other'));
      assert.ok(!list.body.includes(NEW));
      for (const path of [
        '',
        '/start',
        '/credentials',
        '/security',
        '/postman-environment',
        '/credentials/rotate',
      ])
        assert.equal((await developer.get(`${LIST}/other${path}`)).status, 404, path);
      const form = { name: 'Taken', redirect_uris: 'https://evil.example/' };
      for (const path of ['', '/security', '/credentials/rotate'])
        assert.equal((await developer.post(`${LIST}/other${path}`, form)).status, 404, path);
      assert.equal((await developer.post(`${LIST}/acme/delete`, { name: 'The acme' })).status, 403);
      assert.equal((await find('other'))?.name, 'The other');

      const changed = await developer.post(`${LIST}/acme`, { ...form, redirect_uris: REDIRECT });
      assert.equal(leadsTo(changed), `${LIST}/acme?done=saved`);
      assert.equal((await find('acme'))?.name, 'Taken');
      assert.deepEqual((await actionsOf('acme'))[0], ['client.updated', developer.personId]);
    });

    it('a viewer reads and has nothing to send', async () => {
      for (const path of ['', '/credentials', '/security']) {
        const { status, body } = await viewer.get(`${LIST}/other${path}`);
        assert.equal(status, 200);
        assert.ok(!body.includes(`action="${LIST}`) && !body.includes('/credentials/rotate'));
      }
    });

    it('settings are changed all at once or not at all, and emptied by empty fields', async () => {
      const clientId = await make({ display_name: 'Shown' });
      const path = `${LIST}/${clientId}`;
      const form = { name: 'Renamed', redirect_uris: REDIRECT, support_email: 'help@example.com' };
      const bad = await owner.post(path, { ...form, privacy_url: 'ftp://example.com/' });
      assert.equal(bad.status, 400);
      assert.ok(bad.body.includes('id="privacy_url-wrong"') && bad.body.includes('value="Renamed"'));
      assert.equal((await find(clientId))?.name, 'Mine');

      assert.equal(leadsTo(await owner.post(path, form)), `${path}?done=saved`);
      const changed = await find(clientId);
      assert.deepEqual([changed?.name, changed?.displayName], ['Renamed', undefined]);
      const { facts } = await dashboard.stores.branding.findLook(clientId);
      assert.equal(facts.supportEmail, 'help@example.com');
      const actions = (await actionsOf(clientId)).map(([action]) => action);
      assert.deepEqual(actions.toSorted(), ['branding.updated', 'client.created', 'client.updated']);
    });

    it('a webhook URL that is set later brings its secret, once; another application’s is refused', async () => {
      const form = { name: 'Mine', redirect_uris: REDIRECT, webhook_url: 'https://hooks.example.com/later' };
      const clientId = await make();
      const first = await owner.post(`${LIST}/${clientId}`, form);
      assert.match(shownSecret(first, 'webhook-secret'), /^whsec_/);
      assert.match(leadsTo(await owner.post(`${LIST}/${clientId}`, form)), /done=saved/);

      const second = await owner.post(`${LIST}/${await make()}`, form);
      assert.equal(second.status, 400);
      assert.ok(second.body.includes('id="webhook_url-wrong"'));
    });

    it('a new secret is shown once; the one before it lives as long as was picked', async () => {
      const made = await owner.post(NEW, { name: 'Mine', redirect_uris: REDIRECT });
      const path = `${LIST}/${clientIdIn(made)}/credentials/rotate`;
      const hashes = async (at: number) =>
        (await dashboard.stores.clients.findClientWithSecrets(clientIdIn(made), at))?.secretHashes.length;
      const { now } = dashboard.clock;
      const answer = await owner.post(path, { overlap: '1' });
      assert.notEqual(shownSecret(answer), shownSecret(made));
      assert.deepEqual([await hashes(now + 3_599_000), await hashes(now + 3_601_000)], [2, 1]);
      await owner.post(path, { overlap: '0' });
      assert.equal(await hashes(now + 1), 1);
      assert.deepEqual((await actionsOf(clientIdIn(made)))[0], ['client.secret_rotated', owner.personId]);
    });

    it('deletion says what goes, and happens with the right name only', async () => {
      const clientId = await make({ name: 'Gone' });
      await makeAccount(dashboard.db, clientId, 'ada');
      const path = `${LIST}/${clientId}/delete`;
      for (const query of ['', '?confirm=yes'])
        assert.match((await owner.get(path + query)).body, /1 user<.*1 connected account</s);
      for (const name of ['', 'gone', 'Gone!']) {
        const { status, body } = await owner.post(path, { name });
        assert.equal(status, 400);
        assert.ok(body.includes('id="name-wrong"'));
      }
      assert.equal((await find(clientId))?.name, 'Gone');

      assert.equal(leadsTo(await owner.post(path, { name: 'Gone' })), `${LIST}?done=deleted`);
      assert.equal(await find(clientId), undefined);
      assert.deepEqual((await actionsOf(clientId))[0], ['client.deleted', owner.personId]);
      assert.equal((await owner.get(`${LIST}/${clientId}`)).status, 404);
      assert.equal((await owner.post(path, { name: 'Gone' })).status, 404);
    });

    it('secrets and deletion ask for a sign-in that is not older than five minutes', async () => {
      const late = await dashboard.signedIn('owner');
      dashboard.clock.now += 6 * 60_000;
      for (const path of ['/delete', '/credentials/rotate']) {
        const next = encodeURIComponent(`${LIST}/acme${path}`);
        assert.equal(leadsTo(await late.get(`${LIST}/acme${path}`)), `/dashboard/confirm?next=${next}`);
        assert.match(leadsTo(await late.post(`${LIST}/acme${path}`, { name: 'Taken' })), /confirm/);
      }
      assert.ok(await find('acme'));
    });

    it('says what to do where there is nothing', async () => {
      const lonely = await openDashboardApp(await open());
      for (const clientId of ['acme', 'other'])
        await lonely.stores.clients.deleteClient(clientId, 1, undefined);
      const browser = await lonely.signedIn('owner');
      assert.ok((await browser.get(LIST)).body.includes(`href="${NEW}"`));
      assert.ok((await browser.get('/dashboard')).body.includes(`href="${NEW}"`));
      const { body } = await (await lonely.signedIn('viewer')).get(LIST);
      assert.ok(body.includes('No applications yet') && !body.includes(NEW));
      await lonely.app.close();
    });
  });
});
