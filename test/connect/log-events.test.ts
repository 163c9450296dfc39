/** The log events of the pages about a user's access, as docs/log-events.md lists them. On SQLite. */
import assert from 'node:assert/strict';
import { after, before, beforeEach, describe, it } from 'node:test';
import { inspect } from 'node:util';

import { allow, connected, everyAccount } from './approvals.ts';
import { type Answer, Browser, type Harness, openConnect, transactionOf } from './connect-harness.ts';
import { follow, type Journeys, openJourneys } from './journeys.ts';

let harness: Harness;
before(async () => {
  harness = await openConnect();
});
after(() => harness.close());
let users = 0;
beforeEach(() => {
  users += 1;
  harness.logged.length = 0;
});
const userId = () => `logged-${users}`;
const user = () => ({ user_id: userId() });

type Event = Readonly<Record<string, unknown>>;

/** Returns the logged events, each with its level. */
const eventsOf = ({ logged }: Harness): Event[] => logged.map(({ level, fields }) => ({ ...fields, level }));

/** Returns the last event of this name. */
const lastOf = (of: Harness, event: string): Event | undefined =>
  eventsOf(of).findLast((one) => one.event === event);

const whose = (page: Answer) => ({
  clientId: 'acme',
  userId: userId(),
  address: '127.0.0.1',
  transactionId: transactionOf(page),
});
const keyOf = async () => (await everyAccount(harness, userId()))[0]?.accountKey;

