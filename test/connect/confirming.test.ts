/** Tests confirming that an account is one's own by signing in to it again: docs/security.md T4. On SQLite. */
import assert from 'node:assert/strict';
import { after, afterEach, before, beforeEach, describe, it } from 'node:test';

import type { PasswordProvider } from '../../src/calendars/calendar-provider.ts';
import { connectAttempts } from '../../src/connect/flow/connect-attempts.ts';
import { GENEROUS } from '../harness/connect-limits.ts';
import { allow, connected, endsOf, everyAccount, namesReadBy, readBy, redeem } from './approvals.ts';
import {
  type Answer,
  APPLE_PASSWORD,
  Browser,
  type Harness,
  openConnect,
  passwordProvider,
  transactionOf,
} from './connect-harness.ts';
import { follow, type Journeys, openJourneys, read } from './journeys.ts';
import { push, pushedPath } from './pushing.ts';

/** Returns the path to confirm the page's masked account. */
function confirmPath(page: Answer): string {
  const form = page.body.split('<form').find((part) => part.includes('>Confirm it is yours</button>')) ?? '';
  const action = /action="([^"]+)"/.exec(form)?.[1] ?? '';
  const fields = [...form.matchAll(/name="(\w+)" value="([^"]*)"/g)];
  return `${action}?${fields.map(([, name, value]) => `${name}=${value}`).join('&')}`;
}

