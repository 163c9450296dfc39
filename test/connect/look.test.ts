/**
 * The application's look on the Connect pages, who helps its users, and the notice on it (docs/wire.md 4.1,
 * 4.3, 4.4). On SQLite.
 */
import assert from 'node:assert/strict';
import { hash } from 'node:crypto';
import { after, before, beforeEach, describe, it } from 'node:test';

import { brandColors } from '../../src/branding/brand-colors.ts';
import { verifyNow } from '../../src/verification/reviews.ts';
import { type Answer, Browser, type Harness, openConnect, transactionOf } from './connect-harness.ts';
import { openJourneys } from './journeys.ts';

let harness: Harness;
before(async () => {
  harness = await openConnect({ operatorName: 'Northwind' });
});
after(() => harness.close());

const LOGO = { webp: Buffer.from('light') };
const DARK = { webp: Buffer.from('dark') };
const NONE = { logo: null, darkLogo: null, primaryColor: null, hideFooter: false, theme: 'auto' } as const;
beforeEach(async () => {
  const facts = { supportEmail: null, supportUrl: null };
  await harness.looks.changeLook('acme', { enabled: true, ...NONE, ...facts }, { now: 1, by: undefined });
});

const policyOf = ({ headers }: Answer): string => String(headers['content-security-policy']);
const change = (look: Parameters<Harness['looks']['changeLook']>[1]) =>
  harness.looks.changeLook('acme', look, { now: 2, by: undefined });

/** Selection, form, consent, question and an error of a flow with an account. */
async function everyPage(): Promise<Answer[]> {
  const browser = new Browser(harness);
  const one = await browser.link(await browser.start());
  const selection = await browser.link(one, 'bob@example.com');
  const transaction = transactionOf(selection);
  const paths = ['caldav', 'consent', 'disconnect-all', 'nothing'];
  const others = paths.map((path) => browser.get(`/connect/${path}?transaction=${transaction}`));
  return [selection, ...(await Promise.all(others))];
}

