/** The preview of the Connect pages: the application's look, framed by the dashboard alone, and nothing of it can be used. */
import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';

import { onEachDatabase } from '../harness/databases.ts';
import { type DashboardApp, type DashboardBrowser, openDashboardApp } from './dashboard-app.ts';

const PREVIEW = '/dashboard/preview/acme';
const PAGES = ['selection', 'consent', 'sign_in', 'error'];

onEachDatabase((database, open) => {
  describe(`the preview of the Connect pages, on ${database}`, () => {
    let dashboard: DashboardApp;
    let owner: DashboardBrowser;
    before(async () => {
      dashboard = await openDashboardApp(await open());
      owner = await dashboard.signedIn('owner');
      const { clients, branding } = dashboard.stores;
      await clients.updateClient('acme', { displayName: 'Acme <Planner>' }, { now: 1, by: undefined });
      await branding.changeLook(
        'acme',
        { primaryColor: '#7c3aed', supportEmail: 'help@acme.example' },
        { now: 1, by: undefined },
      );
    });
    after(() => dashboard.app.close());

    it('is framed by this origin alone, and its policy lets nothing run, lead on or be sent', async () => {
      for (const page of PAGES) {
        const { status, headers, body } = await owner.get(`${PREVIEW}?page=${page}`);
        assert.equal(status, 200);
        const policy = String(headers['content-security-policy']).split('; ');
        for (const part of ["default-src 'none'", "frame-ancestors 'self'", "form-action 'none'"])
          assert.ok(policy.includes(part), `${part} on ${page}`);
        assert.ok(policy.includes('sandbox allow-same-origin'));
        assert.deepEqual(
          policy.filter((part) => /^(?:script|connect|frame)-src/.test(part)),
          [],
        );
        assert.equal(headers['x-frame-options'], 'SAMEORIGIN');
        assert.equal(headers['cache-control'], 'no-store');
        assert.match(body, /<body inert[ >]/);
        assert.doesNotMatch(body, /<script/);
      }
    });

    it('no link and no form of it leads anywhere', async () => {
      for (const page of PAGES) {
        const { body } = await owner.get(`${PREVIEW}?page=${page}`);
        const targets = [...body.matchAll(/<(?:a|form)\b[^>]*\s(?:href|action)="([^"]*)"/g)].map(
          ([, to]) => to,
        );
        assert.ok(page === 'error' || targets.length > 0);
        assert.deepEqual(
          targets.filter((to) => to !== '#'),
          [],
        );
        assert.doesNotMatch(body, /formaction|http-equiv/);
      }
    });

    it('has the name, domain, colour and support contact of the application, as text', async () => {
      const { body } = await owner.get(`${PREVIEW}?page=selection`);
      assert.ok(body.includes('Acme &#60;Planner&#62;') && !body.includes('<Planner>'));
      assert.ok(body.includes('acme.<wbr>example'));
      assert.ok(body.toLowerCase().includes('#7c3aed'));
      assert.ok((await owner.get(`${PREVIEW}?page=error`)).body.includes('help@<wbr>acme.<wbr>example'));
      assert.ok(body.includes('Not verified by'));
    });

    it('is in any language and scheme, and takes every other word for none', async () => {
      const arabic = await owner.get(`${PREVIEW}?language=ar&scheme=dark`);
      assert.match(arabic.body, /<html lang="ar" dir="rtl" data-theme="dark">/);
      for (const query of [
        'language=xx&scheme=neon&page=__proto__',
        'language=%00&page=<b>',
        'page=a&page=b',
      ]) {
        const { status, body } = await owner.get(`${PREVIEW}?${query}`);
        assert.equal(status, 200);
        assert.match(body, /<html lang="en" dir="ltr" data-theme="light">/);
      }
    });

    it('shows what is typed before it is saved, and keeps the saved colour where none was typed', async () => {
      const draft = (query: string) => owner.get(`${PREVIEW}?draft=yes&enabled=yes&${query}`);
      assert.ok((await draft('primary_color=%23d61f69')).body.toLowerCase().includes('#d61f69'));
      assert.ok((await draft('primary_color=red;}body{x')).body.toLowerCase().includes('#7c3aed'));
      assert.ok(!(await draft('primary_color=')).body.toLowerCase().includes('#7c3aed'));
      assert.match((await draft('theme=dark')).body, /data-theme="dark"/);
      assert.ok(!(await owner.get(`${PREVIEW}?draft=yes&enabled=no`)).body.toLowerCase().includes('#7c3aed'));
      const { branding } = await dashboard.stores.branding.findLook('acme');
      assert.deepEqual([branding.primaryColor, branding.theme], ['#7c3aed', 'auto']);
    });

    it('of a verified application it has what is set, or what users see until that is approved', async () => {
      const { verification, clients } = dashboard.stores;
      const entry = { clientId: 'acme', note: undefined, now: 2 };
      await verification.makeStep({ ...entry, step: 'verify', by: undefined }, () => {});
      await clients.updateClient('acme', { displayName: 'Acme Next' }, { now: 3, by: undefined });

      const [set, seen] = [await owner.get(PREVIEW), await owner.get(`${PREVIEW}?values=seen`)];
      assert.ok(set.body.includes('Acme Next') && !set.body.includes('Not verified by'));
      assert.ok(seen.body.includes('Acme &#60;Planner&#62;') && !seen.body.includes('Acme Next'));
    });

    it('a developer sees none of a foreign application', async () => {
      const developer = await dashboard.signedIn('developer');
      assert.equal((await developer.get(PREVIEW)).status, 200);
      assert.equal((await developer.get('/dashboard/preview/other')).status, 404);
      assert.equal((await dashboard.browser().get(PREVIEW)).status, 303);
    });
  });
});
