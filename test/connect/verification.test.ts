/** Pages of a verified application whose new values are not yet approved (docs/wire.md 5.3). On SQLite. */
import assert from 'node:assert/strict';
import { hash } from 'node:crypto';
import { after, before, describe, it } from 'node:test';

import {
  approveSubmission,
  submissionOf,
  submitForReview,
  withdrawVerification,
} from '../../src/verification/reviews.ts';
import { Browser, type Harness, openConnect, transactionOf } from './connect-harness.ts';

const [OLD, NEW] = [{ webp: Buffer.from('old') }, { webp: Buffer.from('new') }];
const pathOf = ({ webp }: typeof OLD) => `/connect/logos/${hash('sha256', webp)}.webp`;
const ACME = { clientId: 'acme' };

describe('a verified application', () => {
  let harness: Harness;
  let deps: { verification: Harness['verification']; now: () => number; by: undefined };
  before(async () => {
    harness = await openConnect({ operatorName: 'Northwind' });
    deps = { verification: harness.verification, now: () => 1, by: undefined };
    await harness.looks.changeLook(
      'acme',
      {
        applicationUrl: 'https://acme.example',
        supportEmail: 'help@acme.example',
        supportUrl: 'https://acme.example/help',
        logo: OLD,
      },
      { now: 1, by: undefined },
    );
    await review();
    await harness.clients.updateClient('acme', { displayName: 'Your Bank' }, { now: 2, by: undefined });
    const links = { supportEmail: 'x@evil.example', supportUrl: 'https://evil.example/help' };
    const atOnce = { primaryColor: '#d94f04', theme: 'dark', hideFooter: true } as const;
    await harness.looks.changeLook(
      'acme',
      { ...links, ...atOnce, logo: NEW, darkLogo: NEW },
      { now: 2, by: undefined },
    );
  });
  after(() => harness.close());

  const review = async () => {
    const submitted = await submitForReview(ACME, deps);
    assert.ok(submitted !== undefined);
    await approveSubmission({ ...ACME, submission: submissionOf(submitted) }, deps);
  };
  /**
   * Returns every kind of page with branding: selection, form, consent, a question, errors with and without a request.
   */
  const everyPage = async (): Promise<string[]> => {
    const browser = new Browser(harness);
    const selection = await browser.link(await browser.link(await browser.start()), 'bob@example.com');
    const transaction = transactionOf(selection);
    const paths = ['apple', 'consent', 'disconnect-all', 'nothing'].map(
      (path) => `/connect/${path}?transaction=${transaction}`,
    );
    const others = await Promise.all(
      [...paths, '/authorize?client_id=acme'].map((path) => browser.get(path)),
    );
    return [selection, ...others].map(({ body }) => body);
  };
  const helpPage = async () => (await new Browser(harness).get('/authorize?client_id=acme')).body;
  const logoStatus = async (logo: typeof OLD) => (await harness.app.inject(pathOf(logo))).statusCode;

  it('a verified application keeps its approved name, logo and support links on every page after an edit', async () => {
    const pages = await everyPage();
    const help = await helpPage();

    for (const body of pages) {
      assert.doesNotMatch(body, /Your Bank|evil\.example/);
      assert.ok(!body.includes(pathOf(NEW)));
      assert.ok(body.includes(pathOf(OLD)));
      assert.doesNotMatch(body, /Not verified/);
    }
    assert.match(pages[0] ?? '', /Acme Planner/);
    assert.match(help, /mailto:help@acme\.example.*https:\/\/acme\.example\/help/s);
    assert.equal(await logoStatus(OLD), 200);
  });

  it('a verified application shows changes of its colour, theme and footer at once', async () => {
    const { body } = await new Browser(harness).start();

    assert.match(body, /--accent:light-dark\(/);
    assert.match(body, /<html[^>]* data-theme="dark"/);
    assert.doesNotMatch(body, /<bdi>Northwind<\/bdi> connects applications/);
  });

  it('a verified application sends browsers to a changed redirect URI at once', async () => {
    await harness.clients.updateClient(
      'acme',
      { redirectUris: () => ['https://new.example/cb'] },
      { now: 3, by: undefined },
    );
    const browser = new Browser(harness);

    const selection = await browser.start({ state: 's' });
    const { location } = await browser.submit(selection, '/connect/cancel');

    assert.match(location, /^https:\/\/new\.example\/cb\?/);
    assert.equal((await harness.verification.findVerification('acme'))?.status, 'not_submitted');
  });

  it('a verified application keeps what was approved while the new values are under review', async () => {
    await submitForReview(ACME, deps);

    for (const body of await everyPage()) assert.doesNotMatch(body, /Your Bank|evil\.example/);
  });

  it('a verified application shows the new values once they are approved, and the old logo is gone', async () => {
    const found = await harness.verification.findVerification('acme');
    assert.ok(found !== undefined);
    await approveSubmission({ ...ACME, submission: submissionOf(found) }, deps);

    const { body } = await new Browser(harness).start();
    const help = await helpPage();

    assert.match(body, /Your Bank/);
    assert.ok(body.includes(pathOf(NEW)));
    assert.match(help, /mailto:x@evil\.example/);
    assert.deepEqual([await logoStatus(OLD), await logoStatus(NEW)], [404, 200]);
  });

  it('an application whose verification is withdrawn shows what it has set, and the notice', async () => {
    await harness.clients.updateClient('acme', { displayName: 'Something else' }, { now: 4, by: undefined });
    await withdrawVerification({ ...ACME, note: 'Spam' }, deps);

    const { body } = await new Browser(harness).start();

    assert.match(body, /Not verified by <bdi>Northwind<\/bdi>/);
    assert.match(body, /Something else/);
  });
});
