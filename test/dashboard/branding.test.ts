/**
 * Branding of applications in the dashboard: logos from untrusted files and addresses, colors, the switch, the preview.
 */
import assert from 'node:assert/strict';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { after, before, describe, it } from 'node:test';

import { lazyEgress } from '../../src/lib/egress/lazy-egress.ts';
import { onEachDatabase } from '../harness/databases.ts';
import { type DashboardApp, type DashboardBrowser, leadsTo, openDashboardApp } from './dashboard-app.ts';

const TAB = '/dashboard/applications/acme/branding';
const svg = (inside: string, attributes = 'viewBox="0 0 9 9"'): string =>
  `<svg xmlns="http://www.w3.org/2000/svg" ${attributes}>${inside}</svg>`;
const LOGO = svg('<script>alert(1)</script><circle cx="4" cy="4" r="4"/>');

const uploadOf = (
  content: string | Uint8Array<ArrayBuffer>,
  fields: Record<string, string> = {},
): FormData => {
  const form = new FormData();
  for (const [name, value] of Object.entries(fields)) form.set(name, value);
  form.set('file', new Blob([content]), 'logo.png');
  return form;
};

onEachDatabase((database, open) => {
  describe(`branding in the dashboard, on ${database}`, () => {
    const egress = lazyEgress({ privateNetwork: { mode: 'loopback' } });
    let dashboard: DashboardApp;
    let developer: DashboardBrowser;
    let site: Server;
    const asked: string[] = [];
    before(async () => {
      dashboard = await openDashboardApp(await open(), { egress });
      developer = await dashboard.signedIn('developer');
      site = createServer((request, response) => {
        asked.push(request.url ?? '');
        response.end(request.url === '/huge' ? Buffer.alloc(2_200_000) : LOGO);
      });
      await new Promise<void>((resolve) => site.listen(0, '127.0.0.1', resolve));
    });
    after(async () => {
      site.close();
      await egress.close();
      await dashboard.app.close();
    });

    const addressOf = (path: string) => `http://127.0.0.1:${(site.address() as AddressInfo).port}${path}`;
    const lookOf = async (clientId = 'acme') => (await dashboard.stores.branding.findLook(clientId)).branding;
    const look = (fields: Record<string, string>) =>
      developer.post(TAB, { enabled: 'yes', footer: 'yes', ...fields });

    it('sets colour, scheme, foot and the switch, and says so', async () => {
      const saved = await look({ primary_color: ' #ABC ', theme: 'dark' });
      assert.equal(leadsTo(saved), `${TAB}?done=look`);
      assert.ok((await developer.get(`${TAB}?done=look`)).body.includes('Saved.'));
      const { primaryColor, theme, hideFooter, enabled } = await lookOf();
      assert.deepEqual([primaryColor, theme, hideFooter, enabled], ['#aabbcc', 'dark', false, true]);

      await developer.post(TAB, { primary_color: '', theme: 'neon' });
      const after = await lookOf();
      assert.deepEqual(
        [after.primaryColor, after.theme, after.hideFooter, after.enabled],
        [undefined, 'auto', true, false],
      );
      const [entry] = await dashboard.stores.audit.listEntries({ clientId: 'acme' }, { limit: 1 });
      assert.equal(entry?.actor.kind === 'person' && entry.actor.id, developer.personId);
    });

    it('a colour that is none stands at its field with what else was typed, and nothing is changed', async () => {
      await look({ primary_color: '#123456' });
      for (const primary_color of [
        'red',
        '#12',
        '#12345g',
        '"><script>x</script>',
        'url(x)',
        '#'.repeat(5_000),
      ]) {
        const answer = await look({ primary_color, theme: 'light' });
        assert.equal(answer.status, 400);
        assert.ok(answer.body.includes('id="primary_color-wrong"'));
        assert.match(answer.body, /value="light" checked/);
        assert.ok(!answer.body.includes('<script>x'));
      }
      assert.equal((await lookOf()).primaryColor, '#123456');
    });

    it('a picture with a script is rendered to a new image, which is shown under the hash of its content', async () => {
      const set = await developer.upload(`${TAB}/logo`, uploadOf(LOGO, { url: '' }));
      assert.equal(leadsTo(set), `${TAB}?done=logo`);

      const { logo, darkLogo } = await lookOf();
      const image = await dashboard.stores.branding.findLogo(logo?.hash ?? '');
      assert.equal(Buffer.from(image?.webp ?? []).toString('latin1', 8, 12), 'WEBP');
      assert.ok(!Buffer.from(image?.webp ?? []).includes('alert'));
      assert.equal(darkLogo, undefined);
      assert.ok((await developer.get(TAB)).body.includes(`/connect/logos/${logo?.hash}.webp`));
      const preview = await developer.get('/dashboard/preview/acme');
      assert.ok(preview.body.includes(`/connect/logos/${logo?.hash}.webp`));
    });

    it('a picture that cannot be is refused at its field, and the one before stays', async () => {
      const before = await lookOf();
      const cases: readonly (readonly [string | Uint8Array<ArrayBuffer>, RegExp])[] = [
        ['GIF89a', /must be a PNG, JPEG, WebP or SVG/],
        ['', /Choose an image, or enter its URL/],
        ['\x89PNG\r\n\x1a\n', /must be a PNG/], // as UTF-8 it is none
        [svg('', 'width="30000" height="30000"'), /more pixels/],
        [`<!DOCTYPE svg [<!ENTITY a "aa">]>${svg('&a;')}`, /must not have/],
        [svg('<image href="http://169.254.169.254/"/>'), /self-contained/],
        [svg('<g>'.repeat(300) + '</g>'.repeat(300)), /nested deeper/],
        [new Uint8Array(5 * 1024 * 1024 + 1), /not be larger than 5 MB/],
      ];
      for (const [content, sentence] of cases) {
        const answer = await developer.upload(`${TAB}/logo`, uploadOf(content));
        assert.equal(answer.status, 400, String(sentence));
        assert.match(answer.body.replace(/&#\d+;/g, ''), sentence);
        assert.ok(answer.body.includes('id="logo-wrong"') && !answer.body.includes('id="dark-logo-wrong"'));
      }
      const larger = await developer.upload(`${TAB}/logo`, uploadOf(new Uint8Array(6_000_000)));
      assert.equal(larger.status, 413);
      assert.deepEqual(await lookOf(), before);
    });

    it('a body is read for nobody who may not send it', async () => {
      const huge = uploadOf(new Uint8Array(6_000_000));
      const stranger = dashboard.browser({ '__Host-kalends_session': 'x'.repeat(43) });
      assert.match(leadsTo(await stranger.upload(`${TAB}/logo`, huge)), /^\/dashboard\/sign-in/);
      const viewer = await dashboard.signedIn('viewer');
      assert.equal((await viewer.upload(`${TAB}/logo`, huge)).status, 403);
      assert.equal((await developer.upload(`${TAB.replace('acme', 'other')}/logo`, huge)).status, 404);
      assert.equal((await lookOf('other')).logo, undefined);
      const forged = uploadOf(LOGO, { token: 'of-another' });
      assert.equal((await developer.upload(`${TAB}/dark-logo`, forged)).status, 403);
      assert.equal((await developer.upload(TAB, uploadOf(new Uint8Array(20_000)))).status, 413);
    });

    it('a picture is fetched from its address once, within the rules for outgoing requests', async () => {
      const file = new FormData();
      file.set('url', addressOf('/logo.svg'));
      assert.equal(leadsTo(await developer.upload(`${TAB}/dark-logo`, file)), `${TAB}?done=logo`);
      assert.deepEqual(asked, ['/logo.svg']);
      assert.notEqual((await lookOf()).darkLogo, undefined);

      for (const url of [
        addressOf('/huge'),
        'https://10.0.0.1/logo.png',
        'http://169.254.169.254/',
        'file:///etc/passwd',
      ]) {
        const answer = await developer.post(`${TAB}/dark-logo`, { url });
        assert.equal(answer.status, 400, url);
        assert.ok(answer.body.includes('id="dark-logo-wrong"'));
      }
      const both = await developer.upload(`${TAB}/logo`, uploadOf(LOGO, { url: addressOf('/') }));
      assert.ok(both.status === 400 && asked.length === 2);
    });

    it('removing a logo keeps the other one and counts as a change of an approved value', async () => {
      const entry = { clientId: 'acme', note: undefined, now: 2 };
      await dashboard.stores.verification.makeStep({ ...entry, step: 'verify', by: undefined }, () => {});
      assert.ok((await developer.get(TAB)).body.includes('needs a new review'));

      assert.equal(leadsTo(await developer.post(`${TAB}/logo/remove`)), `${TAB}?done=removed`);

      const { logo, darkLogo } = await lookOf();
      assert.ok(logo === undefined && darkLogo !== undefined);
      const { body } = await developer.get(TAB);
      assert.ok(body.includes('until you submit the current values') && body.includes('name="values"'));
      assert.equal((await dashboard.stores.verification.findVerification('acme'))?.status, 'not_submitted');
    });

    it('shows what is typed in a frame that can do nothing, without saving it', async () => {
      const { headers, body } = await developer.get(
        `${TAB}?draft=yes&enabled=yes&primary_color=%23d61f69&language=ar&width=desktop`,
      );
      const frame = /<iframe src="([^"]+)"[^>]*>/.exec(
        body.replaceAll('&#38;', '&').replaceAll('&#61;', '='),
      );

      assert.match(frame?.[0] ?? '', / sandbox="allow-same-origin"/);
      assert.match(String(headers['content-security-policy']), /; frame-src 'self';.*frame-ancestors 'none'/);
      assert.ok(body.includes('value="#d61f69"') && body.includes('unsaved changes'));
      const shown = await developer.get(frame?.[1] ?? '');
      assert.match(shown.body, /<html lang="ar"/);
      assert.ok(shown.body.toLowerCase().includes('#d61f69'));
      assert.notEqual((await lookOf()).primaryColor, '#d61f69');
      const viewer = await dashboard.signedIn('viewer');
      assert.ok(!(await viewer.get(TAB)).body.includes('multipart/form-data'));
    });
  });
});
