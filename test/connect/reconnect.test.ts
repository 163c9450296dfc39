/** Reconnecting an account, which keeps its id and needs its own browser (docs/security.md T4). On SQLite. */
import assert from 'node:assert/strict';
import { after, before, beforeEach, describe, it } from 'node:test';

import { allow, connected, everyAccount, readBy, redeem } from './approvals.ts';
import { type Answer, APPLE_PASSWORD, Browser, openConnect, transactionOf } from './connect-harness.ts';
import { follow, type Journeys, openJourneys, read, signInAgainPath } from './journeys.ts';

const REVOKED = { state: 'reauth_required', reason: 'access_revoked', message: 'Revoked' } as const;

let journeys: Journeys;
before(async () => {
  journeys = await openJourneys();
});
after(() => journeys.harness.close());
beforeEach(() => journeys.nextUser());

describe('an account that is to be connected again', () => {
  const linked = (scope = 'read') => journeys.connect('google', { scope });
  const signInAgain = async (browser: Browser, page: Answer, label = 'Reconnect', deed = {}) => {
    const sent = await browser.get(signInAgainPath(page, label) ?? '');
    return follow(browser, await browser.get(journeys.google.allow(sent.location, deed)));
  };

  it('an account to be connected again is offered “Reconnect”, which hints at the account and keeps its id', async () => {
    const { browser, account, grant } = await linked();
    await journeys.harness.accounts.setHealth(account, REVOKED, 5);

    const page = await browser.start({ user_id: journeys.userId(), scope: 'read' });
    const after = await signInAgain(browser, page);
    await allow(browser, after);

    assert.match(page.body, /Needs reconnecting/);
    assert.equal(journeys.google.begun.at(-1)?.loginHint, 'ada@example.com');
    assert.doesNotMatch(after.body, /Needs reconnecting/);
    const mended = await readBy(journeys.harness, grant);
    assert.deepEqual(
      mended.map(({ accountKey, health }) => [accountKey, health.state]),
      [[account.accountKey, 'active']],
    );
  });

  it('an account to be connected again keeps what it had until Done, and takes the new sign-in with it', async () => {
    const { accounts } = journeys.harness;
    const { browser, account } = await linked();
    const had = await accounts.credentialsOf(account.accountKey);
    const page = await browser.start({ user_id: journeys.userId(), scope: 'read' });
    const transaction = transactionOf(page);

    const sent = await browser.get(
      `/connect/google?transaction=${transaction}&account=${account.accountKey}`,
    );
    const after = await follow(browser, await browser.get(journeys.google.allow(sent.location)));
    assert.deepEqual(await accounts.credentialsOf(account.accountKey), had);
    await allow(browser, after);

    assert.notDeepEqual(await accounts.credentialsOf(account.accountKey), had);
    assert.equal((await journeys.accounts()).length, 1);
  });

  it('an account to be connected again keeps what it had when its owner cancels', async () => {
    const { accounts } = journeys.harness;
    const { browser, account } = await linked();
    await accounts.setHealth(account, REVOKED, 5);
    const had = await accounts.credentialsOf(account.accountKey);
    const more = { user_id: journeys.userId(), scope: 'read-write' };

    const after = await signInAgain(browser, await browser.start(more));
    await browser.submit(after, '/connect/cancel');

    assert.deepEqual(await accounts.credentialsOf(account.accountKey), had);
    assert.deepEqual(
      (await journeys.accounts()).map(({ accountKey, health }) => [accountKey, health.state]),
      [[account.accountKey, 'reauth_required']],
    );
  });

  it('an account to be connected again is left as it is when its owner chose another one there, which is new', async () => {
    const { accounts } = journeys.harness;
    const { browser, account } = await linked();
    await accounts.setHealth(account, REVOKED, 5);
    const had = await accounts.credentialsOf(account.accountKey);
    const page = await browser.start({ user_id: journeys.userId(), scope: 'read' });

    const after = await signInAgain(browser, page, 'Reconnect', { email: 'b@example.com' });
    await allow(browser, after);

    assert.match(after.body, /You chose another account\. <bdi>[^<]*<\/bdi> is connected too/);
    assert.match(after.body, /Needs reconnecting/);
    assert.equal((await journeys.accounts()).length, 2);
    assert.deepEqual(await accounts.credentialsOf(account.accountKey), had);
  });

  it('an account to be connected again is another one where its name at the provider has a new owner', async () => {
    const { browser, account } = await linked();
    const had = await journeys.harness.accounts.credentialsOf(account.accountKey);
    const page = await browser.start({ user_id: journeys.userId(), scope: 'read-write' });

    // The provider gave the same address to another person.
    const after = await signInAgain(browser, page, 'Allow more access', { identity: 'sub:somebody-else' });
    await allow(browser, after);

    assert.match(after.body, /You chose another account/);
    assert.deepEqual(await journeys.harness.accounts.credentialsOf(account.accountKey), had);
  });

  it('an account to be connected again is offered “Allow more access” by a request that needs more, and by no other', async () => {
    const { browser, account } = await linked('read');

    const same = await browser.start({ user_id: journeys.userId(), scope: 'read' });
    const more = await browser.start({ user_id: journeys.userId(), scope: 'read-write' });
    await allow(browser, await signInAgain(browser, more, 'Allow more access'));
    const after = await browser.start({ user_id: journeys.userId(), scope: 'read-write' });

    assert.equal(signInAgainPath(same, 'Allow more access'), undefined);
    assert.match(more.body, /asks for more than you have allowed/);
    assert.equal(signInAgainPath(after, 'Allow more access'), undefined);
    const [updated] = await journeys.accounts();
    assert.deepEqual(
      [updated?.accountKey, updated?.grantedScopes],
      [account.accountKey, ['email', 'read-write']],
    );
  });

  it('an account to be connected again is asked for nothing less than it has allowed already', async () => {
    const { browser, account } = await linked('read-write');
    await journeys.harness.accounts.setHealth(account, REVOKED, 5);
    const page = await browser.start({ user_id: journeys.userId(), scope: 'free-busy' });

    await browser.get(signInAgainPath(page, 'Reconnect') ?? '');

    assert.equal(journeys.google.begun.at(-1)?.scope, 'read-write');
  });

  it('an account to be connected again is offered to, and taken from, no browser that did not link it', async () => {
    const { account } = await linked();
    await journeys.harness.accounts.setHealth(account, REVOKED, 5);
    const stranger = new Browser(journeys.harness);
    const page = await stranger.start({ user_id: journeys.userId(), scope: 'read' });
    const begun = journeys.google.begun.length;

    const path = `/connect/google?transaction=${transactionOf(page)}&account=${account.accountKey}`;
    const refused = await stranger.get(path);

    assert.match(page.body, /a•••@e•••\.com/);
    assert.equal(signInAgainPath(page, 'Reconnect'), undefined);
    assert.equal(refused.status, 403);
    assert.equal(journeys.google.begun.length, begun);
  });
});

