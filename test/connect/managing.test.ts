/**
 * Coming back to manage linked accounts, and how they stand (docs/wire.md 4.1, docs/security.md T4). On
 * SQLite.
 */
import assert from 'node:assert/strict';
import { after, before, beforeEach, describe, it } from 'node:test';

import { allow, connected, endsOf, everyAccount, redeem } from './approvals.ts';
import { type Answer, Browser, type Harness, openConnect, transactionOf } from './connect-harness.ts';

let harness: Harness;
let users = 0;
before(async () => {
  harness = await openConnect();
});
after(() => harness.close());
beforeEach(() => {
  users += 1;
});

const userId = () => `manager-${users}`;
const accounts = () => everyAccount(harness, userId());

/** A browser that connected these accounts in an earlier flow, on the selection page of a new one. */
async function manage(names: readonly string[], query: Record<string, string> = {}) {
  const { browser, grant } = await connected(harness, { userId: userId(), names });
  harness.pass(60_000);
  return { browser, grant, selection: await browser.start({ user_id: userId(), ...query }) };
}

const progressOf = async (browser: Browser, page: Answer): Promise<Record<string, unknown>> => {
  const headers = { accept: 'application/json' };
  const { body } = await browser.get(`/connect/progress?transaction=${transactionOf(page)}`, { headers });
  return JSON.parse(body);
};

