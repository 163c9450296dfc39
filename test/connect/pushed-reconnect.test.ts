/** `reconnect` of pushed requests (RFC 9126, docs/wire.md O4.6): the flow begins and ends with one account. On SQLite. */
import assert from 'node:assert/strict';
import { after, before, beforeEach, describe, it } from 'node:test';

import { codeOf, connected, endsOf, everyAccount, namesReadBy, redeem } from './approvals.ts';
import { Browser, type Harness, openConnect, transactionOf } from './connect-harness.ts';
import { follow, type Journeys, openJourneys, read } from './journeys.ts';
import { push, pushedPath } from './pushing.ts';

const REFUSED = { state: 'reauth_required', reason: 'access_revoked', message: 'Refused' } as const;

describe('reconnect in a pushed request, at Google and Microsoft', () => {
  let journeys: Journeys;
  before(async () => {
    journeys = await openJourneys();
  });
  after(() => journeys.harness.close());
  beforeEach(() => journeys.nextUser());

  /** Opens a pushed request for a broken account in a stranger's browser, up to the provider's page. */
  async function depart(kind: 'google' | 'microsoft', scope = 'read', more: Record<string, string> = {}) {
    const { account, grant } = await journeys.connect(kind, { scope: 'read' });
    const { harness } = journeys;
    await harness.accounts.setHealth(account, REFUSED, 5);
    const reconnect = `${kind}:ada@example.com`;
    const uri = await push(harness, {
      user_id: journeys.userId(),
      scope,
      reconnect,
      state: 'mine%2F',
      ...more,
    });
    const browser = new Browser(harness);
    const started = await browser.get(pushedPath(uri));
    return { account, grant, browser, started, sent: await browser.get(started.location) };
  }

  for (const kind of ['google', 'microsoft'] as const) {
    it(`it opens the sign-in at ${kind} at once, with the account as hint`, async () => {
      const { started, sent } = await depart(kind);

      assert.match(started.location, new RegExp(`^/connect/${kind}\\?transaction=`));
      assert.equal(sent.status, 303);
      assert.equal(journeys[kind].begun.at(-1)?.loginHint, 'ada@example.com');
    });

    it(`after the sign-in at ${kind}, the browser returns with code and state if nothing needs consent`, async () => {
      const { account, grant, browser, sent } = await depart(kind);

      const end = await follow(browser, await browser.get(journeys[kind].allow(sent.location)));

      const expected = `https://app.example.com/callback?code=${journeys.userId()}&state=mine%252F`;
      assert.deepEqual([end.status, end.location], [303, expected]);
      assert.deepEqual(
        await namesReadBy(journeys.harness, await redeem(journeys.harness, journeys.userId())),
        ['ada@example.com'],
      );
      assert.deepEqual(await namesReadBy(journeys.harness, grant), ['ada@example.com']);
      const [current, ...others] = await journeys.accounts();
      assert.deepEqual(
        [current?.accountKey, current?.health.state, others],
        [account.accountKey, 'active', []],
      );
    });

    it(`after the sign-in at ${kind}, the selection page follows if consent is needed`, async () => {
      const { browser, sent } = await depart(kind, 'read-write');

      const page = await follow(browser, await browser.get(journeys[kind].allow(sent.location)));

      assert.deepEqual(endsOf(page), ['Allow', 'Cancel']);
      assert.equal(await codeOf(journeys.harness, journeys.userId()), undefined);
    });

    it(`after a sign-in at ${kind} to another account, the selection page follows without a code`, async () => {
      const { account, browser, sent } = await depart(kind);

      const returned = await browser.get(journeys[kind].allow(sent.location, { email: 'eve@example.com' }));
      const page = await follow(browser, returned);

      assert.match(read(page), /You chose another account/);
      assert.equal(await codeOf(journeys.harness, journeys.userId()), undefined);
      const broken = (await journeys.accounts()).find(({ accountKey }) => accountKey === account.accountKey);
      assert.equal(broken?.health.state, 'reauth_required');
    });

    it(`after the user cancels at ${kind}, the selection page follows`, async () => {
      const { browser, sent } = await depart(kind);

      const page = await follow(browser, await browser.get(journeys[kind].refuse(sent.location)));

      assert.match(read(page), /You cancelled at/);
      assert.equal(await codeOf(journeys.harness, journeys.userId()), undefined);
    });
  }

  it('an account that works needs the sign-in too: after the user cancels, there is no code', async () => {
    const { account, browser, sent } = await depart('google');
    await journeys.harness.accounts.recover(account.accountKey, 6);

    const page = await follow(browser, await browser.get(journeys.google.refuse(sent.location)));

    assert.match(read(page), /You cancelled at/);
    assert.equal(await codeOf(journeys.harness, journeys.userId()), undefined);
  });

  it('a repeated return gets the same answer, and another browser none', async () => {
    const { browser, sent } = await depart('google');
    const callback = journeys.google.allow(sent.location);

    const foreign = await new Browser(journeys.harness).get(callback);
    const first = await follow(browser, await browser.get(callback));
    const second = await follow(browser, await browser.get(callback));

    assert.equal(foreign.status, 400);
    assert.match(first.location, /code=/);
    assert.equal(second.location, first.location);
  });

  it('in a popup, the last page sends the answer', async () => {
    const { browser, sent } = await depart('google', 'read', { display: 'popup' });

    const page = await follow(browser, await browser.get(journeys.google.allow(sent.location)));

    assert.equal(page.status, 200);
    assert.match(page.body, /<h1>Access allowed<\/h1>.*data-message="[^"]*code/s);
  });

  it('without the calendars, the selection page follows', async () => {
    const { browser, sent } = await depart('google');

    const returned = await browser.get(journeys.google.allow(sent.location, { withoutCalendars: true }));

    assert.match(returned.location, /^\/authorize\?.*happened=google_unpermitted/);
  });

  it('a provider that the request leaves out is not opened', async () => {
    const { started } = await depart('google', 'read', { providers: 'microsoft' });

    assert.match(started.location, /^\/authorize\?/);
  });
});

