/**
 * Tests settings of an application and the instance for the pages: which returning users continue without proof, which
 * providers are offered, and the redirect to a single one (docs/security.md T4, docs/wire.md 4.1). On SQLite.
 */
import assert from 'node:assert/strict';
import { after, before, beforeEach, describe, it } from 'node:test';

import { allow, connected, endsOf, everyAccount, namesReadBy, redeem } from './approvals.ts';
import { Browser, type Harness, openConnect, transactionOf } from './connect-harness.ts';
import { follow, type Journeys, openJourneys, read } from './journeys.ts';
import { startPushed } from './pushing.ts';

/** Returns the providers that a page offers in their order, including those that are not configured. */
const offeredOn = ({ body }: { readonly body: string }): string[] =>
  [...body.matchAll(/Connect (Google|Microsoft|Apple|CalDAV)</g)].map(([, name = '']) => name);

describe('returning users of an application with the setting continue', () => {
  let harness: Harness;
  before(async () => {
    harness = await openConnect();
    await harness.clients.updateClient('acme', { returningUsers: 'continue' }, { now: 1, by: undefined });
  });
  after(() => harness.close());
  let users = 0;
  beforeEach(() => {
    users += 1;
  });
  const userId = () => `returning-${users}`;

  it('a returning user continues with all accounts in any browser, and sees them masked', async () => {
    await connected(harness, { userId: userId() });
    await connected(harness, { userId: userId(), names: ['bob@example.com'] });
    const stranger = new Browser(harness);

    const page = await stranger.start({ user_id: userId() });
    const end = await allow(stranger, page);

    assert.match(read(page), /a•••@e•••\.com.*b•••@e•••\.com/s);
    assert.doesNotMatch(page.body, /ada@|bob@|Other accounts|>Disconnect|Choose calendars|Reconnect/);
    assert.match(end.location, /[?&]code=returning-\d+$/);
    assert.deepEqual(await namesReadBy(harness, await redeem(harness, userId())), [
      'ada@example.com',
      'bob@example.com',
    ]);
  });

  it('a returning user continues at a wider scope, with consent', async () => {
    await connected(harness, { userId: userId(), query: { scope: 'free-busy' } });
    const stranger = new Browser(harness);

    const page = await stranger.start({ user_id: userId(), scope: 'read-write' });
    await allow(stranger, page);

    assert.deepEqual(endsOf(page), ['Allow', 'Cancel']);
    const grant = await redeem(harness, userId());
    const [covered] = await harness.db.all<{ scope: string }>(
      'SELECT scope FROM grant_coverage WHERE coverage_id = :id',
      { id: grant?.coverageId ?? '' },
    );
    assert.equal(covered?.scope, 'read-write');
  });

  it('a returning user does not change accounts that were not proved', async () => {
    await connected(harness, { userId: userId() });
    const [account] = await everyAccount(harness, userId());
    const stranger = new Browser(harness);
    const page = await stranger.start({ user_id: userId() });
    const key = account?.accountKey ?? '';
    const transaction = transactionOf(page);
    const token = /name="token" value="([\w-]+)"/.exec(page.body)?.[1] ?? '';

    for (const action of ['disconnect', 'calendars', 'remove']) {
      const sent = { transaction, token, account: key };
      assert.equal((await stranger.post(`/connect/${action}`, sent)).status, 403, action);
    }
    await stranger.post('/connect/disconnect-all', { transaction, token });

    assert.equal((await everyAccount(harness, userId())).length, 1);
  });

  it('a returning user who pushed a request covers all accounts at its scope as well', async () => {
    await connected(harness, { userId: userId(), query: { scope: 'free-busy' } });

    const page = await startPushed(harness, new Browser(harness), { user_id: userId(), scope: 'read' });

    assert.deepEqual(endsOf(page), ['Allow', 'Cancel']);
  });

  it('a returning user continues with no account of a stranger that was never redeemed', async () => {
    const stranger = new Browser(harness);
    await allow(
      stranger,
      await stranger.link(await stranger.start({ user_id: userId() }), 'eve@example.com'),
    );

    const page = await new Browser(harness).start({ user_id: userId() });

    assert.deepEqual(endsOf(page), ['Cancel']);
    assert.doesNotMatch(read(page), /e•••@/);
  });
});