describe('confirming an account at Google or Microsoft', () => {
  let journeys: Journeys;
  before(async () => {
    journeys = await openJourneys();
  });
  after(() => journeys.harness.close());
  beforeEach(() => journeys.nextUser());

  /** Sends a stranger's browser to the provider to confirm the user's account. */
  async function toConfirm(kind: 'google' | 'microsoft', scope = 'read') {
    const { account, grant } = await journeys.connect(kind, { scope: 'read' });
    const browser = new Browser(journeys.harness);
    const page = await browser.start({ user_id: journeys.userId(), scope });
    const sent = await browser.get(confirmPath(page));
    return { account, grant, browser, page, sent };
  }

  for (const kind of ['google', 'microsoft'] as const) {
    it(`confirming at ${kind} sends no name to the provider`, async () => {
      const { page, sent } = await toConfirm(kind);

      assert.doesNotMatch(page.body, /ada@example/);
      assert.equal(sent.status, 303);
      assert.equal(journeys[kind].begun.at(-1)?.loginHint, undefined);
      assert.doesNotMatch(sent.location, /ada(?:@|%40)/);
      // The state is random text, which may have any three letters in it.
      assert.doesNotMatch(sent.location.replace(/state=[^&]+/, ''), /ada/);
    });

    it(`confirming at ${kind} with another account links nothing, shows no name and ends its access`, async () => {
      const { account, grant, browser, sent } = await toConfirm(kind);
      const deed = { email: 'eve@example.com' };

      const page = await follow(browser, await browser.get(journeys[kind].allow(sent.location, deed)));

      assert.match(page.body, /role="alert".*not the account you wanted to confirm/s);
      assert.match(read(page), /a•••@e•••\.com/);
      assert.doesNotMatch(page.body, /eve@example|ada@example/);
      assert.deepEqual(endsOf(page), ['Cancel']);
      assert.deepEqual(await journeys.accounts(), await readBy(journeys.harness, grant));
      const ended = await journeys.harness.db.all<{ accountId: string }>(
        `SELECT account_id AS "accountId" FROM ended_access JOIN job ON key = ended_access.account_key AND kind = 'end-access'
          WHERE provider = :kind ORDER BY ended_at DESC`,
        { kind },
      );
      assert.equal(ended[0]?.accountId, 'eve@example.com');
      assert.ok(await journeys.harness.accounts.findAccount(account.accountKey));
    });

    it(`confirming at ${kind} by the account’s name alone is not enough: its owner there counts`, async () => {
      const { browser, sent } = await toConfirm(kind);

      const page = await follow(
        browser,
        await browser.get(journeys[kind].allow(sent.location, { identity: 'sub:new-owner' })),
      );

      assert.match(page.body, /not the account you wanted to confirm/);
      assert.doesNotMatch(page.body, /ada@example/);
    });

    it(`confirming at ${kind} shows the whole account, covers it with Done, and proves it from then on`, async () => {
      const { account, browser, sent } = await toConfirm(kind);

      const page = await follow(browser, await browser.get(journeys[kind].allow(sent.location)));
      await allow(browser, page);

      assert.match(page.body, /role="status".*Confirmed: <bdi>[^<]*<\/bdi> is yours/s);
      assert.match(page.body, /<bdi>ada@example\.com<\/bdi>/);
      assert.deepEqual(endsOf(page), ['Done']);
      const grant = await redeem(journeys.harness, journeys.userId());
      assert.deepEqual(
        (await readBy(journeys.harness, grant)).map(({ accountKey }) => accountKey),
        [account.accountKey],
      );
      assert.equal((await journeys.accounts()).length, 1);
      const later = await browser.start({ user_id: journeys.userId(), scope: 'read' });
      assert.match(later.body, /<bdi>ada@example\.com<\/bdi>/);
    });
  }

  it('confirming leads to Allow if the request asks for more than was granted', async () => {
    const { browser, sent, page } = await toConfirm('google', 'read-write');

    const confirmed = await follow(browser, await browser.get(journeys.google.allow(sent.location)));

    assert.deepEqual(endsOf(page), ['Cancel']);
    assert.deepEqual(endsOf(confirmed), ['Allow', 'Cancel']);
  });

  it('confirming is undone by Cancel: then the browser proves nothing', async () => {
    const { account, browser, sent } = await toConfirm('google', 'read-write');
    const page = await follow(browser, await browser.get(journeys.google.allow(sent.location)));

    const end = await browser.submit(page, '/connect/cancel');

    assert.match(end.location, /error=access_denied/);
    const later = await browser.start({ user_id: journeys.userId(), scope: 'read' });
    assert.match(later.body, /a•••@e•••\.com/);
    assert.deepEqual(
      (await journeys.accounts()).map(({ accountKey }) => accountKey),
      [account.accountKey],
    );
  });

  it('confirming what was disconnected meanwhile links nothing and has the access ended', async () => {
    const { account, browser, sent } = await toConfirm('google');
    const { accounts, db } = journeys.harness;
    await accounts.removeAccount(account.accountKey, 1, undefined);
    await db.write('DELETE FROM ended_access', {});

    const page = await browser.get(journeys.google.allow(sent.location));

    assert.equal(page.status, 403);
    assert.deepEqual(await journeys.accounts(), []);
    const ended = await db.all<{ accountId: string }>('SELECT account_id AS "accountId" FROM ended_access');
    assert.deepEqual(
      ended.map(({ accountId }) => accountId),
      ['ada@example.com'],
    );
  });

  it('confirming begins with no address, though one was pushed; connecting begins with it', async () => {
    const { account } = await journeys.connect('google');
    const { harness } = journeys;
    const browser = new Browser(harness);
    const pushed = await push(harness, { user_id: journeys.userId(), login_hint: 'ada@work.example' });
    const transaction = transactionOf(await browser.get((await browser.get(pushedPath(pushed))).location));

    await browser.get(`/connect/google?transaction=${transaction}`);
    const connecting = journeys.google.begun.at(-1)?.loginHint;
    await browser.get(`/connect/google?transaction=${transaction}&confirm=${account.accountKey}`);
    const confirming = journeys.google.begun.at(-1)?.loginHint;

    assert.deepEqual([connecting, confirming], ['ada@work.example', undefined]);
  });

  it('a login_hint in an address reaches no provider', async () => {
    const { browser, transaction } = await journeys.depart('google', { login_hint: 'eve@example.com' });
    await browser.get(`/connect/google?transaction=${transaction}`);

    assert.equal(journeys.google.begun.at(-1)?.loginHint, undefined);
  });

  it('confirming is refused for an account of another kind, another user, or none', async () => {
    const { account } = await journeys.connect('microsoft');
    journeys.nextUser();
    const foreign = await journeys.connect('google');
    const begun = journeys.google.begun.length;
    const browser = new Browser(journeys.harness);
    const transaction = transactionOf(await browser.start({ user_id: account.userId }));
    for (const key of [account.accountKey, foreign.account.accountKey, 'x', '%00']) {
      const answer = await browser.get(`/connect/google?transaction=${transaction}&confirm=${key}`);

      assert.equal(answer.status, 403, key);
    }
    assert.equal(journeys.google.begun.length, begun);
  });
});

