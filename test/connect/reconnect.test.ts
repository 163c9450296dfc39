/**
 * Connecting an account again, with its id kept and its own browser asking: docs/security.md T4. On SQLite.
 */
import assert from 'node:assert/strict';
import { after, before, beforeEach, describe, it } from 'node:test';

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
  const linked = async (scope = 'read') => {
    const { browser, sent } = await journeys.depart('google', { scope });
    await browser.get(journeys.google.allow(sent.location));
    const [account] = await journeys.accounts();
    assert.ok(account);
    return { browser, account };
  };
  it('an account to be connected again is offered “Reconnect”, which hints at the account and keeps its id', async () => {
    const { browser, account } = await linked();
    await journeys.harness.accounts.setHealth(account, REVOKED, 5);

    const page = await browser.start({ user_id: journeys.userId(), scope: 'read' });
    const sent = await browser.get(signInAgainPath(page, 'Reconnect') ?? '');
    await browser.get(journeys.google.allow(sent.location));

    assert.match(page.body, /Needs to be connected again/);
    assert.equal(journeys.google.begun.at(-1)?.loginHint, 'ada@example.com');
    const [mended] = await journeys.accounts();
    assert.deepEqual([mended?.accountKey, mended?.health.state], [account.accountKey, 'active']);
  });

  it('an account to be connected again says so when its owner chose another one there', async () => {
    const { browser, account } = await linked();
    await journeys.harness.accounts.setHealth(account, REVOKED, 5);
    const page = await browser.start({ user_id: journeys.userId(), scope: 'read' });
    const sent = await browser.get(signInAgainPath(page, 'Reconnect') ?? '');

    const after = await follow(
      browser,
      await browser.get(journeys.google.allow(sent.location, { email: 'b@example.com' })),
    );

    assert.match(after.body, /You chose another account at <bdi>Google<\/bdi>/);
    assert.match(after.body, /Needs to be connected again/);
    assert.equal((await journeys.accounts()).length, 2);
  });

  it('an account to be connected again is offered “Allow more access” by a request that needs more, and by no other', async () => {
    const { browser, account } = await linked('read');

    const same = await browser.start({ user_id: journeys.userId(), scope: 'read' });
    const more = await browser.start({ user_id: journeys.userId(), scope: 'read-write' });
    const sent = await browser.get(signInAgainPath(more, 'Allow more access') ?? '');
    await browser.get(journeys.google.allow(sent.location));
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
      const link = async (address: string, typed: Record<string, string>) =>
        browser.submit(await browser.get(address), path, { server: 'dav.example.com', username, ...typed });
      await link(`${path}?transaction=${transactionOf(await browser.start())}`, { password });
      const [account] = await harness.accounts.listAccounts('acme', 'ada');
      assert.ok(account);
      await harness.accounts.setHealth(account, { ...REVOKED, reason: 'password_refused' }, 5);

      const address = signInAgainPath(await browser.start(), 'Reconnect') ?? '';
      const form = await browser.get(address);
      await link(address, { password });

      const [mended] = await harness.accounts.listAccounts('acme', 'ada');
      await harness.close();
      assert.equal(filledIn(form, 'username'), username);
      assert.equal(filledIn(form, 'server'), server);
      assert.equal(filledIn(form, 'password'), undefined);
      assert.deepEqual([mended?.accountKey, mended?.health.state], [account.accountKey, 'active']);
    });
  }

  it('an Apple or CalDAV account to be connected again shows nothing of itself to a browser that did not link it', async () => {
    const harness = await openConnect();
    const browser = new Browser(harness);
    await browser.link(await browser.start(), 'ada@example.com');
    const [account] = await harness.accounts.listAccounts('acme', 'ada');
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

describe('an account that its user cannot mend', () => {
  for (const [reason, text] of [
    ['app_credentials_refused', /your system administrator needs to fix this/],
    ['provider_unavailable', /Cannot be reached at the moment/],
  ] as const) {
    it(`an account that its user cannot mend is shown with the reason ${reason} in words, and without a button`, async () => {
      const { browser, sent } = await journeys.depart('google', { scope: 'read' });
      await browser.get(journeys.google.allow(sent.location));
      const [account] = await journeys.accounts();
      assert.ok(account);
      await journeys.harness.accounts.setHealth(account, { ...REVOKED, state: 'degraded', reason }, 5);

      const page = await browser.start({ user_id: journeys.userId(), scope: 'read' });

      assert.match(page.body, text);
      assert.equal(signInAgainPath(page, 'Reconnect'), undefined);
    });
  }

  it('an account that its user cannot mend is for the administrator of the organisation to allow, after which it can be connected again', async () => {
    const { browser, sent } = await journeys.depart('microsoft', { scope: 'read' });
    await browser.get(journeys.microsoft.allow(sent.location));
    const [account] = await journeys.accounts();
    assert.ok(account);
    await journeys.harness.accounts.setHealth(account, { ...REVOKED, reason: 'admin_consent_required' }, 5);

    const page = await browser.start({ user_id: journeys.userId(), scope: 'read' });

    assert.match(page.body, /Your administrator needs to allow this first/);
    assert.notEqual(signInAgainPath(page, 'Reconnect'), undefined);
  });
});

/** What a field of a page is filled in with. */
const filledIn = (page: Answer, field: string): string | undefined =>
  new RegExp(`name="${field}"[^>]* value="([^"]*)"`).exec(read(page))?.[1];