describe('the providers that are offered', () => {
  let harness: Harness;
  before(async () => {
    harness = await openConnect({ offeredProviders: ['google', 'apple', 'caldav'] });
  });
  after(() => harness.close());
  const withProviders = async (providers: string[] | null) =>
    harness.clients.updateClient('acme', { providers }, { now: 1, by: undefined });
  beforeEach(() => withProviders(null));

  it('the providers offered are those of the instance, whatever a request asks for', async () => {
    assert.deepEqual(offeredOn(await new Browser(harness).start()), ['Google', 'Apple', 'CalDAV']);
    const asked = await new Browser(harness).start({ providers: 'microsoft,caldav' });
    assert.deepEqual(offeredOn(asked), ['CalDAV']);
    const none = await new Browser(harness).start({ providers: 'microsoft' });
    assert.deepEqual(offeredOn(none), ['Google', 'Apple', 'CalDAV']);
  });

  it('the providers offered are those of the application among them', async () => {
    await withProviders(['microsoft', 'apple', 'caldav']);

    assert.deepEqual(offeredOn(await new Browser(harness).start()), ['Apple', 'CalDAV']);
    assert.deepEqual(offeredOn(await new Browser(harness).start({ providers: 'google' })), [
      'Apple',
      'CalDAV',
    ]);
    assert.deepEqual(offeredOn(await new Browser(harness).start({ providers: 'google,caldav' })), ['CalDAV']);
  });

  it('the providers that are not offered have no page and no form', async () => {
    await withProviders(['caldav']);
    const browser = new Browser(harness);
    const page = await browser.start();
    const transaction = transactionOf(page);
    const token = /name="token" value="([\w-]+)"/.exec(page.body)?.[1] ?? '';
    const typed = { username: 'ada@icloud.com', password: 'abcd-efgh-ijkl-mnop' };

    for (const kind of ['google', 'microsoft', 'apple']) {
      const answer = await browser.get(`/connect/${kind}?transaction=${transaction}`);
      assert.equal(answer.status, 404, kind);
    }
    const sent = await browser.post('/connect/apple', { transaction, token, ...typed });

    assert.equal(sent.status, 404);
    assert.deepEqual(await everyAccount(harness, 'ada'), []);
  });

  it('the providers that are not offered keep their accounts: those can be disconnected, not confirmed', async () => {
    const { browser } = await connected(harness, { userId: 'keeper' });
    await withProviders(['apple', 'google']);

    const own = await browser.start({ user_id: 'keeper' });
    const stranger = await new Browser(harness).start({ user_id: 'keeper' });

    assert.match(own.body, /ada@example\.com.*>Disconnect</s);
    assert.match(read(stranger), /a•••@e•••\.com/);
    assert.doesNotMatch(stranger.body, /Confirm it is yours/);
  });

  it('the providers offered that are not configured stay visible, disabled and with a note', async () => {
    const page = await new Browser(harness).start({ providers: 'google,caldav' });

    assert.match(page.body, /disabled aria-describedby="google-about".*Not available: not set up here yet/s);
  });
});

describe('a request with one provider', () => {
  let journeys: Journeys;
  before(async () => {
    journeys = await openJourneys();
  });
  after(() => journeys.harness.close());
  beforeEach(() => journeys.nextUser());
  const only = (kind = 'google') => ({ user_id: journeys.userId(), providers: kind });

  for (const kind of ['google', 'microsoft'] as const) {
    it(`a request with ${kind} only leads a new user straight there, and back to one page with Allow`, async () => {
      const browser = new Browser(journeys.harness);

      const ahead = await browser.start(only(kind));
      const sent = await browser.get(ahead.location);
      const page = await follow(browser, await browser.get(journeys[kind].allow(sent.location)));
      const end = await allow(browser, page);

      assert.equal(ahead.status, 303);
      assert.match(ahead.location, new RegExp(`^/connect/${kind}\\?transaction=[\\w-]{22}$`));
      assert.equal(sent.status, 303);
      assert.deepEqual(endsOf(page), ['Allow', 'Cancel']);
      assert.match(end.location, /[?&]code=user-\d+$/);
    });
  }

  it('a request with one provider redirects there once: after a cancel it shows the selection page', async () => {
    const browser = new Browser(journeys.harness);
    const sent = await browser.get((await browser.start(only())).location);

    const page = await follow(browser, await browser.get(journeys.google.refuse(sent.location)));
    const reloaded = await browser.get(`/authorize?transaction=${transactionOf(page)}`);

    for (const { status, body } of [page, reloaded]) {
      assert.equal(status, 200);
      assert.deepEqual(offeredOn({ body }), ['Google']);
    }
    assert.match(page.body, /You cancelled at <bdi>Google<\/bdi>\. Nothing was changed/);
    assert.match(page.body, /class="notice note" role="status"/, 'which is neither good nor bad');
  });

  it('a request with one provider opens the page if the user already has an account there', async () => {
    const { browser } = await journeys.connect('google');

    const own = await browser.start(only());
    const stranger = await new Browser(journeys.harness).start(only());

    assert.deepEqual([own.status, stranger.status], [200, 200]);
    assert.match(read(stranger), /a•••@e•••\.com/);
  });

  it('a request with one provider opens the page if that is not configured, or has a form here', async () => {
    const bare = await openConnect();
    const notSetUp = await new Browser(bare).start({ providers: 'google' });
    const form = await new Browser(bare).start({ providers: 'caldav' });
    await bare.close();

    assert.deepEqual([notSetUp.status, form.status], [200, 200]);
    assert.deepEqual([offeredOn(notSetUp), offeredOn(form)], [['Google'], ['CalDAV']]);
  });

  it('a request with one provider leads there again in another transaction', async () => {
    const browser = new Browser(journeys.harness);
    await browser.start(only());

    assert.equal((await browser.start(only())).status, 303);
  });

  it('a request redirects to the only provider that the application or the instance offers', async () => {
    await journeys.harness.clients.updateClient('acme', { providers: ['google'] }, { now: 1, by: undefined });
    const page = await new Browser(journeys.harness).start({ user_id: journeys.userId() });
    await journeys.harness.clients.updateClient('acme', { providers: null }, { now: 1, by: undefined });

    assert.match(page.location, /^\/connect\/google\?/);
  });
});
