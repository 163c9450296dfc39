/** Reconnect links of accounts with a password, and of calendar links (docs/security.md T22). On SQLite. */
import assert from 'node:assert/strict';
import { after, before, beforeEach, describe, it } from 'node:test';

import type { Account } from '../../src/calendars/account-store.ts';
import { connectAttempts } from '../../src/connect/flow/connect-attempts.ts';
import { createEgress, type Egress } from '../../src/lib/egress/egress.ts';
import { caldavProvider } from '../../src/providers/caldav/caldav-provider.ts';
import { GENEROUS } from '../harness/connect-limits.ts';
import { FeedServer, SECRET } from '../servers/feed-server.ts';
import { event } from '../servers/icalendar.ts';
import { recordingLog } from '../servers/recording-log.ts';
import { connected, everyAccount } from './approvals.ts';
import {
  type Answer,
  APPLE_PASSWORD,
  Browser,
  type Harness,
  openConnect,
  passwordProvider,
} from './connect-harness.ts';
import { read } from './journeys.ts';
import { brokenLink, connectByForm, stateOf } from './reconnect-links.ts';

let users = 0;
const userId = () => `linked-${users}`;
beforeEach(() => {
  users += 1;
});

const namedInputs = ({ body }: Answer): string[] =>
  [...body.matchAll(/<input id="(\w+)"/g)].map(([, name = '']) => name);

async function onlyAccount(harness: Harness): Promise<Account> {
  const [account] = await everyAccount(harness, userId());
  assert.ok(account);
  return account;
}

/** Opens a link in a stranger's browser, up to the form. */
async function openForm(harness: Harness, account: Account) {
  const path = await brokenLink(harness, account);
  const before = await stateOf(harness, account);
  const browser = new Browser(harness);
  const form = await browser.get((await browser.get(path)).location);
  const action = `/connect/${account.provider}`;
  const send = (typed: Record<string, string>) => browser.submit(form, action, typed);
  return { path, before, browser, form, send };
}