describe('the application’s look', () => {
  it('the application’s look is its colour on every page, in a style that the policy admits by its hash', async () => {
    await change({ primaryColor: '#d94f04' });
    const { light } = await brandColors('#d94f04');

    for (const page of await everyPage()) {
      const [, rule = ''] = /<\/style>\s*<style>(.*?)<\/style>/s.exec(page.body) ?? [];
      assert.ok(rule.includes(`--accent:light-dark(${light.accent},`));
      assert.ok(policyOf(page).includes(`'sha256-${hash('sha256', rule, 'base64')}'`));
    }
  });

  it('the application’s look is its logo, for each scheme, with a place reserved and no words of its own', async () => {
    await change({ logo: LOGO, darkLogo: DARK });
    const [light, dark] = [LOGO, DARK].map(({ webp }) => `/connect/logos/${hash('sha256', webp)}.webp`);

    const auto = await new Browser(harness).start();
    const fixed = await new Browser(harness).start({ theme: 'dark' });

    assert.ok(auto.body.includes(`<source srcset="${dark}" media="(prefers-color-scheme: dark)">`));
    assert.ok(auto.body.includes(`<img src="${light}" width="56" height="56" alt="">`));
    assert.ok(fixed.body.includes(`<img src="${dark}"`));
    assert.doesNotMatch(fixed.body, /<source/);
    for (const page of [auto, fixed]) assert.match(policyOf(page), /; img-src data: 'self';/);
  });

  it('the application’s look is its logo in both schemes where it has no other for dark pages', async () => {
    await change({ logo: LOGO });

    const { body } = await new Browser(harness).start({ theme: 'dark' });

    assert.ok(body.includes(`<img src="/connect/logos/${hash('sha256', LOGO.webp)}.webp"`));
  });

  it('the application’s look is the default look where it has none or it is switched off, and no picture is admitted then', async () => {
    await change({ logo: LOGO, primaryColor: '#d94f04', hideFooter: true, enabled: false });

    const page = await new Browser(harness).start();

    assert.match(page.body, /<bdi>Northwind<\/bdi> connects applications/);
    assert.doesNotMatch(page.body, /<img|--accent:light-dark\(#d/);
    assert.match(policyOf(page), /; img-src data:;/);
  });

  it('the application’s look can leave out the footer, but not the choice of a language', async () => {
    await change({ hideFooter: true });

    const { body } = await new Browser(harness).start();

    assert.doesNotMatch(body, /<bdi>Northwind<\/bdi> connects applications/);
    assert.match(body, /action="\/connect\/language"/);
  });

  it('the application’s look is on an error before there is a request, once the application is known', async () => {
    await change({ logo: LOGO, supportEmail: 'help@acme.example' });

    const answer = await new Browser(harness).get('/authorize?client_id=acme');
    const unknown = await new Browser(harness).get('/authorize?client_id=nobody&user_id=x');

    assert.match(answer.body, /<img .*Need help\?.*mailto:help@acme\.example/s);
    assert.doesNotMatch(unknown.body, /<img/);
    assert.match(unknown.body, /Contact the people behind the application/);
  });
});

describe('an error page', () => {
  const contacts: [rule: string, look: Parameters<typeof change>[0], words: RegExp][] = [
    ['the application, where nothing else is set', {}, /Need help\? Contact <bdi>Acme Planner<\/bdi>/],
    ['by mail', { supportEmail: 'help+kal@acme.example' }, /href="mailto:help%2Bkal@acme\.example"/],
    [
      'by page',
      { supportUrl: 'https://acme.example/help?a=1' },
      /href="https:\/\/acme\.example\/help\?a&#61;1"/,
    ],
    [
      'by both',
      { supportEmail: 'h@acme.example', supportUrl: 'https://acme.example/help' },
      /Write to .*mailto:h@acme\.example.* or visit .*https:\/\/acme\.example\/help/s,
    ],
  ];
  for (const [rule, look, text] of contacts) {
    it(`an error page says whom to ask: ${rule}`, async () => {
      await change({ ...look, enabled: false });

      const { body } = await new Browser(harness).get('/authorize?client_id=acme');

      assert.match(body, text);
    });
  }

  it('an error page leads back to the application where the request is this browser’s, and to its accounts', async () => {
    const browser = new Browser(harness);
    const selection = await browser.start({ state: 's' });

    const page = await browser.get(`/connect/nothing?transaction=${transactionOf(selection)}`);
    const end = await browser.submit(page, '/connect/cancel');

    assert.match(page.body, /Back to your calendars/);
    assert.match(page.body, /Back to <bdi>Acme Planner<\/bdi>/);
    assert.match(policyOf(page), /form-action 'self' https:\/\/app\.example\.com/);
    assert.match(end.location, /error=access_denied.*state=s$/);
  });

  it('an error page leads where the answer went once it is given', async () => {
    for (const action of ['/connect/approve', '/connect/cancel']) {
      const browser = new Browser(harness);
      const selection = await browser.link(await browser.start({ user_id: action }));
      const path = `/connect/consent?transaction=${transactionOf(selection)}`;
      const first = await browser.submit(selection, action);

      const finished = await browser.get(path);
      const again = await browser.submit(finished, action);

      assert.match(finished.body, /Already finished.*Back to <bdi>Acme Planner/s);
      assert.equal(again.location, first.location);
    }
  });

  it('an error page shows no form of a request that is not this browser’s', async () => {
    const browser = new Browser(harness);
    const { location } = await browser.get('/authorize?client_id=acme&user_id=mine');

    const page = await new Browser(harness).get(location);

    const actions = [...page.body.matchAll(/<form[^>]* action="([^"]*)"/g)].map(([, action]) => action);
    assert.deepEqual(actions, ['/authorize', '/connect/theme'], 'language and colours of the page alone');
    assert.doesNotMatch(page.body, /name="token"/);
  });

  it('an error page names what the operator finds a fault by, and is shown even when looks cannot be read', async () => {
    const broken = await openConnect();
    const browser = new Browser(broken);
    const { location } = await browser.get('/authorize?client_id=acme&user_id=x&lng=fr');
    await broken.db.write('DROP TABLE application_look', {});

    const page = await browser.get(location);

    await broken.close();
    assert.equal(page.status, 500);
    assert.match(page.body, /<html lang="fr"/);
    assert.ok(page.body.includes(String(page.headers['x-request-id'])));
  });

  it('an error page offers the administrator’s page to be copied', async () => {
    const journeys = await openJourneys();
    const { browser, sent } = await journeys.depart('microsoft');

    const page = await browser.get(journeys.microsoft.refuse(sent.location, 'consent_required'));

    await journeys.harness.close();
    assert.match(page.body, /hidden data-copy="https:/);
  });
});

describe('the notice on applications that are not verified', () => {
  it('the notice on unverified applications names operator and application on selection and consent, and says what it means', async () => {
    const [selection, , consent, question] = await everyPage();

    for (const page of [selection, consent]) {
      assert.match(
        page?.body ?? '',
        /<summary>.*Not verified by <bdi>Northwind<\/bdi>.*<\/summary>.*<bdi>Northwind<\/bdi> has not reviewed <bdi>Acme Planner<\/bdi>.*A review checks/s,
      );
    }
    assert.doesNotMatch(question?.body ?? '', /Not verified/);
  });

  it('the notice on unverified applications is not there for a verified application, nor where no operator is named', async () => {
    const reviewed = await openConnect({ operatorName: 'Northwind' });
    await verifyNow(
      { clientId: 'acme' },
      { verification: reviewed.verification, now: () => 1, by: undefined },
    );
    const verified = await new Browser(reviewed).start();
    const nobody = await openConnect();
    const unnamed = await new Browser(nobody).start();
    await Promise.all([reviewed.close(), nobody.close()]);

    for (const page of [verified, unnamed]) assert.doesNotMatch(page.body, /Not verified/);
  });
});