describe('somebody who comes back', () => {
  it('somebody who comes back to look leaves by Done, with a code and nothing to consent to', async () => {
    const { browser, selection } = await manage(['ada@example.com', 'bob@example.com'], { state: 's' });

    const end = await allow(browser, selection);

    assert.match(selection.body, /<h1>Your calendar accounts<\/h1>/);
    assert.deepEqual(endsOf(selection), ['Done']);
    assert.match(end.location, /^https:\/\/app\.example\.com\/callback\?code=manager-\d+&state=s$/);
    assert.ok(await redeem(harness, userId()));
  });

  it('somebody who comes back with less to ask for than was given leaves by Done as well', async () => {
    const { browser } = await manage(['ada@example.com']);

    const page = await browser.start({ user_id: userId(), scope: 'free-busy' });

    assert.deepEqual(endsOf(page), ['Done']);
  });

  it('somebody who comes back to disconnect the only account leaves by Done, and refuses by it', async () => {
    const { browser, selection } = await manage(['ada@example.com'], { state: 's' });
    const [account] = await accounts();
    const query = `transaction=${transactionOf(selection)}&account=${account?.accountKey}`;
    const question = await browser.get(`/connect/disconnect?${query}`);

    const after = await browser.get((await browser.submit(question, '/connect/disconnect')).location);
    const end = await allow(browser, after);

    assert.deepEqual(endsOf(after), ['Done']);
    assert.match(after.body, /No account is connected any more/);
    assert.match(end.location, /^https:\/\/app\.example\.com\/callback\?error=access_denied&.*state=s$/);
    assert.equal(await redeem(harness, userId()), undefined);
  });

  it('somebody who comes back to disconnect one of two leaves by Done, with a code', async () => {
    const { browser, selection } = await manage(['ada@example.com', 'bob@example.com']);
    const [account] = await accounts();
    const query = `transaction=${transactionOf(selection)}&account=${account?.accountKey}`;
    const question = await browser.get(`/connect/disconnect?${query}`);

    const after = await browser.get((await browser.submit(question, '/connect/disconnect')).location);

    assert.deepEqual(endsOf(after), ['Done']);
    assert.match((await allow(browser, after)).location, /[?&]code=manager-\d+$/);
  });

  it('somebody who comes back is asked for consent only for what is new', async () => {
    const { browser, selection } = await manage(['ada@example.com']);
    const both = await browser.link(selection, 'bob@example.com');

    const consent = await browser.get(`/connect/consent?transaction=${transactionOf(selection)}`);

    assert.deepEqual(endsOf(both), ['Continue', 'Cancel']);
    assert.match(consent.body, /ada@example\.com.*bob@example\.com.*New/s);
    assert.doesNotMatch(consent.body, /ada@example\.com<\/bdi>[^/]*CalDAV<\/span> <span class="chip">New/);
  });

  it('somebody who comes back disconnects all accounts after a question that names them', async () => {
    const { browser, selection } = await manage(['ada@example.com', 'bob@example.com']);
    const question = await browser.get(`/connect/disconnect-all?transaction=${transactionOf(selection)}`);
    const before = await accounts();

    const disconnected = await browser.submit(question, '/connect/disconnect-all');

    assert.match(selection.body, /href="\/connect\/disconnect-all\?/);
    assert.match(question.body, /Disconnect all accounts\?.*ada@example\.com.*bob@example\.com/s);
    assert.equal(before.length, 2);
    assert.deepEqual(await accounts(), []);
    assert.match((await browser.get(disconnected.location)).body, /Your accounts are disconnected/);
  });

  it('somebody who comes back keeps accounts that another browser connected, and the page says so', async () => {
    const { browser, selection } = await manage(['ada@example.com', 'bob@example.com']);
    await connected(harness, { userId: userId(), names: ['eve@example.com'] });
    const question = await browser.get(`/connect/disconnect-all?transaction=${transactionOf(selection)}`);

    await browser.submit(question, '/connect/disconnect-all');

    assert.match(question.body, /1 account that was connected in another browser stays connected/);
    assert.doesNotMatch(question.body, /eve@example/);
    assert.deepEqual(
      (await accounts()).map(({ display }) => display),
      ['eve@example.com'],
    );
  });

  it('somebody who comes back is asked nothing of all accounts where none is its own', async () => {
    await manage(['ada@example.com', 'bob@example.com']);
    const stranger = new Browser(harness);
    const selection = await stranger.start({ user_id: userId() });
    const transaction = transactionOf(selection);
    const token = /name="token" value="([\w-]+)"/.exec(selection.body)?.[1] ?? '';

    const question = await stranger.get(`/connect/disconnect-all?transaction=${transaction}`);
    await stranger.post('/connect/disconnect-all', { transaction, token });

    assert.equal(question.status, 303);
    assert.doesNotMatch(selection.body, /href="\/connect\/disconnect-all/);
    assert.equal((await accounts()).length, 2);
  });
});

describe('an account whose calendars load', () => {
  const load = async (synced: number | null) => {
    const [account] = await accounts();
    await harness.db.write('UPDATE account SET listed_at = 1 WHERE account_key = :key', {
      key: account?.accountKey ?? '',
    });
    for (const name of ['a', 'b']) {
      await harness.db.write(
        `INSERT INTO calendar (calendar_key, account_key, href, position, title, time_zone, access, original, synced_at)
         VALUES (:id, :key, :name, 0, 'C', 'UTC', 'read', '{}', :synced)`,
        {
          id: `${userId()}-${name}`,
          key: account?.accountKey ?? '',
          name,
          synced: name === 'a' ? 1 : synced,
        },
      );
    }
  };

  it('an account whose calendars load says so where it stands, without keeping its user from going on', async () => {
    const { browser, selection } = await manage(['ada@example.com']);

    const progress = await progressOf(browser, selection);

    assert.match(selection.body, /class="state loading"[^>]*>Loading calendars…</);
    assert.match(selection.body, /data-progress="\/connect\/progress\?/);
    assert.deepEqual(endsOf(selection), ['Done']);
    assert.match(String(selection.headers['content-security-policy']), /connect-src 'self'/);
    assert.equal(progress.done, false);
  });

  it('an account whose calendars load says how many are loaded of how many, and then how many there are', async () => {
    const { browser, selection } = await manage(['ada@example.com']);
    await load(null);
    const half = await progressOf(browser, selection);
    await harness.db.write('UPDATE calendar SET synced_at = 1 WHERE synced_at IS NULL', {});

    const whole = await progressOf(browser, selection);
    const page = await browser.start({ user_id: userId() });

    assert.match(JSON.stringify(half), /Loading calendars: 1 of 2/);
    assert.deepEqual([half.done, whole.done, whole.announcement], [false, true, '2 calendars are ready.']);
    assert.match(page.body, />2 calendars</);
    assert.doesNotMatch(page.body, /data-progress="/);
    assert.doesNotMatch(String(page.headers['content-security-policy']), /connect-src/);
  });

  it('an account whose calendars load says so before it is allowed', async () => {
    const browser = new Browser(harness);
    const selection = await browser.link(await browser.start({ user_id: userId() }));

    const progress = await progressOf(browser, selection);

    assert.match(selection.body, /data-progress="\/connect\/progress\?/);
    assert.deepEqual([progress.done, (progress.accounts as unknown[]).length], [false, 1]);
    assert.deepEqual(endsOf(selection), ['Allow', 'Cancel']);
  });

  it('an account whose calendars load is nothing to browsers that did not link it, and its progress nothing to those without the flow', async () => {
    await manage(['ada@example.com']);
    const stranger = new Browser(harness);
    const page = await stranger.start({ user_id: userId() });

    const progress = await progressOf(stranger, page);
    const without = await progressOf(new Browser(harness), page);

    assert.match(page.body, /Other accounts/);
    assert.doesNotMatch(page.body, /Loading calendars/);
    assert.deepEqual([progress.done, progress.accounts], [true, []]);
    assert.equal(without.error, 'session_expired');
  });

  it('an account whose calendars load gives way to what is the matter with it', async () => {
    const { browser, selection } = await manage(['ada@example.com']);
    const [account] = await accounts();
    assert.ok(account);
    const refused = { state: 'reauth_required', reason: 'password_refused', message: 'Refused' } as const;
    await harness.accounts.setHealth(account, refused, 5);

    const progress = await progressOf(browser, selection);

    assert.match(JSON.stringify(progress), /"kind":"trouble","text":"Needs reconnecting"/);
  });
});
