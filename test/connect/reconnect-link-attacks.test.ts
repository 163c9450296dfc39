/** Attempts to get more from a reconnect link than it gives (docs/security.md T22). On SQLite. */
import assert from 'node:assert/strict';
import { after, before, beforeEach, describe, it } from 'node:test';

import { connectAttempts } from '../../src/connect/flow/connect-attempts.ts';
import { createSealer } from '../../src/lib/sealing.ts';
import { openStores } from '../../src/store/open-stores.ts';
import { GENEROUS } from '../harness/connect-limits.ts';
import { connected, everyAccount } from './approvals.ts';
import { Browser, type Harness, openConnect } from './connect-harness.ts';
import { brokenLink, connectByForm, stateOf } from './reconnect-links.ts';

const CALDAV = {
  kind: 'caldav',
  typed: { server: 'dav.example.com', username: 'ada@example.com', password: 'right' },
} as const;

let harness: Harness;
let users = 0;
const userId = () => `victim-${users}`;
before(async () => {
  harness = await openConnect();
});
after(() => harness.close());
beforeEach(() => {
  users += 1;
});

/** Opens the link of a user's first account in a browser that is known for the user's accounts. */
async function openKnown() {
  const { browser } = await connected(harness, {
    userId: userId(),
    names: ['ada@example.com', 'bob@example.com'],
  });
  const [account, other] = await everyAccount(harness, userId());
  assert.ok(account && other);
  const path = await brokenLink(harness, account);
  const before = await stateOf(harness, account);
  const opened = await browser.get(path);
  const transaction = new URL(opened.location, 'http://x').searchParams.get('transaction') ?? '';
  const token = (await harness.deps.requests.findRequest(transaction))?.formToken ?? '';
  return { account, other, before, browser, opened, transaction, fields: { transaction, token } };
}

async function signIn(browser: Browser, fields: Record<string, string>): Promise<void> {
  const sent = await browser.post('/connect/caldav', { ...fields, password: 'right' });
  assert.match(sent.location, /^\/connect\/reconnected/);
}

describe('the transaction of a reconnect link', () => {
  const pages = [
    '/authorize?transaction=T',
    '/connect/consent?transaction=T',
    '/connect/waiting?transaction=T',
    '/connect/progress?transaction=T',
    '/connect/disconnect?transaction=T&account=A',
    '/connect/disconnect-all?transaction=T',
    '/connect/calendars?transaction=T&account=A',
  ];
  for (const page of pages) {
    it(`it does not open ${page}, before and after the sign-in`, async () => {
      const { account, before, browser, transaction, fields } = await openKnown();
      const url = page.replace('=T', `=${transaction}`).replace('=A', `=${account.accountKey}`);

      const first = await browser.get(url);
      const state = await stateOf(harness, account);
      await signIn(browser, fields);
      const second = await browser.get(url);

      assert.deepEqual([first.status, second.status], [400, 400]);
      assert.doesNotMatch(first.body + second.body, /ada@example|bob@example/);
      assert.deepEqual(state, before);
    });
  }

  const forms = ['approve', 'cancel', 'remove', 'disconnect', 'disconnect-all', 'calendars'];
  for (const form of forms) {
    it(`its form token does not open POST /connect/${form}, before and after the sign-in`, async () => {
      const { account, other, before, browser, fields } = await openKnown();
      const sent = { ...fields, account: other.accountKey };

      const first = await browser.post(`/connect/${form}`, sent);
      assert.deepEqual(await stateOf(harness, account), before);
      await signIn(browser, fields);
      const second = await browser.post(`/connect/${form}`, sent);

      for (const { status, location } of [first, second]) {
        assert.equal(status, 400);
        assert.equal(location, '');
      }
      const { codes, coverage, accounts } = await stateOf(harness, account);
      assert.deepEqual([codes, coverage, accounts], [before.codes, before.coverage, before.accounts]);
    });
  }

  it('it opens no form of another provider, and none for another account', async () => {
    const { other, browser, transaction } = await openKnown();

    const apple = await browser.get(`/connect/apple?transaction=${transaction}`);
    const google = await browser.get(`/connect/google?transaction=${transaction}`);
    const form = await browser.get(`/connect/caldav?transaction=${transaction}&account=${other.accountKey}`);
    const confirm = await browser.get(
      `/connect/caldav?transaction=${transaction}&confirm=${other.accountKey}`,
    );

    assert.deepEqual([apple.status, google.status], [404, 404]);
    assert.match(form.body, /Reconnect a•••@e•••\.com/);
    assert.match(confirm.body, /Reconnect a•••@e•••\.com/);
  });

  it('a form without its token is refused', async () => {
    const { account, before, browser, transaction } = await openKnown();

    const page = await browser.post('/connect/caldav', { transaction, password: 'right' });

    assert.equal(page.status, 403);
    assert.deepEqual(await stateOf(harness, account), before);
  });

  it('opening sets no cookie with the user’s id', async () => {
    const { opened } = await openKnown();

    assert.doesNotMatch(JSON.stringify(opened.headers), new RegExp(`oauth_req|${userId()}`));
  });

  it('it expires after two hours', async () => {
    const { account, before, browser, fields } = await openKnown();
    harness.pass(7_200_000);

    const page = await browser.post('/connect/caldav', { ...fields, password: 'right' });

    assert.equal(page.status, 400);
    assert.deepEqual(await stateOf(harness, account), before);
  });

  it('the last page is closed to an ordinary transaction, and to a link that is not finished', async () => {
    const { browser, transaction } = await openKnown();
    const ordinary = await browser.start({ user_id: userId() });
    const [, other = ''] = /name="transaction" value="([\w-]+)"/.exec(ordinary.body) ?? [];

    const early = await browser.get(`/connect/reconnected?transaction=${transaction}`);
    const foreign = await browser.get(`/connect/reconnected?transaction=${other}`);

    assert.match(early.location, /^\/connect\/caldav\?/);
    assert.match(foreign.location, /^\/authorize\?/);
  });
});

