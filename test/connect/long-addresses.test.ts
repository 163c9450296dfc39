/** Flow addresses of the maximum length, and what is stored of addresses with more parameters than Kalends reads. */
import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';

import { ACME, type Answer, Browser, type Harness, openConnect } from './connect-harness.ts';

const LONG_URI = `https://app.example.com/${'é'.repeat(10)}/${'%E2%82%AC'.repeat(220)}`;
/** The longest values allowed, each character encoded. */
const LONGEST = `client_id=long&user_id=${'%C3%A9'.repeat(256)}&state=${'%FF'.repeat(2048)}&redirect_uri=${encodeURIComponent(LONG_URI)}`;

let harness: Harness;
before(async () => {
  harness = await openConnect();
  await harness.clients.createClient(
    { ...ACME, clientId: 'long', redirectUri: LONG_URI },
    'unused',
    undefined,
  );
});
after(() => harness.close());

const requestOf = async ({ location }: Answer) => {
  const transaction = new URL(location, 'http://kalends.test').searchParams.get('transaction');
  return harness.deps.requests.findRequest(transaction ?? '');
};
const users = () => harness.db.all('SELECT user_id FROM application_user');
const json = { headers: { accept: 'application/json' } };

describe('a long address of the flow', () => {
  it('the longest legal parameters start a flow, and its pages open', async () => {
    const browser = new Browser(harness);

    const started = await browser.get(`/authorize?${LONGEST}`);
    const selection = await browser.get(started.location);

    assert.equal(started.status, 302);
    assert.ok(started.location.length > 11_000, String(started.location.length));
    assert.equal(selection.status, 200);
  });

  it('the colours and the language can be chosen on a page with such an address', async () => {
    const browser = new Browser(harness);
    const { location } = await browser.get(`/authorize?${LONGEST}`);
    const selection = await browser.get(location);

    for (const [action, choice] of [
      ['/connect/theme', { theme: 'dark' }],
      ['/connect/language', { language: 'fr' }],
    ] as const) {
      const chosen = await browser.submit(selection, action, choice);

      assert.equal(chosen.status, 303, action);
      assert.equal((await browser.get(chosen.location)).status, 200);
    }
  });

  it('only what is read is kept with a request: the rest is in the first address alone', async () => {
    const read =
      'client_id=acme&user_id=ada&scope=read&state=a%20b&lng=fr&theme=dark&display=popup&response_type=code';
    const first = await new Browser(harness).get(
      `/authorize?x=${'y'.repeat(10_000)}&${read}&z=1&state=again`,
    );

    assert.match(first.location, /^\/authorize\?x=y{10000}&client_id=acme&.*&z=1&state=again&redirect_uri=/);
    assert.equal((await requestOf(first))?.query, read);
  });

  it('a parameter that is read is kept no longer than any value of it that means something', async () => {
    const started = await new Browser(harness).get(
      `/authorize?client_id=acme&user_id=ada&lng=${'f'.repeat(9000)}&theme=${'d'.repeat(5000)}`,
    );

    assert.equal((await requestOf(started))?.query, 'client_id=acme&user_id=ada');
  });

  it('providers are kept as they were understood, however often they were named', async () => {
    const named = ['apple', 'nobody', 'google', ...Array.from({ length: 500 }, () => 'apple')];
    const query = named.map((name) => `providers=${name}`).join('&');

    const started = await new Browser(harness).get(`/authorize?client_id=acme&user_id=ada&${query}`);

    assert.equal((await requestOf(started))?.query, 'client_id=acme&user_id=ada&providers=google,apple');
  });

  it('a start whose pages would have too long an address is 414, and makes no user', async () => {
    const before = await users();
    const junk = 'x'.repeat(16 * 1024 - 'client_id=acme&user_id=new&x='.length);

    const { status, body } = await new Browser(harness).get(
      `/authorize?client_id=acme&user_id=new&x=${junk}`,
      json,
    );

    assert.equal(status, 414);
    assert.match(JSON.parse(body).error_description, /16 kB, the registered redirect URI included$/);
    assert.deepEqual(await users(), before);
  });

  it('a form that is too large is 413, as page or as JSON', async () => {
    const browser = new Browser(harness);
    const form = { transaction: 'x', password: 'x'.repeat(17_000) };

    const page = await browser.post('/connect/caldav', form);
    const { status, body } = await browser.post('/connect/caldav', form, json);

    assert.equal(page.status, 413);
    assert.match(page.body, /^<!doctype html>/);
    assert.equal(status, 413);
    assert.equal(JSON.parse(body).error_description, 'The body must not be larger than 16 kB');
  });
});
