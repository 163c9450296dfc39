/** Reconnect links: they repair one account, and give nothing else (docs/security.md T22). On SQLite. */
import assert from 'node:assert/strict';
import { after, before, beforeEach, describe, it } from 'node:test';

import type { Account } from '../../src/calendars/account-store.ts';
import { Browser } from './connect-harness.ts';
import { follow, type Journeys, openJourneys, read } from './journeys.ts';
import { brokenLink, stateOf } from './reconnect-links.ts';

const DAY = 86_400_000;

describe('a reconnect link at Google and Microsoft', () => {
  let journeys: Journeys;
  before(async () => {
    journeys = await openJourneys();
  });
  after(() => journeys.harness.close());
  beforeEach(() => journeys.nextUser());

  /** Opens the link of a broken account in a stranger's browser, up to the provider's page. */
  async function depart(kind: 'google' | 'microsoft') {
    const { account, grant } = await journeys.connect(kind, { scope: 'read' });
    const path = await brokenLink(journeys.harness, account);
    const before = await stateOf(journeys.harness, account);
    const browser = new Browser(journeys.harness);
    const opened = await browser.get(path);
    const sent = await browser.get(opened.location);
    return { account, grant, path, before, browser, opened, sent };
  }

  for (const kind of ['google', 'microsoft'] as const) {
    it(`a link at ${kind} opens the sign-in at once, with the account as hint and the granted scope`, async () => {
      const { opened, sent } = await depart(kind);

      assert.equal(opened.status, 302);
      assert.match(opened.location, new RegExp(`^/connect/${kind}\\?transaction=[\\w-]{22}$`));
      assert.equal(sent.status, 303);
      const { loginHint, scope } = journeys[kind].begun.at(-1) ?? {};
      assert.deepEqual([loginHint, scope], ['ada@example.com', 'read']);
    });

    it(`a link at ${kind} reconnects the account, names it, and gives no code, grant or coverage`, async () => {
      const { account, before, browser, sent } = await depart(kind);

      const returned = await browser.get(journeys[kind].allow(sent.location));
      const page = await follow(browser, returned);

      assert.match(returned.location, /^\/connect\/reconnected\?transaction=/);
      assert.match(read(page), /<h1><bdi>ada@example\.com<\/bdi> is connected again<\/h1>/);
      const state = await stateOf(journeys.harness, account);
      assert.equal(state.health, 'active');
      assert.deepEqual({ ...state, health: '', credentials: '' }, { ...before, health: '', credentials: '' });
      assert.notEqual(state.credentials, before.credentials);
      const logged = journeys.harness.logged.at(-1)?.fields;
      assert.deepEqual(
        { ...logged, transactionId: '', address: '' },
        {
          ...{ event: 'account_reconnected', clientId: 'acme', userId: account.userId, provider: kind },
          ...{ accountKey: account.accountKey, transactionId: '', address: '' },
        },
      );
    });

    it(`a link at ${kind} changes nothing after a sign-in to another account, whose access ends`, async () => {
      const { account, before, browser, sent } = await depart(kind);

      const page = await browser.get(journeys[kind].allow(sent.location, { email: 'eve@example.com' }));

      assert.equal(page.status, 403);
      assert.match(page.body, /<h1>This is another account<\/h1>/);
      assert.doesNotMatch(page.body, /ada@example|eve@example/);
      assert.match(read(page), new RegExp(`href="/connect/${kind}\\?transaction=[\\w-]{22}">Try again`));
      assert.deepEqual(await stateOf(journeys.harness, account), before);
      const ended = await journeys.harness.db.all<{ accountId: string }>(
        'SELECT account_id FROM ended_access WHERE provider = :kind AND identity = :identity',
        { kind, identity: 'sub:eve@example.com' },
      );
      assert.ok(ended.length > 0);
      const logged: Record<string, unknown> = { ...journeys.harness.logged.at(-1)?.fields };
      assert.deepEqual(
        [logged.event, logged.accountKey, logged.reason],
        ['proof_refused', account.accountKey, 'another_account'],
      );
    });

    it(`a link at ${kind} compares the identity, not only the address`, async () => {
      const { account, before, browser, sent } = await depart(kind);

      const page = await browser.get(journeys[kind].allow(sent.location, { identity: 'sub:new-owner' }));

      assert.equal(page.status, 403);
      assert.deepEqual(await stateOf(journeys.harness, account), before);
    });

    it(`a link at ${kind} changes nothing if the user cancels there, and can be tried again`, async () => {
      const { account, before, browser, sent } = await depart(kind);

      const page = await browser.get(journeys[kind].refuse(sent.location));
      const again = await browser.get(/href="([^"]+)">Try again/.exec(read(page))?.[1] ?? '');

      assert.equal(page.status, 403);
      assert.match(read(page), /You cancelled at .*Nothing was changed/);
      assert.deepEqual(await stateOf(journeys.harness, account), before);
      assert.equal(again.status, 303);
    });

    it(`a link at ${kind} changes nothing if the user does not allow calendars`, async () => {
      const { account, before, browser, sent } = await depart(kind);

      const page = await browser.get(journeys[kind].allow(sent.location, { withoutCalendars: true }));

      assert.match(read(page), /did not allow access to your calendars/);
      assert.deepEqual(await stateOf(journeys.harness, account), before);
    });

    it(`a return from ${kind} is refused in another browser, and changes nothing`, async () => {
      const { account, before, sent } = await depart(kind);

      const page = await new Browser(journeys.harness).get(journeys[kind].allow(sent.location));

      assert.equal(page.status, 400);
      assert.deepEqual(await stateOf(journeys.harness, account), before);
    });
  }

  it('a repeated return shows the last page again', async () => {
    const { browser, sent } = await depart('google');
    const callback = journeys.google.allow(sent.location);

    const first = await browser.get(callback);
    const second = await browser.get(callback);

    assert.equal(second.location, first.location);
    assert.equal((await follow(browser, second)).status, 200);
  });

  it('a used link says that the account is connected, and names neither account nor user', async () => {
    const { account, browser, path, sent } = await depart('google');
    await browser.get(journeys.google.allow(sent.location));

    const page = await new Browser(journeys.harness).get(path);

    assert.equal(page.status, 200);
    assert.match(page.body, /<h1>The account is connected<\/h1>/);
    assert.doesNotMatch(page.body, new RegExp(`ada@|a•••|${account.userId}`));
    assert.equal(page.headers['set-cookie'], undefined);
  });

  const ended: [rule: string, end: (account: Account, path: string) => Promise<string>][] = [
    [
      'expired',
      async (_account, path) => {
        journeys.harness.pass(7 * DAY);
        return path;
      },
    ],
    [
      'was used, and whose account needs reconnecting again',
      async (account, path) => {
        await journeys.harness.db.write('UPDATE account SET times_linked = times_linked + 1');
        assert.ok(account);
        return path;
      },
    ],
    [
      'has no account any more',
      async ({ accountKey }, path) => {
        await journeys.harness.accounts.removeAccount(accountKey, 1, undefined);
        return path;
      },
    ],
    [
      'has no active grant any more',
      async ({ userId }, path) => {
        await journeys.harness.db.write('UPDATE token_family SET ended_at = 1 WHERE user_id = :userId', {
          userId,
        });
        return path;
      },
    ],
    ['was changed', async (_account, path) => path.replace(/.$/, (last) => (last === 'A' ? 'B' : 'A'))],
    ['was shortened', async (_account, path) => path.slice(0, -8)],
    ['is forged', async () => '/reconnect/AAAA'],
  ];
  for (const [rule, end] of ended) {
    it(`a link that ${rule} is 410 link_expired, names nothing and starts nothing`, async () => {
      const { account } = await journeys.connect('google', { scope: 'read' });
      const path = await end(account, await brokenLink(journeys.harness, account));

      const page = await new Browser(journeys.harness).get(path);
      const json = await new Browser(journeys.harness).get(path, { headers: { accept: 'application/json' } });

      assert.deepEqual([page.status, json.status], [410, 410]);
      assert.equal(JSON.parse(json.body).error, 'link_expired');
      assert.match(page.body, /<h1>This link has expired<\/h1>/);
      assert.doesNotMatch(page.body, new RegExp(`ada@|a•••|${account.userId}`));
      assert.equal(page.headers['set-cookie'], undefined);
    });
  }

  it('a link is valid until it is seven days old', async () => {
    const { account } = await journeys.connect('google', { scope: 'read' });
    const path = await brokenLink(journeys.harness, account);
    journeys.harness.pass(7 * DAY - 1);

    assert.equal((await new Browser(journeys.harness).get(path)).status, 302);
  });

  it('an account that is disconnected during the sign-in is not connected, and the new access ends', async () => {
    const { account, browser, sent } = await depart('google');
    const { accounts, db } = journeys.harness;
    await accounts.removeAccount(account.accountKey, 1, undefined);
    await db.write('DELETE FROM ended_access');

    const page = await browser.get(journeys.google.allow(sent.location));

    assert.equal(page.status, 410);
    assert.deepEqual(await journeys.accounts(), []);
    assert.equal((await db.all('SELECT account_key FROM ended_access')).length, 1);
  });
});
