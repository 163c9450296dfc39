/**
 * Linking, seeing and disconnecting accounts on the Connect pages: docs/wire.md O1, docs/security.md T4. On
 * SQLite.
 */
import assert from 'node:assert/strict';
import { hash } from 'node:crypto';
import { after, before, describe, it } from 'node:test';
import { inspect } from 'node:util';

import { connectAttempts } from '../../src/connect/flow/connect-attempts.ts';
import { GENEROUS } from '../harness/connect-limits.ts';
import {
  APPLE_PASSWORD,
  Browser,
  type Harness,
  openConnect,
  passwordProvider,
  transactionOf,
} from './connect-harness.ts';

let harness: Harness;
before(async () => {
  harness = await openConnect();
});
after(() => harness.close());

const typed = { server: 'https://dav.example.com', username: 'ada@example.com', password: 'right' };

/** A browser with the form of a provider open. */
async function openForm(userId: string, provider: 'apple' | 'caldav' = 'caldav', query = {}) {
  const browser = new Browser(harness);
  const selection = await browser.start({ user_id: userId, ...query });
  const form = await browser.get(`/connect/${provider}?transaction=${transactionOf(selection)}`);
  return {
    browser,
    form,
    send: (fields: Record<string, string>) => browser.submit(form, `/connect/${provider}`, fields),
  };
}