describe('a reconnect link of an account with a password', () => {
  let harness: Harness;
  before(async () => {
    harness = await openConnect({
      providers: { apple: passwordProvider('apple'), caldav: passwordProvider('caldav') },
      attempts: connectAttempts({ ...GENEROUS, passwordsPerAccount: 2 }),
    });
  });
  after(() => harness.close());

  async function connectedAccount(kind: 'apple' | 'caldav', username = 'ada@example.com'): Promise<Account> {
    if (kind === 'caldav') await connected(harness, { userId: userId(), names: [username] });
    else
      await connectByForm(harness, { userId: userId(), kind, typed: { username, password: APPLE_PASSWORD } });
    return onlyAccount(harness);
  }

  for (const kind of ['apple', 'caldav'] as const) {
    const password = kind === 'apple' ? APPLE_PASSWORD : 'right';

    it(`a link asks for the password of the ${kind} account alone, and shows it masked`, async () => {
      const { form } = await openForm(harness, await connectedAccount(kind));

      assert.equal(form.status, 200);
      assert.match(read(form), /<h1>Reconnect a•••@e•••\.com<\/h1>/);
      assert.deepEqual(namedInputs(form), ['password']);
      assert.doesNotMatch(form.body, new RegExp(`ada@example|dav\\.example|${userId()}`));
      assert.doesNotMatch(form.body, /action="\/connect\/(cancel|approve)"|href="\/authorize/);
    });

    it(`a link reconnects the ${kind} account with its stored server and user name, and nothing else`, async () => {
      const account = await connectedAccount(kind);
      const { before, browser, send } = await openForm(harness, account);

      const sent = await send({ password, server: 'https://evil.example', username: 'eve@example.com' });
      const page = await browser.get(sent.location);

      assert.equal(sent.status, 303);
      assert.match(read(page), /<h1><bdi>ada@example\.com<\/bdi> is connected again<\/h1>/);
      const state = await stateOf(harness, account);
      assert.equal(state.health, 'active');
      assert.deepEqual({ ...state, health: '' }, { ...before, health: '' });
      assert.match(state.credentials, /ada@example\.com/);
    });

    it(`a link changes nothing after a wrong ${kind} password, and shows no name`, async () => {
      const account = await connectedAccount(kind);
      const { before, send } = await openForm(harness, account);

      const page = await send({ password: kind === 'apple' ? 'zzzz-zzzz-zzzz-zzzz' : 'wrong' });

      assert.equal(page.status, 422);
      assert.deepEqual(namedInputs(page), ['password']);
      assert.doesNotMatch(page.body, /ada@example|dav\.example/);
      assert.deepEqual(await stateOf(harness, account), before);
    });

    it(`a used link of the ${kind} account says that it is connected, and its form is finished`, async () => {
      const { path, form, send, browser } = await openForm(harness, await connectedAccount(kind));
      await send({ password });

      const opened = await new Browser(harness).get(path);
      const again = await browser.submit(form, `/connect/${kind}`, { password });

      assert.match(opened.body, /<h1>The account is connected<\/h1>/);
      assert.equal(again.status, 400);
      assert.doesNotMatch(again.body, /action="\/connect\/(cancel|approve)"/);
    });

    it(`a link of the ${kind} account is 410 if it was changed, and after seven days; its open form still works`, async () => {
      const { path, before, browser, send } = await openForm(harness, await connectedAccount(kind));
      const changed = await browser.get(path.replace(/.$/, (last) => (last === 'A' ? 'B' : 'A')));
      const wrong = await send({ password: kind === 'apple' ? 'zzzz-zzzz-zzzz-zzzz' : 'wrong' });
      harness.pass(7 * 86_400_000);
      const old = await browser.get(path);
      const late = await send({ password });

      assert.deepEqual([changed.status, wrong.status, old.status, late.status], [410, 422, 410, 400]);
      assert.deepEqual(await stateOf(harness, await onlyAccount(harness)), before);
    });

    it(`a link of a disconnected ${kind} account is 410, in its form too`, async () => {
      const account = await connectedAccount(kind);
      const { path, browser, send } = await openForm(harness, account);
      await harness.accounts.removeAccount(account.accountKey, 1, undefined);

      const page = await send({ password });
      const opened = await browser.get(path);

      assert.deepEqual([page.status, opened.status], [410, 410]);
      assert.deepEqual(await everyAccount(harness, userId()), []);
    });

    it(`the ${kind} form of a link is refused in another browser`, async () => {
      const account = await connectedAccount(kind);
      const { before, form } = await openForm(harness, account);

      const page = await new Browser(harness).submit(form, `/connect/${kind}`, { password });

      assert.equal(page.status, 400);
      assert.deepEqual(await stateOf(harness, account), before);
    });
  }

  it('a sign-in that the server calls another account changes nothing', async () => {
    const account = await connectedAccount('caldav');
    await harness.db.write("UPDATE account SET identity = 'login:other' WHERE account_key = :key", {
      key: account.accountKey,
    });
    const { before, send } = await openForm(harness, account);

    const page = await send({ password: 'right' });

    assert.equal(page.status, 422);
    assert.match(read(page), /You signed in to another account/);
    assert.deepEqual(await stateOf(harness, account), before);
  });

  it('the language of the form can be changed', async () => {
    const { browser, form } = await openForm(harness, await connectedAccount('caldav'));

    const changed = await browser.submit(form, '/connect/caldav', { password: 'x', language: 'de' });

    assert.match(changed.body, /<html lang="de"/);
    assert.deepEqual(namedInputs(changed), ['password']);
  });

  it('a proved sign-in makes the browser known for the accounts of the group', async () => {
    const { browser, send } = await openForm(harness, await connectedAccount('caldav'));
    await send({ password: 'right' });

    const page = await browser.start({ user_id: userId() });

    assert.match(read(page), /<bdi>ada@example\.com<\/bdi>/);
  });

  it('a server that accepts any password proves nothing: the account is reconnected, the browser not known', async () => {
    await connected(harness, { userId: userId(), names: ['bob@example.com', 'anybody@example.com'] });
    const account = (await everyAccount(harness, userId())).find(({ display }) => display.startsWith('any'));
    assert.ok(account);
    const { before, browser, send } = await openForm(harness, account);

    const sent = await send({ password: 'right' });
    const last = await browser.get(sent.location);
    const page = await browser.start({ user_id: userId() });

    assert.match(read(last), /<h1><bdi>a•••@e•••\.com<\/bdi> is connected again<\/h1>/);
    assert.doesNotMatch(last.body, /anybody/, 'its name stays masked');
    const state = await stateOf(harness, account);
    assert.deepEqual({ ...state, health: '', credentials: '' }, { ...before, health: '', credentials: '' });
    assert.equal(state.health, 'active');
    assert.doesNotMatch(page.body, /bob@example|anybody@example/);
    assert.match(read(page), /b•••@e•••\.com/);
  });

  it('a browser that proved nothing keeps the accounts that it was known for', async () => {
    const { browser } = await connected(harness, { userId: userId(), names: ['bob@example.com'] });
    await connected(harness, { userId: userId(), names: ['anybody@example.com'] });
    const account = (await everyAccount(harness, userId())).find(({ display }) => display.startsWith('any'));
    assert.ok(account);
    const form = await browser.get((await browser.get(await brokenLink(harness, account))).location);
    await browser.submit(form, '/connect/caldav', { password: 'right' });

    const page = await browser.start({ user_id: userId() });

    assert.match(read(page), /<bdi>bob@example\.com<\/bdi>.*a•••@e•••\.com/s);
  });

  it('wrong passwords count for the account, from any browser', async () => {
    const account = await connectedAccount('caldav');
    const statuses: number[] = [];
    for (const password of ['wrong', 'wrong', 'right'])
      statuses.push((await (await openForm(harness, account)).send({ password })).status);

    assert.deepEqual(statuses, [422, 422, 429]);
  });
});

describe('a reconnect link of a calendar link', () => {
  let harness: Harness;
  let egress: Egress;
  const server = new FeedServer();
  before(async () => {
    await server.start();
    egress = createEgress({ privateNetwork: { mode: 'loopback' } });
    const deps = { egress, log: recordingLog().log, now: Date.now, feedKey: Buffer.alloc(32, 1) };
    harness = await openConnect({ providers: { caldav: caldavProvider(deps) } });
  });
  after(async () => {
    await harness.close();
    await egress.close();
    await server.stop();
  });
  beforeEach(() => server.say(event('one', 'One').replace('VERSION:2.0', 'X-WR-CALNAME:Holidays')));

  /** Connects the calendar, and opens its link in a stranger's browser. */
  async function openLink() {
    const typed = { address: server.address };
    const { account } = await connectByForm(harness, { userId: userId(), kind: 'caldav', typed });
    return { account, ...(await openForm(harness, account)) };
  }

  it('it asks for the address, which it does not show', async () => {
    const { form } = await openLink();

    assert.match(read(form), /<h1>Reconnect H•••<\/h1>/);
    assert.deepEqual(namedInputs(form), ['address']);
    assert.ok(!form.body.includes(SECRET) && !form.body.includes('127.0.0.1'));
  });

  it('the address reconnects it, and the browser does not become known', async () => {
    const { account, before, browser, send } = await openLink();

    const last = await browser.get((await send({ address: server.address })).location);
    const page = await browser.start({ user_id: userId() });

    assert.match(read(last), /<h1><bdi>H•••<\/bdi> is connected again<\/h1>/);
    const state = await stateOf(harness, account);
    assert.deepEqual({ ...state, health: '' }, { ...before, health: '' });
    assert.equal(state.health, 'active');
    assert.match(read(page), /H•••/);
    assert.doesNotMatch(page.body, /Holidays/);
  });

  it('another address changes nothing', async () => {
    const { account, before, send } = await openLink();

    const page = await send({ address: `${server.address}?another` });

    assert.equal(page.status, 422);
    assert.match(read(page), /You signed in to another account/);
    assert.deepEqual(await stateOf(harness, account), before);
  });

  it('a used link says that it is connected; a changed, expired or foreign one changes nothing', async () => {
    const { account, path, browser, form, send } = await openLink();
    const foreign = await new Browser(harness).submit(form, '/connect/caldav', { address: server.address });
    const changed = await browser.get(path.slice(0, -2));
    assert.equal((await stateOf(harness, account)).health, 'reauth_required');
    await send({ address: server.address });

    const used = await new Browser(harness).get(path);
    const again = await send({ address: server.address });
    harness.pass(7 * 86_400_000);
    const expired = await browser.get(path);

    assert.match(used.body, /<h1>The account is connected<\/h1>/);
    assert.doesNotMatch(used.body, /Holidays|H•••/);
    assert.deepEqual(
      [foreign, changed, again, expired].map(({ status }) => status),
      [400, 410, 400, 410],
    );
  });

  it('a link of a disconnected calendar link is 410, in its form too', async () => {
    const { account, path, browser, send } = await openLink();
    await harness.accounts.removeAccount(account.accountKey, 1, undefined);

    const sent = await send({ address: server.address });

    assert.deepEqual([sent.status, (await browser.get(path)).status], [410, 410]);
    assert.deepEqual(await everyAccount(harness, userId()), []);
  });
});
