/**
 * Accounts that do not yet belong to the user: whose they are meanwhile, and how they are removed (docs/security.md
 * T3). On SQLite.
 */
import assert from 'node:assert/strict';
import { after, before, beforeEach, describe, it } from 'node:test';

import { endAccess } from '../../src/access/end-access.ts';
import { endedAccessStore } from '../../src/store/accounts/ended-access-store.ts';
import { allow, codeOf, connected, endsOf, namesReadBy, redeem } from './approvals.ts';
import { type Answer, Browser, type Harness, openConnect, transactionOf } from './connect-harness.ts';
import { follow, type Journeys, openJourneys } from './journeys.ts';

const MINUTES = 60_000;
const TRANSACTION_MS = 120 * MINUTES;

/** Runs the housekeeping of unfinished accounts at the current time. */
const dropUnfinished = ({ accounts, deps: { now } }: Harness) => accounts.dropUnfinished(now(), now());

describe('what was linked in a transaction', () => {
  let harness: Harness;
  before(async () => {
    harness = await openConnect();
  });
  after(() => harness.close());
  let users = 0;
  beforeEach(() => {
    users += 1;
  });
  const userId = () => `unfinished-${users}`;
  const user = () => ({ user_id: userId() });

  /** Returns a browser that linked an account, and its selection page. */
  async function linked(name = 'ada@example.com') {
    const browser = new Browser(harness);
    const page = await browser.link(await browser.start(user()), name);
    harness.pass(1);
    return { browser, page };
  }

  /** Returns a browser that linked and allowed an account, and the response to Allow. */
  async function allowed(name?: string) {
    const { browser, page } = await linked(name);
    return { browser, answer: await allow(browser, page) };
  }
  const rows = async (): Promise<string[]> =>
    (
      await harness.db.all<{ display: string }>('SELECT display FROM account WHERE user_id = :userId', {
        userId: userId(),
      })
    ).map(({ display }) => display);

  it('what was linked is found again by the same browser, and goes with one Allow of either transaction', async () => {
    const { browser } = await linked();

    const again = await browser.start(user());
    const both = await browser.link(again, 'bob@example.com');
    await allow(browser, both);

    assert.match(again.body, /<bdi>ada@example\.com<\/bdi>/);
    assert.deepEqual(endsOf(again), ['Allow', 'Cancel']);
    assert.deepEqual(await namesReadBy(harness, await redeem(harness, userId())), [
      'ada@example.com',
      'bob@example.com',
    ]);
  });

  it('what was linked is shown to no other browser, not even masked', async () => {
    await linked();

    const page = await new Browser(harness).start(user());

    assert.doesNotMatch(page.body, /ada@example\.com|a•••@|Other accounts/);
  });

  it('what was linked is the user’s once the code of its approval is redeemed, and not before', async () => {
    await allowed();
    assert.deepEqual(await harness.accounts.listAccounts('acme', userId()), []);

    const grant = await redeem(harness, userId());

    assert.deepEqual(await namesReadBy(harness, grant), ['ada@example.com']);
    assert.equal((await harness.accounts.listAccounts('acme', userId())).length, 1);
  });

  it('what joins an account that is the user’s already is permanent with Allow, without a redemption', async () => {
    const { browser, grant } = await connected(harness, { userId: userId() });

    await allow(browser, await browser.link(await browser.start(user()), 'bob@example.com'));

    assert.deepEqual(await namesReadBy(harness, grant), ['ada@example.com', 'bob@example.com']);
    harness.pass(TRANSACTION_MS);
    await dropUnfinished(harness);
    assert.deepEqual((await rows()).toSorted(), ['ada@example.com', 'bob@example.com']);
  });

  it('what was linked is dropped by Cancel', async () => {
    const { browser, page } = await linked();

    await browser.submit(page, '/connect/cancel');

    assert.deepEqual(await rows(), []);
    assert.deepEqual(endsOf(await browser.start(user())), ['Cancel']);
  });

  it('what was linked before is left by Cancel of a later transaction', async () => {
    const { browser } = await linked();
    const later = await browser.link(await browser.start(user()), 'bob@example.com');

    await browser.submit(later, '/connect/cancel');

    assert.deepEqual(await rows(), ['ada@example.com']);
  });

  it('what was linked is taken away by Remove at once, and the rest stays', async () => {
    const { browser, page } = await linked();
    const both = await browser.link(page, 'bob@example.com');

    const removed = await browser.submit(both, '/connect/remove');
    const after = await browser.get(removed.location);

    assert.match(both.body, /aria-label="Remove ada@example\.com"/);
    assert.doesNotMatch(both.body, />Disconnect</);
    assert.match(after.body, /role="status".*The account was removed/s);
    assert.deepEqual(await rows(), ['bob@example.com']);
    assert.deepEqual(endsOf(after), ['Allow', 'Cancel']);
  });

  it('what is the user’s is not taken away by Remove, which asks nothing', async () => {
    const { browser } = await connected(harness, { userId: userId() });
    const page = await browser.link(await browser.start(user()), 'bob@example.com');
    const [account] = await harness.accounts.listAccounts('acme', userId());

    await browser.submit(page, '/connect/remove', { account: account?.accountKey ?? '' });

    assert.deepEqual((await rows()).toSorted(), ['ada@example.com', 'bob@example.com']);
  });

  it('what was linked and never allowed goes with its transaction', async () => {
    await linked();
    harness.pass(TRANSACTION_MS - 1000);
    await dropUnfinished(harness);
    assert.deepEqual(await rows(), ['ada@example.com']);
    harness.pass(1001);

    await dropUnfinished(harness);
    assert.deepEqual(await rows(), []);
  });

  it('what was allowed and never redeemed goes with the code, after ten minutes', async () => {
    await allowed();
    harness.pass(10 * MINUTES - 1000);
    await dropUnfinished(harness);
    assert.deepEqual(await rows(), ['ada@example.com']);
    harness.pass(2000);

    assert.equal(await redeem(harness, userId()), undefined);
    await dropUnfinished(harness);
    assert.deepEqual(await rows(), []);
  });

  const happened = ({ body }: Answer): boolean => body.includes('did not complete the connection');

  it('what was allowed and never redeemed is told to its browser at the next visit, and to no other', async () => {
    const { browser } = await allowed();
    harness.pass(10 * MINUTES + 1);
    await dropUnfinished(harness);

    const page = await browser.start(user());
    const stranger = await new Browser(harness).start(user());

    assert.match(page.body, /role="status".*The application did not complete the connection. Connect again/s);
    assert.deepEqual(endsOf(page), ['Cancel']);
    assert.equal(happened(stranger), false);
  });

  it('what was allowed and never redeemed is no longer reported after its browser connects again', async () => {
    const { browser } = await allowed();
    harness.pass(10 * MINUTES + 1);
    await dropUnfinished(harness);
    await allow(browser, await browser.link(await browser.start(user())));
    await redeem(harness, userId());

    const page = await browser.start(user());

    assert.equal(happened(page), false);
    assert.deepEqual(endsOf(page), ['Done']);
  });

  it('what was allowed can be allowed again while its code lives: the second takes the place of the first', async () => {
    const { browser } = await allowed();
    const first = await codeOf(harness, userId());

    const page = await browser.start(user());
    const end = await allow(browser, page);

    assert.deepEqual(endsOf(page), ['Allow', 'Cancel']);
    assert.match(end.location, /[?&]code=unfinished-\d+$/);
    assert.notEqual((await codeOf(harness, userId()))?.approvalId, first?.approvalId);
    assert.deepEqual(await namesReadBy(harness, await redeem(harness, userId())), ['ada@example.com']);
    assert.equal(await redeem(harness, userId()), undefined);
  });

  it('what was allowed lives as long as the code of the second Allow', async () => {
    const { browser } = await allowed();
    harness.pass(8 * MINUTES);
    await allow(browser, await browser.start(user()));
    harness.pass(8 * MINUTES);

    await dropUnfinished(harness);
    assert.deepEqual(await namesReadBy(harness, await redeem(harness, userId())), ['ada@example.com']);
  });

  it('what was allowed and then disconnected takes its code along', async () => {
    const { browser } = await allowed();
    const page = await browser.start(user());

    await browser.submit(page, '/connect/remove');

    assert.deepEqual(await rows(), []);
    assert.equal(await redeem(harness, userId()), undefined);
  });

  it('what a later approval waits for is over when the code before it ends', async () => {
    await allowed();
    const { browser, answer } = await allowed('eve@example.com');
    assert.match(answer.location, /^\/connect\/waiting\?/);
    const waiting = await browser.get(answer.location);
    harness.pass(10 * MINUTES + 1);

    const end = await browser.get(answer.location);

    assert.match(waiting.body, /Another connection is being finished/);
    assert.match(waiting.body, /data-goes-on="\/connect\/waiting\?transaction&#61;/);
    assert.match(end.location, /[?&]code=unfinished-\d+$/);
    assert.deepEqual(await namesReadBy(harness, await redeem(harness, userId())), ['eve@example.com']);
  });

  it('nobody waits who did not press Allow', async () => {
    await allowed();
    const { browser, page } = await linked('eve@example.com');

    const answer = await browser.get(`/connect/waiting?transaction=${transactionOf(page)}`);

    assert.match(answer.location, /^\/authorize\?/);
    assert.equal((await harness.codes.findCodes('acme', userId())).length, 1);
  });

  it('a user who waits can leave by Cancel', async () => {
    await allowed();
    const { browser, answer } = await allowed('eve@example.com');

    const end = await browser.submit(await browser.get(answer.location), '/connect/cancel');

    assert.match(end.location, /error=access_denied/);
    assert.deepEqual(await rows(), ['ada@example.com']);
  });
});

describe('access at a provider that is not the user’s', () => {
  let journeys: Journeys;
  before(async () => {
    journeys = await openJourneys();
  });
  after(() => journeys.harness.close());
  beforeEach(async () => {
    journeys.nextUser();
    await journeys.harness.db.write('DELETE FROM ended_access', {});
  });

  /** Returns the access that is to be ended at the provider, each with its job. */
  const ended = async (): Promise<string[]> =>
    (
      await journeys.harness.db.all<{ accountId: string }>(
        `SELECT account_id AS "accountId" FROM ended_access JOIN job ON key = ended_access.account_key AND kind = 'end-access'
          ORDER BY account_id`,
      )
    ).map(({ accountId }) => accountId);

  async function linked(email: string) {
    const { browser, sent } = await journeys.depart();
    const page = await follow(browser, await browser.get(journeys.google.allow(sent.location, { email })));
    return { browser, page };
  }

  it('access that was given in a transaction is to be ended there after Cancel, Remove and expiry alike', async () => {
    const cancelled = await linked('cancelled@example.com');
    await cancelled.browser.submit(cancelled.page, '/connect/cancel');
    const removed = await linked('removed@example.com');
    await removed.browser.submit(removed.page, '/connect/remove');
    await linked('left@example.com');
    const { accounts } = journeys.harness;
    await accounts.dropUnfinished(
      Date.now() + TRANSACTION_MS + MINUTES,
      Date.now() + TRANSACTION_MS + MINUTES,
    );

    assert.deepEqual(await ended(), ['cancelled@example.com', 'left@example.com', 'removed@example.com']);
  });

  /** Runs the jobs that end access and returns how many refresh tokens were revoked at Google. */
  async function endAll(): Promise<number> {
    const { harness, google } = journeys;
    let revoked = 0;
    const revoke = async () => {
      revoked += 1;
    };
    const providers = { google: { ...google, open: google.open, signIn: { ...google.signIn, revoke } } };
    const endedAccess = endedAccessStore(harness.db, harness.sealer);
    for (const { key } of await harness.db.all<{ key: string }>(
      'SELECT account_key AS key FROM ended_access',
    )) {
      await endAccess(key, { ...harness.deps, endedAccess, providers });
    }
    return revoked;
  }

  it('access is ended at the provider when nobody else has an account on the same grant there', async () => {
    const { browser, page } = await linked('alone@example.com');
    await browser.submit(page, '/connect/cancel');

    assert.equal(await endAll(), 1);
  });

  it('access lives on while another account has the same grant there, of another user’s open transaction too', async () => {
    await linked('shared@example.com');
    journeys.nextUser();
    const { browser, page } = await linked('shared@example.com');
    await browser.submit(page, '/connect/cancel');

    assert.equal(await endAll(), 0);
  });

  it('access of an account lives on when signing in to it again was cancelled', async () => {
    const { browser } = await journeys.connect('google', { scope: 'read' });
    const selection = await browser.start({ user_id: journeys.userId(), scope: 'read-write' });
    const sent = await browser.get(`/connect/google?transaction=${transactionOf(selection)}`);
    const page = await follow(browser, await browser.get(journeys.google.allow(sent.location)));
    await browser.submit(page, '/connect/cancel');

    assert.deepEqual(await ended(), ['ada@example.com']);
    assert.equal(await endAll(), 0);
  });

  it('access that was allowed and redeemed is not ended by housekeeping', async () => {
    const { browser, page } = await linked('kept@example.com');
    await allow(browser, page);
    await redeem(journeys.harness, journeys.userId());
    const late = journeys.harness.deps.now() + TRANSACTION_MS + MINUTES;

    await journeys.harness.accounts.dropUnfinished(late, late);

    assert.ok(!(await ended()).includes('kept@example.com'));
  });
});