describe('linking an account', () => {
  it('linking an account keeps it for the user, with the hash of the browser’s new device cookie', async () => {
    const { browser, send } = await openForm('linker');

    const { status, headers } = await send(typed);

    assert.equal(status, 303);
    const device = browser.cookies.get('kalends_device') ?? '';
    assert.match(device, /^[\w-]{43}$/);
    const set = String(headers['set-cookie']);
    for (const attribute of ['HttpOnly', 'SameSite=Lax', 'Path=/', 'Max-Age=34560000']) {
      assert.ok(set.includes(attribute), attribute);
    }
    const [account] = await harness.accounts.listAccounts('acme', 'linker');
    const linkedHere = await harness.accounts.accountsLinkedBy('acme', 'linker', hash('sha256', device));
    assert.deepEqual([...linkedHere], [account?.accountKey]);
  });

  it('linking renews an account that is linked already and keeps its key', async () => {
    const first = await openForm('renewer');
    await first.send(typed);
    const [before] = await harness.accounts.listAccounts('acme', 'renewer');

    const second = await openForm('renewer');
    await second.send(typed);

    const accounts = await harness.accounts.listAccounts('acme', 'renewer');
    assert.deepEqual(
      accounts.map(({ accountKey }) => accountKey),
      [before?.accountKey],
    );
  });

  it('linking asks Apple accounts for no server', async () => {
    const { form, send } = await openForm('apple-user', 'apple');

    const { status } = await send({ username: 'jane@icloud.com', password: APPLE_PASSWORD });

    assert.equal(status, 303);
    assert.match(form.body, /<label for="username">Apple Account<\/label>/);
    assert.match(form.body, /<label for="password">App-specific password<\/label>/);
    assert.doesNotMatch(form.body, /name="server"/);
  });

  const troubles: [password: string, status: number, words: RegExp][] = [
    ['wrong', 422, /does not accept this username and password/],
    ['unavailable', 422, /cannot be reached/],
    ['no_calendars', 422, /has no calendar/],
    ['forbidden_address', 422, /private network/],
    ['not_found', 422, /No calendars were found/],
    ['rate_limited', 429, /Try again in 2 minutes/],
  ];
  for (const [password, status, text] of troubles) {
    it(`linking an account says what happened when the login is ${password}, and keeps what was typed but the password`, async () => {
      const { send } = await openForm('troubled');

      const page = await send({ ...typed, username: 'Ada "<b>"', password });

      assert.equal(page.status, status);
      assert.match(page.body, text);
      assert.match(page.body, /role="alert"/);
      assert.ok(page.body.includes('value="https://dav.example.com"'));
      assert.ok(page.body.includes('value="Ada &#34;&#60;b&#62;&#34;"'));
      assert.doesNotMatch(page.body, new RegExp(`value="${password}"`));
      assert.equal(page.headers['retry-after'], status === 429 ? '90' : undefined);
      assert.deepEqual(await harness.accounts.listAccounts('acme', 'troubled'), []);
    });
  }

  it('linking an account tells Apple’s users of app-specific passwords when theirs is refused', async () => {
    const { send } = await openForm('apple-user', 'apple');

    const page = await send({ username: 'jane@icloud.com', password: 'wron-gwro-ngwr-ongw' });

    assert.equal(page.status, 422);
    assert.match(page.body, /does not accept this Apple Account.*use an app-specific password/);
  });

  it('linking an account refuses empty and unusable fields before any server is asked', async () => {
    const { send } = await openForm('careless');
    for (const [fields, text] of [
      [{ ...typed, server: ' ' }, /Fill in every field/],
      [{ ...typed, password: '' }, /Fill in every field/],
      [{ ...typed, username: 'a\0b' }, /too long or contains characters/],
      [{ ...typed, server: 'x'.repeat(2049) }, /too long or contains characters/],
    ] as const) {
      const page = await send(fields);

      assert.equal(page.status, 422);
      assert.match(page.body, text);
    }
    assert.deepEqual(await harness.accounts.listAccounts('acme', 'careless'), []);
  });

  it('linking an account says session_expired when the user was deleted while the server was asked', async () => {
    const provider = passwordProvider('caldav');
    const duringVerification = async () =>
      void (await hasty.db.write("DELETE FROM application_user WHERE user_id = 'ada'"));
    const verify: typeof provider.signIn.verify = async (login) => {
      await duringVerification();
      return provider.signIn.verify(login);
    };
    const hasty: Harness = await openConnect({
      providers: { caldav: { ...provider, signIn: { ...provider.signIn, verify } } },
    });
    const browser = new Browser(hasty);
    const form = await browser.get(`/connect/caldav?transaction=${transactionOf(await browser.start())}`);

    const page = await browser.submit(form, '/connect/caldav', typed);

    await hasty.close();
    assert.equal(page.status, 400);
    assert.match(page.body, /expired/);
  });

  it('linking an account answers an adapter’s fault with a page in the user’s language and 500, and logs no password', async () => {
    const { send } = await openForm('unlucky', 'caldav', { lng: 'es' });

    const page = await send({ ...typed, password: 'broken' });

    assert.equal(page.status, 500);
    assert.match(page.body, /lang="es".*Algo ha salido mal/s);
    const errors = harness.logged.filter(({ level }) => level === 'error');
    assert.equal(errors.length, 1);
    assert.doesNotMatch(inspect(harness.logged, { depth: 9 }), /broken/);
  });

  it('linking an account stops after the allowed tries of one transaction, with Retry-After, and asks no server any more', async () => {
    const limits = { ...GENEROUS, passwordsPerTransaction: 2 };
    const limited = await openConnect({ attempts: connectAttempts(limits) });
    const browser = new Browser(limited);
    const form = await browser.get(`/connect/caldav?transaction=${transactionOf(await browser.start())}`);
    for (const _ of [1, 2]) await browser.submit(form, '/connect/caldav', { ...typed, password: 'wrong' });

    const page = await browser.submit(form, '/connect/caldav', typed);

    const accounts = await limited.accounts.listAccounts('acme', 'ada');
    await limited.close();
    assert.equal(page.status, 429);
    assert.match(String(page.headers['retry-after']), /^\d+$/);
    assert.match(page.body, /Too many attempts/);
    assert.deepEqual(accounts, []);
  });

  it('linking an account counts the tries of one address over its transactions', async () => {
    const limits = { ...GENEROUS, passwordsPerAddress: 1 };
    const limited = await openConnect({ attempts: connectAttempts(limits) });
    const statuses: number[] = [];
    for (const userId of ['one', 'two']) {
      const browser = new Browser(limited);
      const selection = await browser.start({ user_id: userId });
      const form = await browser.get(`/connect/caldav?transaction=${transactionOf(selection)}`);
      statuses.push((await browser.submit(form, '/connect/caldav', { ...typed, password: 'wrong' })).status);
    }

    await limited.close();
    assert.deepEqual(statuses, [422, 429]);
  });

  it('linking an account counts no right password, so that many can link from one address', async () => {
    const limits = { ...GENEROUS, passwordsPerTransaction: 1, passwordsPerAddress: 1 };
    const limited = await openConnect({ attempts: connectAttempts(limits) });
    const statuses: number[] = [];
    for (const userId of ['one', 'two', 'three']) {
      const browser = new Browser(limited);
      const selection = await browser.start({ user_id: userId });
      const form = await browser.get(`/connect/caldav?transaction=${transactionOf(selection)}`);
      statuses.push((await browser.submit(form, '/connect/caldav', typed)).status);
    }

    await limited.close();
    assert.deepEqual(statuses, [303, 303, 303]);
  });
});