describe('an open sign-in of a reconnect link', () => {
  const right = { password: 'right' };

  it('reconnects nothing once its user is deleted', async () => {
    const { browser, fields } = await openKnown();
    const { users: store } = openStores(harness.db, { sealer: harness.sealer });
    await store.deleteUser('acme', userId(), { now: 1, by: undefined });

    const page = await browser.post('/connect/caldav', { ...fields, ...right });

    assert.equal(page.status, 400);
    assert.deepEqual(await everyAccount(harness, userId()), []);
  });

  it('reconnects nothing once its application is deleted, and then the link is 410', async () => {
    const own = await openConnect();
    const { account } = await connectByForm(own, { userId: 'ada', ...CALDAV });
    const path = await brokenLink(own, account);
    const browser = new Browser(own);
    const form = await browser.get((await browser.get(path)).location);
    await own.clients.deleteClient('acme', 1, undefined);

    const sent = await browser.submit(form, '/connect/caldav', right);
    const opened = await browser.get(path);
    await own.close();

    assert.deepEqual([sent.status, opened.status], [400, 410]);
  });

  it('works for a user who has reached the limit of accounts', async () => {
    const own = await openConnect({ accountLimits: { ofPerson: 1, ofUser: 1 } });
    const { account } = await connectByForm(own, { userId: 'ada', ...CALDAV });
    const browser = new Browser(own);
    const form = await browser.get((await browser.get(await brokenLink(own, account))).location);

    const sent = await browser.submit(form, '/connect/caldav', right);
    const { health, accounts } = await stateOf(own, account);
    await own.close();

    assert.match(sent.location, /^\/connect\/reconnected/);
    assert.deepEqual([health, accounts], ['active', [account.accountKey]]);
  });

  it('works in two browsers at once, and leaves one account', async () => {
    const { account } = await connectByForm(harness, { userId: userId(), ...CALDAV });
    const path = await brokenLink(harness, account);
    const before = await stateOf(harness, account);
    const open = async () => {
      const browser = new Browser(harness);
      return { browser, form: await browser.get((await browser.get(path)).location) };
    };
    const tabs = [await open(), await open()];

    const sent = await Promise.all(
      tabs.map(({ browser, form }) => browser.submit(form, '/connect/caldav', right)),
    );

    for (const { location } of sent) assert.match(location, /^\/connect\/reconnected/);
    const state = await stateOf(harness, account);
    assert.deepEqual({ ...state, health: '' }, { ...before, health: '' });
  });

  it('that is sent twice at once never says that the link has expired', async () => {
    const { account, browser, fields } = await openKnown();

    const sent = await Promise.all(
      [1, 2, 3].map(() => browser.post('/connect/caldav', { ...fields, ...right })),
    );

    // 400: the request had ended before this sign-in was saved.
    assert.ok(
      sent.every(({ status }) => status === 303 || status === 400),
      JSON.stringify(sent),
    );
    assert.ok(sent.some(({ location }) => location.startsWith('/connect/reconnected')));
    assert.equal((await stateOf(harness, account)).health, 'active');
  });
});

