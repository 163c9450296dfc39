/**
 * Tests linking, viewing and disconnecting accounts on the Connect pages: docs/wire.md O1, docs/security.md T4. On
 * SQLite.
 */
import assert from 'node:assert/strict';
import { hash } from 'node:crypto';
import { after, before, describe, it } from 'node:test';
import { inspect } from 'node:util';

import { connectAttempts } from '../../src/connect/flow/connect-attempts.ts';
import { GENEROUS } from '../harness/connect-limits.ts';
import { allow, codeOf, connected, everyAccount, readBy, redeem } from './approvals.ts';
import {
  type Answer,
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

const linkedFor = (userId: string) => everyAccount(harness, userId);
const typed = { server: 'https://dav.example.com', username: 'ada@example.com', password: 'right' };

/** Returns the path of the form with a server's address, which Apple's lacks. */
const formPath = (provider: 'apple' | 'caldav', selection: Answer): string =>
  `/connect/${provider}?transaction=${transactionOf(selection)}&by=server`;

/** Opens the form of a provider in a browser. */
async function openForm(userId: string, provider: 'apple' | 'caldav' = 'caldav', query = {}) {
  const browser = new Browser(harness);
  const selection = await browser.start({ user_id: userId, ...query });
  const form = await browser.get(formPath(provider, selection));
  return {
    browser,
    form,
    selection,
    send: (fields: Record<string, string>) => browser.submit(form, `/connect/${provider}`, fields),
  };
}

describe('linking an account', () => {
  it('linking stores an account for its transaction, and gives the browser a new secret that proves it', async () => {
    const { browser, send, selection } = await openForm('linker');

    const { status, headers } = await send(typed);

    assert.equal(status, 303);
    const device = browser.cookies.get('kalends_device') ?? '';
    assert.match(device, /^[\w-]{43}$/);
    const set = String(headers['set-cookie']);
    for (const attribute of ['HttpOnly', 'SameSite=Lax', 'Path=/', 'Max-Age=34560000']) {
      assert.ok(set.includes(attribute), attribute);
    }
    const user = { clientId: 'acme', userId: 'linker' };
    const { groups } = await harness.deps.requests.groupsOf(user, hash('sha256', device), 0);
    assert.deepEqual(
      groups.map(({ isOfThisBrowser, unfinished, accounts }) => {
        return [isOfThisBrowser, unfinished?.transactionId, accounts.map(({ display }) => display)];
      }),
      [[true, transactionOf(selection), ['ada@example.com']]],
    );
    assert.deepEqual(await harness.accounts.listAccounts('acme', 'linker'), [], 'it is not the user’s yet');
  });

  it('linking starts an account’s first sync at once, before it is allowed', async () => {
    const { send } = await openForm('waiting');
    await send(typed);
    const [account] = await linkedFor('waiting');

    const job = await harness.db.get<{ kind: string }>('SELECT kind FROM job WHERE key = :key', {
      key: account?.accountKey ?? '',
    });

    assert.deepEqual({ ...job }, { kind: 'sync-account' });
  });

  it('linking again in one transaction renews the account there is and keeps its key', async () => {
    const { browser, send, selection } = await openForm('renewer');
    await send(typed);
    const [before] = await linkedFor('renewer');

    await browser.submit(await browser.get(formPath('caldav', selection)), '/connect/caldav', typed);

    const accounts = await linkedFor('renewer');
    assert.deepEqual(
      accounts.map(({ accountKey, timesLinked }) => [accountKey, timesLinked]),
      [[before?.accountKey, 2]],
    );
  });

  it('linking an account that is connected already renews it with Allow, and keeps its key', async () => {
    const { browser, grant } = await connected(harness, { userId: 'keeper' });
    const [before] = await readBy(harness, grant);

    const page = await browser.link(await browser.start({ user_id: 'keeper' }));
    await allow(browser, page);

    assert.equal((await linkedFor('keeper')).length, 1);
    const [after] = await readBy(harness, grant);
    assert.deepEqual([after?.accountKey, after?.timesLinked], [before?.accountKey, 2]);
  });

  it('linking gives the browser another secret each time, and the former proves nothing', async () => {
    const { browser } = await connected(harness, { userId: 'renewed' });
    const former = browser.cookies.get('kalends_device') ?? '';
    await allow(browser, await browser.link(await browser.start({ user_id: 'renewed' }), 'bob@example.com'));
    const thief = new Browser(harness);
    thief.cookies.set('kalends_device', former);

    const [own, stolen] = [
      await browser.start({ user_id: 'renewed' }),
      await thief.start({ user_id: 'renewed' }),
    ];

    assert.match(own.body, /ada@example\.com.*bob@example\.com/s);
    assert.doesNotMatch(stolen.body, /ada@example\.com|bob@example\.com/);
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
    it(`linking explains a login that is ${password}, and keeps all input except the password`, async () => {
      const { send } = await openForm('troubled');

      const page = await send({ ...typed, username: 'Ada "<b>"', password });

      assert.equal(page.status, status);
      assert.match(page.body, text);
      assert.match(page.body, /role="alert"/);
      assert.ok(page.body.includes('value="https://dav.example.com"'));
      assert.ok(page.body.includes('value="Ada &#34;&#60;b&#62;&#34;"'));
      assert.doesNotMatch(page.body, new RegExp(`value="${password}"`));
      assert.equal(page.headers['retry-after'], status === 429 ? '90' : undefined);
      assert.deepEqual(await linkedFor('troubled'), []);
    });
  }

  it('linking an account explains app-specific passwords to Apple’s users if theirs is refused', async () => {
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
    assert.deepEqual(await linkedFor('careless'), []);
  });

  it('linking an account shows session_expired if the user was deleted during the request to the server', async () => {
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
    const form = await browser.get(formPath('caldav', await browser.start()));

    const page = await browser.submit(form, '/connect/caldav', typed);

    await hasty.close();
    assert.equal(page.status, 400);
    assert.match(page.body, /expired/);
  });

  it('linking shows an adapter’s internal error in the user’s language with 500, and logs no password', async () => {
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
    const form = await browser.get(formPath('caldav', await browser.start()));
    for (const _ of [1, 2]) await browser.submit(form, '/connect/caldav', { ...typed, password: 'wrong' });

    const page = await browser.submit(form, '/connect/caldav', typed);

    const accounts = await everyAccount(limited, 'ada');
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
      const form = await browser.get(formPath('caldav', selection));
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
      const form = await browser.get(formPath('caldav', selection));
      statuses.push((await browser.submit(form, '/connect/caldav', typed)).status);
    }

    await limited.close();
    assert.deepEqual(statuses, [303, 303, 303]);
  });
});

describe('accounts that are linked', () => {
  it('linked accounts are fully shown to the browser that proves them; others can only confirm masked ones', async () => {
    const { browser } = await connected(harness, { userId: 'shared' });
    const ownPage = await browser.start({ user_id: 'shared' });
    const stranger = new Browser(harness);

    const strangersPage = await stranger.start({ user_id: 'shared' });
    const consent = await stranger.get(`/connect/consent?transaction=${transactionOf(strangersPage)}`);

    assert.match(ownPage.body, /<bdi>ada@example\.com<\/bdi>/);
    assert.match(ownPage.body, /aria-label="Disconnect ada@example\.com"/);
    assert.match(strangersPage.body, /Other accounts.*<bdi>a•••@e•••\.com<\/bdi>.*>Confirm it is yours</s);
    assert.doesNotMatch(strangersPage.body, /ada@example\.com|Disconnect|Remove|Choose calendars/);
    assert.doesNotMatch(strangersPage.body, />Continue</);
    assert.equal(consent.status, 303, 'there is nothing to consent to');
  });

  it('linked accounts are masked for a device cookie that Kalends did not set', async () => {
    await connected(harness, { userId: 'forger' });
    const forger = new Browser(harness);
    for (const device of ['x', 'A'.repeat(43), '%00', hash('sha256', 'x').slice(0, 43)]) {
      forger.cookies.set('kalends_device', device);

      const { body } = await forger.start({ user_id: 'forger' });

      assert.match(body, /a•••@e•••\.com/);
      assert.doesNotMatch(body, /ada@example\.com|Disconnect/);
    }
  });

  it('linked accounts go when their own browser disconnects them after a question, and take a pending code along', async () => {
    const { browser } = await connected(harness, { userId: 'leaver' });
    await allow(browser, await browser.start({ user_id: 'leaver' }));
    const again = await browser.start({ user_id: 'leaver' });
    const [account] = await linkedFor('leaver');
    const path = `/connect/disconnect?transaction=${transactionOf(again)}&account=${account?.accountKey}`;
    const question = await browser.get(path);
    assert.equal((await linkedFor('leaver')).length, 1, 'the question changes nothing');

    const gone = await browser.submit(question, '/connect/disconnect');
    const twice = await browser.submit(question, '/connect/disconnect');

    assert.match(question.body, /Disconnect this account\?.*ada@example\.com/s);
    assert.deepEqual([gone.status, twice.status], [303, 303]);
    assert.match((await browser.get(gone.location)).body, /The account is disconnected/);
    assert.deepEqual(await linkedFor('leaver'), []);
    assert.ok((await codeOf(harness, 'leaver'))?.withdrawnAt !== undefined);
    assert.equal(await redeem(harness, 'leaver'), undefined);
  });

  it('linked accounts stay when another browser, or another user’s page, sends their key', async () => {
    await connected(harness, { userId: 'owner' });
    const [account] = await linkedFor('owner');
    const key = account?.accountKey ?? '';
    const stranger = new Browser(harness);
    const page = await stranger.link(await stranger.start({ user_id: 'owner' }), 'eve@example.com');
    const elsewhere = new Browser(harness);
    const foreign = await elsewhere.link(await elsewhere.start({ user_id: 'somebody' }));
    const send = (browser: Browser, from: Answer, action: string) => {
      const token = /name="token" value="([\w-]+)"/.exec(from.body)?.[1] ?? '';
      const fields = { transaction: transactionOf(from), token, account: key };
      return browser.post(`/connect/${action}`, fields);
    };

    for (const action of ['disconnect', 'remove', 'calendars']) {
      const refused = await send(stranger, page, action);
      const unknown = await send(elsewhere, foreign, action);
      assert.deepEqual([refused.status, unknown.status], [403, 303], action);
    }
    for (const question of ['disconnect', 'calendars']) {
      const path = `/connect/${question}?transaction=${transactionOf(page)}&account=${key}`;
      assert.equal((await stranger.get(path)).status, 403, question);
    }
    await send(stranger, page, 'disconnect-all');

    assert.ok(await harness.accounts.findAccount(key));
    assert.ok(!(await linkedFor('owner')).some(({ display }) => display === 'eve@example.com'));
  });

  it('linked accounts show whether they have to be connected again', async () => {
    const { browser } = await connected(harness, { userId: 'stale' });
    const [account] = await linkedFor('stale');
    assert.ok(account);
    const refused = { state: 'reauth_required', reason: 'password_refused', message: 'Refused' } as const;
    await harness.accounts.setHealth(account, refused, 5);

    const { body } = await browser.start({ user_id: 'stale' });

    assert.match(body, /Needs reconnecting/);
  });
});