describe('reconnect in a pushed request, with a password', () => {
  let harness: Harness;
  let users = 0;
  const userId = () => `pushed-${users}`;
  before(async () => {
    harness = await openConnect();
  });
  after(() => harness.close());
  beforeEach(() => {
    users += 1;
  });

  /** Opens the form for the user's broken account in a stranger's browser. */
  async function openForm(name = 'ada@example.com', scope = 'read-write') {
    const { grant } = await connected(harness, { userId: userId(), names: [name] });
    const [account] = await everyAccount(harness, userId());
    assert.ok(account);
    await harness.accounts.setHealth(account, REFUSED, 5);
    const uri = await push(harness, { user_id: userId(), scope, reconnect: `caldav:${name}`, state: 's' });
    const browser = new Browser(harness);
    const form = await browser.get((await browser.get(pushedPath(uri))).location);
    const typed = { server: 'dav.example.com', username: name, password: 'right' };
    return { account, grant, browser, form, send: () => browser.submit(form, '/connect/caldav', typed) };
  }

  it('a server that accepts any password proves nothing: the selection page asks for consent', async () => {
    const { account, browser, send } = await openForm('anybody@example.com');

    const page = await browser.get((await send()).location);

    assert.equal(await codeOf(harness, userId()), undefined);
    assert.ok(endsOf(page).includes('Allow') || endsOf(page).includes('Continue'));
    assert.equal((await harness.accounts.findAccount(account.accountKey))?.health.state, 'reauth_required');
  });

  it('an unknown account is 400 invalid_request, and so is one of another user', async () => {
    await connected(harness, { userId: userId() });
    const owner = userId();
    users += 1;
    for (const reconnect of ['caldav:ada@example.com', 'google:ada@example.com', 'ada@example.com', ':', 'x'])
      await assert.rejects(push(harness, { user_id: userId(), reconnect }), {
        code: 'invalid_request',
        message: /^reconnect must be PROVIDER:ID/,
      });
    await push(harness, { user_id: owner, reconnect: 'caldav:ada@example.com' });
  });

  it('an account that is disconnected after the push leads to the selection page', async () => {
    await connected(harness, { userId: userId() });
    const uri = await push(harness, { user_id: userId(), reconnect: 'caldav:ada@example.com' });
    const [account] = await everyAccount(harness, userId());
    await harness.accounts.removeAccount(account?.accountKey ?? '', 1, undefined);

    assert.match((await new Browser(harness).get(pushedPath(uri))).location, /^\/authorize\?/);
  });

  it('in an address it is ignored', async () => {
    await connected(harness, { userId: userId() });
    const browser = new Browser(harness);

    const page = await browser.start({ user_id: userId(), reconnect: 'caldav:ada@example.com' });

    const request = await harness.deps.requests.findRequest(transactionOf(page));
    assert.equal(request?.reconnects, undefined);
    assert.match(read(page), /a•••@e•••\.com/);
  });
});