describe('opening reconnect links', () => {
  it('it works for applications that must push their requests', async () => {
    await connected(harness, { userId: userId() });
    const [account] = await everyAccount(harness, userId());
    assert.ok(account);
    const path = await brokenLink(harness, account);
    await harness.clients.updateClient('acme', { pushedRequests: 'required' }, { now: 1, by: undefined });

    const opened = await new Browser(harness).get(path);

    await harness.clients.updateClient('acme', { pushedRequests: 'accepted' }, { now: 2, by: undefined });
    assert.equal(opened.status, 302);
  });

  it('a provider that is not offered any more is 404', async () => {
    await connected(harness, { userId: userId() });
    const [account] = await everyAccount(harness, userId());
    assert.ok(account);
    const path = await brokenLink(harness, account);
    await harness.clients.updateClient('acme', { providers: ['google'] }, { now: 1, by: undefined });

    const opened = await new Browser(harness).get(path);

    await harness.clients.updateClient('acme', { providers: null }, { now: 2, by: undefined });
    assert.equal(opened.status, 404);
  });

  it('a link ends with the master key', async () => {
    await connected(harness, { userId: userId() });
    const [account] = await everyAccount(harness, userId());
    assert.ok(account);
    const other = { ...harness.deps, sealer: createSealer(Buffer.alloc(32, 7)) };
    const path = await brokenLink({ ...harness, deps: other }, account);

    assert.equal((await new Browser(harness).get(path)).status, 410);
  });

  it('opening links is limited like /authorize, and forged links use up nothing of it', async () => {
    const limited = await openConnect({ attempts: connectAttempts({ ...GENEROUS, authorizePerMinute: 2 }) });
    const { account } = await connectByForm(limited, { userId: userId(), ...CALDAV });
    const path = await brokenLink(limited, account);
    const statusesOf = async (...paths: string[]) => {
      const browser = new Browser(limited);
      const answers = [];
      for (const one of paths) answers.push((await browser.get(one)).status);
      return answers;
    };

    const forged = await statusesOf('/reconnect/AAAA', path.slice(0, -1), `${path}AAAA`, '/reconnect/AAAA');
    const valid = await statusesOf(path, path);
    limited.pass(7 * 86_400_000);
    const expired = await statusesOf(path, path, '/reconnect/AAAA');
    await limited.close();

    assert.deepEqual(
      [forged, valid, expired],
      [
        [410, 410, 410, 410],
        [302, 429],
        [410, 410, 410],
      ],
    );
  });

  it('a program that opens a link first, such as a mail scanner, does not use it up', async () => {
    const { account } = await connectByForm(harness, { userId: userId(), ...CALDAV });
    const path = await brokenLink(harness, account);
    const before = await stateOf(harness, account);
    const head = await harness.app.inject({ method: 'HEAD', url: path });
    const scanner = new Browser(harness);
    for (const _ of [1, 2]) await scanner.get((await scanner.get(path)).location);
    assert.deepEqual(await stateOf(harness, account), before);

    const browser = new Browser(harness);
    const opened = await browser.get(path);
    const sent = await browser.submit(await browser.get(opened.location), '/connect/caldav', {
      password: 'right',
    });

    assert.ok(head.statusCode >= 400);
    assert.match(sent.location, /^\/connect\/reconnected/);
    const { 'cache-control': cache, 'referrer-policy': referrer } = opened.headers;
    assert.deepEqual([cache, referrer], ['no-store', 'no-referrer']);
  });

  it('a link does not appear in the log', async () => {
    await connected(harness, { userId: userId() });
    const [account] = await everyAccount(harness, userId());
    assert.ok(account);
    const path = await brokenLink(harness, account);
    await new Browser(harness).get(path);

    assert.ok(!JSON.stringify(harness.logged).includes(path.split('/').at(-1) ?? ''));
  });
});
