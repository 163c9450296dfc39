/** The cookies of the Connect pages: docs/wire.md O2.7, docs/security.md T8. Over HTTP on SQLite. */
import assert from 'node:assert/strict';
import { after, before, beforeEach, describe, it } from 'node:test';

import { allow, connected, endsOf } from './approvals.ts';
import { type Answer, Browser, type Harness, openConnect, transactionOf } from './connect-harness.ts';

type SetCookie = { readonly name: string; readonly value: string; readonly attributes: readonly string[] };

/** Returns the cookies that a response sets, with sorted attributes. */
const cookiesOf = ({ headers }: Answer): SetCookie[] =>
  [headers['set-cookie'] ?? []].flat().map((set) => {
    const [pair = '', ...attributes] = String(set).split('; ');
    const at = pair.indexOf('=');
    return { name: pair.slice(0, at), value: pair.slice(at + 1), attributes: attributes.toSorted() };
  });

const TRANSACTION = /^kalends_tx_[\w-]{22}$/;
const transactionsIn = ({ cookies }: Browser): string[] =>
  [...cookies.keys()].filter((name) => name.includes('kalends_tx_'));

let harness: Harness;
before(async () => {
  harness = await openConnect();
});
after(() => harness.close());
let users = 0;
beforeEach(() => {
  users += 1;
});
const start = (browser: Browser, userId = `cookie-${users}`) =>
  browser.get(`/authorize?client_id=acme&user_id=${userId}`);

describe('the cookies of a flow', () => {
  it('the cookies of a flow are oauth_req as the requirement has it, and the transaction’s own secret', async () => {
    const started = await start(new Browser(harness));
    const transaction = /transaction=([\w-]{22})$/.exec(started.location)?.[1];

    const [request, own, ...more] = cookiesOf(started);

    assert.deepEqual(JSON.parse(decodeURIComponent(request?.value ?? '')), {
      client_id: 'acme',
      user_id: `cookie-${users}`,
      transaction,
    });
    assert.equal(own?.name, `kalends_tx_${transaction}`);
    assert.match(own?.value ?? '', /^[\da-z]+\.[\w-]{43}$/);
    for (const cookie of [request, own]) {
      assert.deepEqual(cookie?.attributes, ['HttpOnly', 'Max-Age=7200', 'Path=/', 'SameSite=Lax']);
    }
    assert.equal(request?.name, 'oauth_req');
    assert.deepEqual(more, []);
  });

  it('the cookies of a flow have secrets that no page and no other cookie shows', async () => {
    const browser = new Browser(harness);
    const started = await start(browser);
    const [, own] = cookiesOf(started);
    const secret = own?.value.split('.')[1] ?? 'none';
    const page = await browser.link(await browser.get(started.location));
    const device = browser.cookies.get('kalends_device') ?? 'none';

    for (const shown of [started.location, page.body, browser.cookies.get('oauth_req') ?? '']) {
      assert.ok(!shown.includes(secret));
      assert.ok(!shown.includes(device));
    }
  });

  it('the cookies of a flow are only their own: oauth_req alone opens no page', async () => {
    const browser = new Browser(harness);
    const { location } = await start(browser);
    for (const name of transactionsIn(browser)) browser.cookies.delete(name);

    const page = await browser.get(location);

    assert.equal(page.status, 400);
    assert.match(page.body, /This page has expired/);
  });

  it('the cookies of a flow work without oauth_req, which proves nothing', async () => {
    const browser = new Browser(harness);
    const { location } = await start(browser);
    browser.cookies.delete('oauth_req');

    assert.equal((await browser.get(location)).status, 200);
  });

  it('the cookies of a flow are no use for another transaction', async () => {
    const browser = new Browser(harness);
    const { location } = await start(browser);
    const other = await start(new Browser(harness), 'somebody');
    const transaction = /transaction=([\w-]{22})/.exec(other.location)?.[1];
    const [name = ''] = transactionsIn(browser);
    browser.cookies.set(`kalends_tx_${transaction}`, browser.cookies.get(name) ?? '');

    assert.equal((await browser.get(other.location)).status, 400);
    assert.equal((await browser.get(location)).status, 200);
  });

  const broken = [
    '',
    'x',
    `t0.${'x'.repeat(42)}`,
    `.${'x'.repeat(43)}`,
    `${'z'.repeat(9)}.${'x'.repeat(43)}`,
  ];
  for (const value of [...broken, '%00', '%ff', '__proto__', `t0.${'x'.repeat(43)}; b`]) {
    it(`the cookies of a flow read as absent with the value ${JSON.stringify(value)}`, async () => {
      const browser = new Browser(harness);
      const { location } = await start(browser);
      const [name = ''] = transactionsIn(browser);
      browser.cookies.set(name, value);
      browser.cookies.set('kalends_device', value);
      browser.cookies.set('oauth_req', value);

      assert.equal((await browser.get(location)).status, 400);
    });
  }
});

