/** The limit of connected accounts, and its messages on the pages (docs/wire.md 2.2). On SQLite. */
import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';

import { connectionStatus } from '../../src/connect/accounts/connections.ts';
import { connected, everyAccount } from './approvals.ts';
import { type Answer, Browser, type Harness, openConnect, transactionOf } from './connect-harness.ts';
import { follow, type Journeys, openJourneys } from './journeys.ts';

const LIMITS = { ofPerson: 2, ofUser: 4 };
const SAYS_SO = /No more accounts can be connected here: the limit is 2\./;
const buttons = ({ body }: Answer) => [...body.matchAll(/<button[^>]*aria-describedby="limit"/g)].length;

let harness: Harness;
before(async () => {
  harness = await openConnect({ accountLimits: LIMITS });
});
after(() => harness.close());

const names = async (userId: string) => (await everyAccount(harness, userId)).map(({ display }) => display);

/** Sends the form of an account, even if the page does not offer it. */
async function send(browser: Browser, selection: Answer, username: string): Promise<Answer> {
  const form = await browser.get(`/connect/caldav?transaction=${transactionOf(selection)}&by=server`);
  return browser.submit(form, '/connect/caldav', {
    server: 'https://dav.example.com',
    username,
    password: 'right',
  });
}

describe('the limit of accounts', () => {
  it('the limit of accounts is shown on the selection page, which then disables every provider', async () => {
    const browser = new Browser(harness);
    const before = await browser.link(await browser.start({ user_id: 'a' }), 'one');
    const reached = await browser.link(before, 'two');

    assert.doesNotMatch(before.body, SAYS_SO);
    assert.equal(buttons(before), 0);
    assert.match(reached.body, SAYS_SO);
    assert.equal(buttons(reached), 5);
    assert.doesNotMatch(reached.body, /action="\/connect\/caldav"/);
  });

  it('the limit of accounts is shown for a form that is sent anyway, and nothing is linked', async () => {
    const browser = new Browser(harness);
    let page = await browser.start({ user_id: 'b' });
    for (const name of ['one', 'two']) page = await browser.link(page, name);

    const refused = await send(browser, page, 'three');

    assert.equal(refused.status, 422);
    assert.match(refused.body, SAYS_SO);
    assert.deepEqual((await names('b')).toSorted(), ['one', 'two']);
  });

  it('the limit of accounts does not prevent a user from linking an existing account again', async () => {
    const { browser } = await connected(harness, { userId: 'c', names: ['one', 'two'] });
    const page = await browser.start({ user_id: 'c' });

    const again = await send(browser, page, 'one');

    assert.match(page.body, SAYS_SO);
    assert.equal(again.status, 303);
  });

  it('the limit of accounts holds per person, and removes a stranger’s oldest account', async () => {
    await connected(harness, { userId: 'd', names: ['one', 'two'] });
    const stranger = new Browser(harness);
    await stranger.link(await stranger.start({ user_id: 'd' }), 'eve');
    harness.pass(1);
    const other = new Browser(harness);
    let page = await other.start({ user_id: 'd' });
    for (const name of ['three', 'four']) {
      page = await other.link(page, name);
      harness.pass(1);
    }

    assert.deepEqual((await names('d')).toSorted(), ['four', 'one', 'three', 'two']);
  });

  it('the limit of accounts is reported to the application', async () => {
    const { grant } = await connected(harness, { userId: 'e', names: ['one', 'two'] });
    const few = await connected(harness, { userId: 'f', names: ['one'] });
    const watches = { listUpdates: async () => [] };
    const deps = { ...harness.deps, accounts: harness.accounts, watches };

    assert.equal((await connectionStatus(grant, deps)).limitReached, true);
    assert.equal((await connectionStatus(few.grant, deps)).limitReached, false);
  });
});

describe('the limit of accounts at a provider with pages of its own', () => {
  let journeys: Journeys;
  before(async () => {
    journeys = await openJourneys({ accountLimits: { ofPerson: 1, ofUser: 4 } });
  });
  after(() => journeys.harness.close());

  it('the limit of accounts leads back to the accounts instead of away to the provider', async () => {
    journeys.nextUser();
    const { browser } = await journeys.connect('google');
    const page = await browser.start({ user_id: journeys.userId() });

    const sent = await browser.get(`/connect/microsoft?transaction=${transactionOf(page)}`);

    assert.equal(sent.status, 303);
    assert.match(sent.location, /^\/authorize\?/);
    assert.match((await follow(browser, sent)).body, /the limit is 1\./);
  });

  it('the limit of accounts that was reached meanwhile links nothing, and ends the access that was given', async () => {
    journeys.nextUser();
    const { browser, transaction, sent } = await journeys.depart('google');
    const back = await browser.get(`/connect/microsoft?transaction=${transaction}`);
    await browser.get(journeys.microsoft.allow(back.location));

    const late = await browser.get(journeys.google.allow(sent.location));

    assert.equal(late.status, 303);
    assert.match((await follow(browser, late)).body, /the limit is 1\./);
    assert.deepEqual(
      (await journeys.accounts()).map(({ provider }) => provider),
      ['microsoft'],
    );
    const jobs = await journeys.harness.db.all("SELECT key FROM job WHERE kind = 'end-access'");
    assert.equal(jobs.length, 1);
  });

  it('the limit of accounts lets an account be connected again', async () => {
    journeys.nextUser();
    const { browser, account } = await journeys.connect('google');
    const page = await browser.start({ user_id: journeys.userId() });

    const again = `/connect/google?transaction=${transactionOf(page)}&account=${account.accountKey}`;
    const sent = await browser.get(again);
    const linked = await follow(browser, await browser.get(journeys.google.allow(sent.location)));

    assert.match(sent.location, /^https:\/\/google\.example/);
    assert.ok(/<\/bdi> is connected\./.test(linked.body));
  });
});