describe('an Apple or CalDAV account that is to be connected again', () => {
  for (const [kind, username, server, password] of [
    ['caldav', 'ada', 'https://dav.example.com/ada/', 'right'],
    ['apple', 'ada@icloud.com', undefined, APPLE_PASSWORD],
  ] as const) {
    it(`an Apple or CalDAV account to be connected again is offered its ${kind} form with all but the password filled in, and keeps its id`, async () => {
      const harness = await openConnect();
      const browser = new Browser(harness);
      const path = `/connect/${kind}`;
      const link = async (address: string) => {
        const typed = { server: 'dav.example.com', username, password };
        const linked = await browser.submit(await browser.get(address), path, typed);
        await allow(browser, await browser.get(linked.location));
      };
      await link(`${path}?transaction=${transactionOf(await browser.start())}&by=server`);
      await redeem(harness, 'ada');
      const [account] = await harness.accounts.listAccounts('acme', 'ada');
      assert.ok(account);
      await harness.accounts.setHealth(account, { ...REVOKED, reason: 'password_refused' }, 5);

      const address = signInAgainPath(await browser.start(), 'Reconnect') ?? '';
      const form = await browser.get(address);
      await link(address);

      const [mended] = await harness.accounts.listAccounts('acme', 'ada');
      await harness.close();
      assert.equal(filledIn(form, 'username'), username);
      assert.equal(filledIn(form, 'server'), server);
      assert.equal(filledIn(form, 'password'), undefined);
      assert.deepEqual([mended?.accountKey, mended?.health.state], [account.accountKey, 'active']);
    });
  }

  it('an Apple or CalDAV account to be connected again shows no details to a browser that did not link it', async () => {
    const harness = await openConnect();
    await connected(harness, { userId: 'ada' });
    const [account] = await everyAccount(harness, 'ada');
    const stranger = new Browser(harness);
    const transaction = transactionOf(await stranger.start());

    const refused = await stranger.get(
      `/connect/caldav?transaction=${transaction}&account=${account?.accountKey}`,
    );

    await harness.close();
    assert.equal(refused.status, 403);
    assert.doesNotMatch(read(refused), /ada@example/);
  });
});

describe('an account that its user cannot fix', () => {
  for (const [reason, text] of [
    ['app_credentials_refused', /operator of this service needs to fix it/],
    ['provider_unavailable', /Cannot be reached at the moment/],
  ] as const) {
    it(`an account that its user cannot fix is shown with the reason ${reason} in words, and without a button`, async () => {
      const { browser, account } = await journeys.connect('google', { scope: 'read' });
      await journeys.harness.accounts.setHealth(account, { ...REVOKED, state: 'degraded', reason }, 5);

      const page = await browser.start({ user_id: journeys.userId(), scope: 'read' });

      assert.match(page.body, text);
      assert.equal(signInAgainPath(page, 'Reconnect'), undefined);
    });
  }

  it('an account that its user cannot fix and that an administrator must allow can be reconnected after that', async () => {
    const { browser, account } = await journeys.connect('microsoft', { scope: 'read' });
    await journeys.harness.accounts.setHealth(account, { ...REVOKED, reason: 'admin_consent_required' }, 5);

    const page = await browser.start({ user_id: journeys.userId(), scope: 'read' });

    assert.match(page.body, /Your administrator needs to allow this first/);
    assert.notEqual(signInAgainPath(page, 'Reconnect'), undefined);
  });
});

/** Returns the value that a field of the page is filled in with. */
const filledIn = (page: Answer, field: string): string | undefined =>
  new RegExp(`name="${field}"[^>]* value="([^"]*)"`).exec(read(page))?.[1];