describe('several transactions in one browser', () => {
  it('eight transactions work side by side in one browser, and the ninth ends the oldest', async () => {
    const browser = new Browser(harness);
    const started: Answer[] = [];
    for (let index = 1; index <= 8; index += 1) {
      started.push(await start(browser, `cookie-${users}-${index}`));
      harness.pass(1000);
    }
    const statuses = async () =>
      (await Promise.all(started.map(({ location }) => browser.get(location)))).map(({ status }) => status);
    const before = await statuses();

    const ninth = await start(browser, 'ninth');

    assert.deepEqual(
      before,
      Array.from({ length: 8 }, () => 200),
    );
    assert.deepEqual(await statuses(), [400, ...Array.from({ length: 7 }, () => 200)]);
    assert.equal((await browser.get(ninth.location)).status, 200);
    assert.equal(transactionsIn(browser).length, 8);
    const ended = cookiesOf(ninth).filter(({ attributes }) => attributes.includes('Max-Age=0'));
    assert.equal(ended.length, 1);
    assert.match(ended[0]?.name ?? '', TRANSACTION);
  });

  it('the oldest transactions end if a browser sends more than eight', async () => {
    const browser = new Browser(harness);
    for (let index = 0; index < 20; index += 1) {
      const id = String(index).padStart(22, 'x');
      browser.cookies.set(`kalends_tx_${id}`, `${index.toString(36)}.${'x'.repeat(43)}`);
    }

    await start(browser);

    assert.equal(transactionsIn(browser).length, 8);
  });

  it('two applications are allowed from one browser, each for its own user', async () => {
    const browser = new Browser(harness);
    const one = await browser.link(await browser.start({ user_id: `one-${users}` }), 'one@example.com');
    const two = await browser.link(await browser.start({ user_id: `two-${users}` }), 'two@example.com');

    assert.doesNotMatch(one.body, /two@example/);
    assert.doesNotMatch(two.body, /one@example/);
    assert.match((await allow(browser, one)).location, /code=one-/);
    assert.match((await allow(browser, two)).location, /code=two-/);
  });
});

describe('the device cookie', () => {
  it('the device cookie is set by what proves something, and by nothing else', async () => {
    const browser = new Browser(harness);
    const page = await browser.start({ user_id: `cookie-${users}` });
    const form = await browser.get(`/connect/caldav?transaction=${transactionOf(page)}&by=server`);
    const typed = { server: 'https://dav.example.com', username: 'ada@example.com', password: 'wrong' };

    await browser.submit(form, '/connect/caldav', typed);

    assert.equal(browser.cookies.get('kalends_device'), undefined);
  });

  it('the device cookie is kept for 400 days, and gets a new value with each account', async () => {
    const browser = new Browser(harness);
    const page = await browser.start({ user_id: `cookie-${users}` });
    const secrets: string[] = [];
    for (const username of ['a@example.com', 'b@example.com']) {
      const form = await browser.get(`/connect/caldav?transaction=${transactionOf(page)}&by=server`);
      const typed = { server: 'https://dav.example.com', username, password: 'right' };
      const [device, ...others] = cookiesOf(await browser.submit(form, '/connect/caldav', typed));
      assert.deepEqual(device?.attributes, ['HttpOnly', 'Max-Age=34560000', 'Path=/', 'SameSite=Lax']);
      assert.deepEqual(others, []);
      secrets.push(device?.value ?? '');
    }

    for (const secret of secrets) assert.match(secret, /^[\w-]{43}$/);
    assert.equal(new Set(secrets).size, 2);
  });

  it('the device cookie proves its user’s accounts and no other user’s', async () => {
    const { browser } = await connected(harness, { userId: `cookie-${users}` });
    await connected(harness, { userId: `other-${users}` });

    const own = await browser.start({ user_id: `cookie-${users}` });
    const other = await browser.start({ user_id: `other-${users}` });

    assert.deepEqual([endsOf(own), endsOf(other)], [['Done'], ['Cancel']]);
  });
});

describe('the cookies at an https origin', () => {
  it('the cookies’ secrets are __Host- and Secure at an https origin, and read under no other name', async () => {
    const secure = await openConnect({ publicUrl: 'https://cal.example.com' });
    const browser = new Browser(secure);
    const started = await browser.get('/authorize?client_id=acme&user_id=ada');
    const page = await browser.link(await browser.get(started.location));
    const names = [...browser.cookies.keys()].toSorted();

    const sets = cookiesOf(started);
    const renamed = new Browser(secure);
    for (const [name, value] of browser.cookies) renamed.cookies.set(name.replace('__Host-', ''), value);
    const planted = await renamed.get(started.location);

    await secure.close();
    const transaction = transactionOf(page);
    assert.deepEqual(names, [`__Host-kalends_device`, `__Host-kalends_tx_${transaction}`, 'oauth_req']);
    for (const { attributes } of sets) {
      assert.ok(attributes.includes('Secure') && attributes.includes('Path=/'));
      assert.ok(!attributes.some((attribute) => /^domain/i.test(attribute)), 'as __Host- demands');
    }
    assert.equal(planted.status, 400);
  });
});