describe('the log', () => {
  it('the log has an account that was linked, and one that was removed', async () => {
    const browser = new Browser(harness);
    const page = await browser.link(await browser.start(user()));
    const account = { accountKey: await keyOf(), provider: 'caldav' };
    await browser.submit(page, '/connect/remove');

    assert.deepEqual(
      eventsOf(harness).map(({ calendarPermission: _, ...event }) => event),
      [
        { level: 'info', event: 'account_linked', ...whose(page), ...account },
        { level: 'info', event: 'account_removed', ...whose(page), ...account },
      ],
    );
  });

  it('the log has Allow, Cancel, and an approval that waits', async () => {
    const first = new Browser(harness);
    const allowed = await first.link(await first.start({ ...user(), scope: 'read' }));
    const accountKeys = [await keyOf()];
    await allow(first, allowed);
    const second = new Browser(harness);
    const waiting = await second.link(await second.start(user()), 'eve@example.com');
    const { location } = await allow(second, waiting);
    await second.get(location);
    const wait = await second.get(location);
    await second.submit(wait, '/connect/cancel');

    assert.deepEqual(
      ['access_allowed', 'approval_waits', 'access_denied'].map((event) => lastOf(harness, event)),
      [
        { level: 'info', event: 'access_allowed', ...whose(allowed), scope: 'read', accountKeys },
        { level: 'info', event: 'approval_waits', ...whose(waiting) },
        { level: 'info', event: 'access_denied', ...whose(waiting) },
      ],
    );
    const waits = eventsOf(harness).filter(({ event }) => event === 'approval_waits');
    assert.equal(waits.length, 1, 'it is told once, however often the page asks');
  });

  it('the log has a decision that was sent twice only once', async () => {
    const browser = new Browser(harness);
    const page = await browser.link(await browser.start(user()));
    await allow(browser, page);
    await allow(browser, page);

    assert.equal(eventsOf(harness).filter(({ event }) => event === 'access_allowed').length, 1);
  });

  it('the log has each account that its user disconnected', async () => {
    const { browser } = await connected(harness, {
      userId: userId(),
      names: ['ada@example.com', 'bob@example.com'],
    });
    const keys = (await everyAccount(harness, userId())).map(({ accountKey }) => accountKey);
    const page = await browser.start(user());
    const question = await browser.get(`/connect/disconnect-all?transaction=${transactionOf(page)}`);
    await browser.submit(question, '/connect/disconnect-all');

    const told = eventsOf(harness).filter(({ event }) => event === 'account_disconnected');
    assert.deepEqual(
      told,
      keys.map((accountKey) => {
        return {
          level: 'info',
          event: 'account_disconnected',
          ...whose(page),
          accountKey,
          provider: 'caldav',
        };
      }),
    );
  });

  const proofs: [reason: string | undefined, username: string, password: string][] = [
    [undefined, 'ada@example.com', 'right'],
    ['wrong_password', 'ada@example.com', 'wrong'],
    ['another_account', 'eve@example.com', 'right'],
  ];
  for (const [reason, username, password] of proofs) {
    it(`the log has a proof ${reason ? `that was refused: ${reason}` : 'that was given'}`, async () => {
      await connected(harness, { userId: userId() });
      const accountKey = await keyOf();
      const stranger = new Browser(harness);
      const page = await stranger.start(user());
      const path = `/connect/caldav?transaction=${transactionOf(page)}&confirm=${accountKey}&by=server`;
      const typed = { server: 'https://dav.example.com', username, password };
      await stranger.submit(await stranger.get(path), '/connect/caldav', typed);

      const event = reason === undefined ? 'account_confirmed' : 'proof_refused';
      const { calendarPermission: _, ...told } = lastOf(harness, event) ?? {};
      const { level, reasonTold } =
        reason === undefined ? { level: 'info', reasonTold: {} } : { level: 'warn', reasonTold: { reason } };
      assert.deepEqual(told, { level, event, ...whose(page), provider: 'caldav', accountKey, ...reasonTold });
    });
  }

  it('the log has a proof that a server cannot give, since it accepts any password', async () => {
    await connected(harness, { userId: userId(), names: ['anybody@example.com'] });
    const stranger = new Browser(harness);
    const page = await stranger.start(user());
    const path = `/connect/caldav?transaction=${transactionOf(page)}&confirm=${await keyOf()}&by=server`;
    const typed = { server: 'https://dav.example.com', username: 'anybody@example.com', password: 'right' };
    await stranger.submit(await stranger.get(path), '/connect/caldav', typed);

    assert.equal(lastOf(harness, 'proof_refused')?.reason, 'proves_nothing');
  });

  it('the log has a failed link, and no refused proof, for a wrong password that confirms nothing', async () => {
    const browser = new Browser(harness);
    const page = await browser.start(user());
    const form = await browser.get(`/connect/caldav?transaction=${transactionOf(page)}&by=server`);
    const typed = { server: 'https://dav.example.com', username: 'ada@example.com', password: 'wrong' };
    await browser.submit(form, '/connect/caldav', typed);

    assert.deepEqual(
      eventsOf(harness).map(({ event }) => event),
      ['account_not_linked'],
    );
  });

  it('the log has no e-mail address and no secret at info or above, whatever was done', async () => {
    const { browser } = await connected(harness, { userId: userId() });
    const page = await browser.link(await browser.start(user()), 'bob@example.com');
    const stranger = new Browser(harness);
    await allow(stranger, await stranger.link(await stranger.start(user()), 'eve@example.com'));
    const refused = await stranger.start(user());
    const path = `/connect/caldav?transaction=${transactionOf(refused)}&confirm=${await keyOf()}&by=server`;
    for (const password of ['wrong', 'right', 'unavailable', 'broken']) {
      const typed = { server: 'https://dav.example.com', username: 'mallory@example.com', password };
      await stranger.submit(await stranger.get(path), '/connect/caldav', typed);
    }
    const question = await browser.get(`/connect/disconnect-all?transaction=${transactionOf(page)}`);
    await browser.submit(question, '/connect/disconnect-all');

    const told = harness.logged.filter(({ level }) => level !== 'debug');
    const text = inspect(told, { depth: 9, maxArrayLength: null, breakLength: Infinity });
    assert.ok(told.length > 6);
    assert.doesNotMatch(text, /@example\.com|dav\.example/);
    for (const { cookies } of [browser, stranger]) {
      for (const [name, value] of cookies) {
        const [, secret = value] = value.split('.');
        if (name !== 'oauth_req') assert.ok(!text.includes(secret), name);
      }
    }
  });
});

describe('the log of sign-ins at a provider', () => {
  let journeys: Journeys;
  before(async () => {
    journeys = await openJourneys();
  });
  after(() => journeys.harness.close());

  it('the log has the user whose proof was refused at a provider, and no address of anyone', async () => {
    const { account } = await journeys.connect('google');
    const stranger = new Browser(journeys.harness);
    const page = await stranger.start({ user_id: journeys.userId() });
    const path = `/connect/google?transaction=${transactionOf(page)}&confirm=${account.accountKey}`;
    const { location } = await stranger.get(path);

    const deed = { email: 'eve@example.com' };
    await follow(stranger, await stranger.get(journeys.google.allow(location, deed)));

    assert.deepEqual(lastOf(journeys.harness, 'proof_refused'), {
      level: 'warn',
      event: 'proof_refused',
      clientId: 'acme',
      userId: journeys.userId(),
      accountKey: account.accountKey,
      provider: 'google',
      address: '127.0.0.1',
      transactionId: transactionOf(page),
      reason: 'another_account',
    });
    assert.doesNotMatch(inspect(journeys.harness.logged, { depth: 9 }), /@example\.com/);
  });
});