describe('confirming an account by its password', () => {
  let harness: Harness;
  let provesOwner = true;
  before(async () => {
    harness = await openConnect({
      providers: { apple: passwordProvider('apple'), caldav: doubtful(passwordProvider('caldav')) },
      attempts: connectAttempts({ ...GENEROUS, passwordsPerAccount: 2 }),
    });
  });
  after(() => harness.close());
  let users = 0;
  beforeEach(() => {
    users += 1;
  });
  afterEach(() => {
    provesOwner = true;
  });
  const userId = () => `confirmer-${users}`;

  /** Returns the provider, whose accounts prove nothing while a test says so. */
  function doubtful(provider: PasswordProvider): PasswordProvider {
    const verify: typeof provider.signIn.verify = async (login) => {
      return { ...(await provider.signIn.verify(login)), provesOwner };
    };
    return { ...provider, signIn: { ...provider.signIn, verify } };
  }

  /** Opens the form that confirms the user's account in a stranger's browser. */
  async function openConfirm(query = {}) {
    const browser = new Browser(harness);
    const page = await browser.start({ user_id: userId(), ...query });
    const form = await browser.get(confirmPath(page));
    const send = (username: string, password = 'right') => {
      const typed = { server: 'https://dav.example.com', username, password, by: 'server' };
      return browser.submit(form, '/connect/caldav', typed);
    };
    return { browser, page, form, send };
  }
  const valuesOf = ({ body }: Answer): string[] =>
    [...body.matchAll(/<input id="\w+"[^>]* value="([^"]*)"/g)].map(([, value = '']) => value);

  it('confirming fills in nothing, and shows no name', async () => {
    await connected(harness, { userId: userId() });

    const { form, page } = await openConfirm();

    assert.match(form.body, /<h1>Confirm it is yours<\/h1>/);
    assert.deepEqual(valuesOf(form).join(''), '');
    for (const { body } of [form, page]) assert.doesNotMatch(body, /ada@example|dav\.example/);
  });

  it('confirming shows the account whole and covers it with Done, and an earlier grant keeps it', async () => {
    const { grant } = await connected(harness, { userId: userId() });
    const { browser, send } = await openConfirm();

    const page = await browser.get((await send('ada@example.com')).location);
    await allow(browser, page);

    assert.match(page.body, /Confirmed: <bdi>[^<]*<\/bdi> is yours.*<bdi>ada@example\.com<\/bdi>/s);
    assert.doesNotMatch(page.body, /Other accounts/);
    assert.deepEqual(endsOf(page), ['Done']);
    assert.deepEqual(await namesReadBy(harness, await redeem(harness, userId())), ['ada@example.com']);
    assert.deepEqual(await namesReadBy(harness, grant), ['ada@example.com']);
    assert.equal((await everyAccount(harness, userId())).length, 1);
  });

  it('confirming one account of a group proves the others with it', async () => {
    await connected(harness, { userId: userId(), names: ['ada@example.com', 'bob@example.com'] });
    const { browser, send } = await openConfirm();

    const page = await browser.get((await send('ada@example.com')).location);

    assert.match(page.body, /<bdi>ada@example\.com<\/bdi>.*<bdi>bob@example\.com<\/bdi>/s);
  });

  it('confirming leaves other groups as they are, and two that are confirmed become one with Done', async () => {
    const first = await connected(harness, { userId: userId() });
    await connected(harness, { userId: userId(), names: ['bob@example.com'] });
    const { browser, send } = await openConfirm();
    const one = await browser.get((await send('ada@example.com')).location);
    const form = await browser.get(confirmPath(one));
    const typed = { server: 'https://dav.example.com', username: 'bob@example.com', password: 'right' };

    const both = await browser.get(
      (await browser.submit(form, '/connect/caldav', { ...typed, by: 'server' })).location,
    );
    assert.deepEqual(await namesReadBy(harness, first.grant), ['ada@example.com']);
    await allow(browser, both);

    assert.match(read(one), /Other accounts.*b•••@e•••\.com/s);
    assert.deepEqual(await namesReadBy(harness, first.grant), ['ada@example.com', 'bob@example.com']);
    assert.equal((await everyAccount(harness, userId())).length, 2);
  });

  it('connecting the account again proves it as well', async () => {
    await connected(harness, { userId: userId() });
    const browser = new Browser(harness);

    const page = await browser.link(await browser.start({ user_id: userId() }));
    await allow(browser, page);

    assert.deepEqual(endsOf(page), ['Done']);
    assert.equal((await everyAccount(harness, userId())).length, 1);
  });

  it('confirming with another account shows an error without a name, and links nothing', async () => {
    await connected(harness, { userId: userId() });
    const { browser, page, send } = await openConfirm();

    const answer = await send('eve@example.com');

    assert.equal(answer.status, 422);
    assert.match(answer.body, /role="alert".*not the account you wanted to confirm/s);
    assert.doesNotMatch(answer.body, /ada@example/);
    assert.equal((await everyAccount(harness, userId())).length, 1);
    const after = await browser.get(`/authorize?transaction=${transactionOf(page)}`);
    assert.match(read(after), /a•••@e•••\.com/);
    assert.equal(browser.cookies.get('kalends_device'), undefined);
  });

  it('confirming counts wrong passwords and other accounts for the account, from wherever they come', async () => {
    await connected(harness, { userId: userId() });
    const statuses: number[] = [];
    for (const [username, password] of [
      ['ada@example.com', 'wrong'],
      ['eve@example.com', 'right'],
      ['ada@example.com', 'right'],
    ] as const) {
      const { send } = await openConfirm();
      statuses.push((await send(username, password)).status);
    }
    const { send } = await openConfirm();
    const limited = await send('ada@example.com');

    assert.deepEqual(statuses, [422, 422, 429]);
    assert.match(String(limited.headers['retry-after']), /^\d+$/);
    assert.match(limited.body, /Too many attempts/);
    assert.doesNotMatch(limited.body, /ada@example\.com(?!")/);
  });

  it('confirming counts no right password', async () => {
    await connected(harness, { userId: userId() });
    for (const _ of [1, 2, 3]) {
      const { send } = await openConfirm();

      assert.equal((await send('ada@example.com')).status, 303);
    }
  });

  it('wrong passwords for one account leave the others to be confirmed', async () => {
    await connected(harness, { userId: userId() });
    for (const _ of [1, 2, 3]) await (await openConfirm()).send('ada@example.com', 'wrong');
    users += 1;
    await connected(harness, { userId: userId() });

    assert.equal((await (await openConfirm()).send('ada@example.com')).status, 303);
  });

  it('confirming is not possible if the server also accepts a wrong password', async () => {
    await connected(harness, { userId: userId(), names: ['anybody@example.com'] });
    const { send } = await openConfirm();

    const answer = await send('anybody@example.com');

    assert.equal(answer.status, 422);
    assert.match(answer.body, /does not show whose account it is/);
    assert.equal((await everyAccount(harness, userId())).length, 1);
  });

  it('confirming is not possible if the principal does not show who owns it', async () => {
    await connected(harness, { userId: userId() });
    provesOwner = false;
    const { send } = await openConfirm();

    assert.equal((await send('ada@example.com')).status, 422);
  });

  it('connecting an account again that proves nothing takes over no group, and changes nothing in it', async () => {
    const { grant } = await connected(harness, { userId: userId(), names: ['anybody@example.com'] });
    const [had] = await readBy(harness, grant);
    const stranger = new Browser(harness);

    const page = await stranger.link(await stranger.start({ user_id: userId() }), 'anybody@example.com');
    await allow(stranger, page);

    assert.match(read(page), /Other accounts.*a•••@e•••\.com/s);
    const own = await redeem(harness, userId());
    assert.deepEqual(await readBy(harness, grant), [had]);
    assert.notEqual((await readBy(harness, own))[0]?.accountKey, had?.accountKey);
  });

  it('confirming an Apple account takes its app-specific password, and fills in nothing', async () => {
    const first = new Browser(harness);
    const start = await first.start({ user_id: userId() });
    const linking = await first.get(`/connect/apple?transaction=${transactionOf(start)}`);
    const typed = { username: 'ada@icloud.com', password: APPLE_PASSWORD };
    await allow(first, await first.get((await first.submit(linking, '/connect/apple', typed)).location));
    await redeem(harness, userId());

    const { browser, form } = await openConfirm();
    const page = await browser.get((await browser.submit(form, '/connect/apple', typed)).location);

    assert.equal(valuesOf(form).join(''), '');
    assert.match(page.body, /Confirmed.*<bdi>ada@icloud\.com<\/bdi>/s);
  });
});