describe('accounts that are linked', () => {
  it('linked accounts are whole with Disconnect to the browser that linked them, masked without it to any other', async () => {
    const { browser } = await openForm('shared');
    const linkingPage = await browser.link(await browser.start({ user_id: 'shared' }));
    const stranger = new Browser(harness);

    const strangersPage = await stranger.start({ user_id: 'shared' });
    const consent = await stranger.get(`/connect/consent?transaction=${transactionOf(strangersPage)}`);

    assert.match(linkingPage.body, /<bdi>ada@example\.com<\/bdi>/);
    assert.match(linkingPage.body, /aria-label="Disconnect ada@example\.com"/);
    for (const { status, body } of [strangersPage, consent]) {
      assert.equal(status, 200);
      assert.match(body, /<bdi>a•••@e•••\.com<\/bdi>/);
      assert.doesNotMatch(body, /ada@example\.com|Disconnect/);
    }
    assert.doesNotMatch(strangersPage.body, /<button disabled[^>]*>Continue/);
  });

  it('linked accounts are masked for a device cookie that is none of ours', async () => {
    const { send } = await openForm('forger');
    await send(typed);
    const forger = new Browser(harness);
    for (const device of ['x', 'A'.repeat(43), '%00']) {
      forger.cookies.set('kalends_device', device);

      const { body } = await forger.start({ user_id: 'forger' });

      assert.doesNotMatch(body, /ada@example\.com/);
    }
  });

  it('linked accounts go when their own browser disconnects them, and take a pending code along', async () => {
    const browser = new Browser(harness);
    const selection = await browser.link(await browser.start({ user_id: 'leaver' }));
    const consent = await browser.get(`/connect/consent?transaction=${transactionOf(selection)}`);
    await browser.submit(consent, '/connect/approve');
    const again = await browser.start({ user_id: 'leaver' });

    const gone = await browser.submit(again, '/connect/disconnect');
    const twice = await browser.submit(again, '/connect/disconnect');

    assert.deepEqual([gone.status, twice.status], [303, 303]);
    assert.match((await browser.get(gone.location)).body, /The account is disconnected/);
    assert.deepEqual(await harness.accounts.listAccounts('acme', 'leaver'), []);
    assert.ok((await harness.codes.findCode('acme', 'leaver'))?.withdrawnAt !== undefined);
  });

  it('linked accounts stay when another browser, or another user’s page, sends their key', async () => {
    const { send } = await openForm('owner');
    await send(typed);
    const [account] = await harness.accounts.listAccounts('acme', 'owner');
    const stranger = new Browser(harness);
    const page = await stranger.link(await stranger.start({ user_id: 'owner' }), 'eve@example.com');
    const elsewhere = new Browser(harness);
    const foreign = await elsewhere.link(await elsewhere.start({ user_id: 'somebody' }));
    const key = { account: account?.accountKey ?? '' };

    const refused = await stranger.submit(page, '/connect/disconnect', key);
    const unknown = await elsewhere.submit(foreign, '/connect/disconnect', key);

    assert.equal(refused.status, 403);
    assert.equal(unknown.status, 303);
    assert.ok(await harness.accounts.findAccount(account?.accountKey ?? ''));
  });

  it('linked accounts say when they need to be connected again', async () => {
    const { browser, send } = await openForm('stale');
    await send(typed);
    const [account] = await harness.accounts.listAccounts('acme', 'stale');
    assert.ok(account);
    const refused = { state: 'reauth_required', reason: 'password_refused', message: 'Refused' } as const;
    await harness.accounts.setHealth(account, refused, 5);

    const { body } = await browser.start({ user_id: 'stale' });

    assert.match(body, /Needs to be connected again/);
  });
});
