/**
 * Combined rules about which accounts a transaction affects: servers without passwords, pushed requests, live codes,
 * joining groups (docs/security.md T1 to T4).
 */
import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { afterEach, beforeEach, describe, it } from 'node:test';

import { checkPushedParameters } from '../../src/connect/flow/authorize-request.ts';
import { receivedQuery } from '../../src/http/received-query.ts';
import { createIssuer } from '../../src/oauth/issuers.ts';
import { pushRequest } from '../../src/oauth/pushed-requests.ts';
import { openStores } from '../../src/store/open-stores.ts';
import { allow, connected, endsOf, type Grant, namesReadBy, redeem } from './approvals.ts';
import { ACME, Browser, type Harness, openConnect, transactionOf } from './connect-harness.ts';
import { read } from './journeys.ts';

let harness: Harness;
beforeEach(async () => {
  harness = await openConnect();
});
afterEach(() => harness.close());

const ADA = 'ada@example.com';
const EVE = 'eve@evil.example';
/** An account at a server that accepts any password. */
const OPEN = 'anybody@radicale.example';

const seenBy = async (grant: Grant | undefined): Promise<string[]> =>
  grant === undefined ? ['no grant'] : namesReadBy(harness, grant);

/** Links these accounts to ada in a new browser, without pressing Allow. */
async function linking(names: readonly string[], query: Readonly<Record<string, string>> = {}) {
  const browser = new Browser(harness);
  let page = await browser.start({ user_id: 'ada', ...query });
  for (const name of names) {
    page = await browser.link(page, name);
    harness.pass(1);
  }
  return { browser, page };
}

/** Connects an account of eve's to ada permanently, as an application that does not compare users would. */
const planted = () => connected(harness, { userId: 'ada', names: [EVE] });

/** Returns the address of a request that the application pushed for ada. */
async function push(parameters: string): Promise<string> {
  const { pushedRequests } = openStores(harness.db, { sealer: harness.sealer });
  const deps = {
    issuer: createIssuer('default', harness.deps.publicUrl),
    pushedRequests,
    checkAuthorization: checkPushedParameters,
    hasAccount: async () => false,
    now: harness.deps.now,
    publicUrl: harness.deps.publicUrl,
  };
  const query = receivedQuery(`?user_id=ada&${parameters}`);
  const { request_uri: uri } = await pushRequest({ client: ACME, query }, deps);
  return `/authorize?client_id=acme&request_uri=${encodeURIComponent(uri)}`;
}

/** Stores calendars of an account as its first sync lists them; the owner left out those in `leftOut`. */
async function listCalendars(accountKey: string, titles: readonly string[], leftOut: readonly string[] = []) {
  await harness.db.write(
    'UPDATE account SET listed_at = 1 WHERE account_key = :accountKey RETURNING account_key',
    {
      accountKey,
    },
  );
  for (const [position, title] of titles.entries()) {
    await harness.db.write(
      `INSERT INTO calendar (calendar_key, account_key, href, position, title, time_zone, access, original, left_out)
       VALUES (:key, :accountKey, :href, :position, :title, 'Etc/UTC', 'write', '{}', :leftOut) RETURNING calendar_key`,
      {
        key: randomBytes(8).toString('hex'),
        accountKey,
        href: `https://dav.example.com/${title}/`,
        position,
        title,
        leftOut: Number(leftOut.includes(title)),
      },
    );
  }
}

const titlesReadBy = async (grant: Grant) => {
  const { events } = harness.deps as unknown as {
    events: { accountsOf(reader: Grant): Promise<{ calendars: readonly { title: string }[] }[]> };
  };
  return (await events.accountsOf(grant)).flatMap(({ calendars }) => calendars.map(({ title }) => title));
};

describe('an account whose server takes any password', () => {
  it('an account whose server takes any password proves nothing of the accounts that its owner links after a stranger signed in to it', async () => {
    const eve = await linking([OPEN]);
    await connected(harness, { userId: 'ada', names: [OPEN, ADA] });

    const page = await eve.browser.get(`/authorize?transaction=${transactionOf(eve.page)}`);
    await allow(eve.browser, page);
    const seen = await seenBy(await redeem(harness, 'ada'));

    assert.ok(!read(page).includes(ADA), 'the name of the other account stays masked');
    assert.ok(!seen.includes(ADA), `reads ${seen}`);
  });

  it('an account whose server takes any password proves nothing of the accounts that its owner allowed and the application did not fetch yet', async () => {
    const ada = await linking([OPEN, ADA]);
    await allow(ada.browser, ada.page);

    const eve = await linking([OPEN]);

    assert.ok(!read(eve.page).includes(ADA), 'the name of the other account stays masked');
  });

  it('an account whose server takes any password does not take the approval of a stranger, who signed in to it before, along with its owner’s', async () => {
    const eve = await linking([OPEN]);
    await allow(eve.browser, eve.page);
    const ada = await linking([OPEN, ADA]);
    await allow(ada.browser, ada.page);
    await redeem(harness, 'ada');

    const page = await eve.browser.start();

    assert.ok(!read(page).includes(ADA), 'the browser of the stranger does not stand for the other account');
  });
});

describe('a pushed request', () => {
  it('a pushed request does not change which calendars of an account are shared that nobody proved, nor shows them', async () => {
    const { grant } = await connected(harness, { userId: 'ada' });
    const [account] = await harness.accounts.accountsOf(grant);
    const accountKey = account?.accountKey ?? '';
    await listCalendars(accountKey, ['Work', 'Therapy'], ['Therapy']);
    assert.deepEqual(await titlesReadBy(grant), ['Work']);

    // The application's own script pushes the request and has no cookies.
    const browser = new Browser(harness);
    const started = await browser.get(await push('scope=free-busy'));
    const page = await browser.get(started.location);
    const transaction = transactionOf(page);
    const choice = await browser.get(`/connect/calendars?transaction=${transaction}&account=${accountKey}`);
    const [therapy] = await harness.db.all<{ key: string }>(
      `SELECT calendar_key AS "key" FROM calendar WHERE title = 'Therapy'`,
    );
    const token = /name="token" value="([^"]+)"/.exec(page.body)?.[1] ?? '';
    const form = { transaction, token, account: accountKey, calendar: therapy?.key ?? '', only_these: '' };
    await browser.post('/connect/calendars', form);

    assert.deepEqual(await titlesReadBy(grant), ['Work'], 'what was left out stays left out');
    assert.ok(!choice.body.includes('Therapy'), 'its title is told to nobody');
  });

  it('a pushed request reads nothing but client_id beside its reference', async () => {
    const browser = new Browser(harness);
    const started = await browser.get(`${await push('scope=read')}&user_id=somebody-else`);

    assert.equal((await browser.get(started.location)).status, 200);
  });
});

describe('a code that is live', () => {
  it('a code that is live is not changed by a browser that stands for other accounts of the user', async () => {
    const ada = await connected(harness, { userId: 'ada', names: [ADA] });
    const eve = await planted();
    await allow(ada.browser, await ada.browser.start());

    await allow(eve.browser, await eve.browser.start());

    assert.deepEqual(await seenBy(await redeem(harness, 'ada')), [ADA]);
  });
});

describe('the page that waits', () => {
  it('the page that waits allows nothing that was linked after Allow', async () => {
    const eve = await linking([EVE]);
    await allow(eve.browser, eve.page);
    const ada = await linking([ADA]);
    const waiting = await allow(ada.browser, ada.page);
    const selection = await ada.browser.get(`/authorize?transaction=${transactionOf(ada.page)}`);
    await ada.browser.link(selection, 'private@example.com');
    harness.pass(10 * 60_000 + 1);

    await ada.browser.get(waiting.location);
    const grant = await redeem(harness, 'ada');

    assert.ok(grant === undefined || !(await seenBy(grant)).includes('private@example.com'));
  });
});

describe('access at a provider', () => {
  it('access at a provider stays while an account of the same subject lives on it, whatever its address now', async () => {
    const link = (transactionId: string, accountId: string) =>
      harness.accounts.linkAccount(
        {
          ...{ clientId: 'acme', userId: 'ada', provider: 'google', accountId, display: accountId },
          ...{ identity: 'sub:1', provesOwner: true, grantedScopes: [], calendarPermission: true },
          credentials: { refreshToken: accountId },
          transaction: { transactionId, expiresAt: harness.deps.now() + 7_200_000 },
          device: { deviceHash: transactionId, formerHash: undefined },
        },
        harness.deps.now(),
      );
    await new Browser(harness).start();
    await link('first', 'ada@old.example');
    const renamed = await link('second', 'ada@new.example');
    await harness.accounts.removeAccount(renamed.accountKey, harness.deps.now(), undefined);

    const { endedAccess } = openStores(harness.db, { sealer: harness.sealer });
    const ended = await endedAccess.findEndedAccess(renamed.accountKey);
    assert.ok(ended);
    assert.equal((await endedAccess.credentialsOfSameAccount(ended)).length, 1);
  });
});

describe('two groups that become one', () => {
  it('two groups that become one do so in silence only where no grant gets more of them than before', async () => {
    await connected(harness, { userId: 'ada', names: ['work@example.com'], query: { scope: 'free-busy' } });
    const wide = await connected(harness, {
      userId: 'ada',
      names: ['club@example.com'],
      query: { scope: 'read-write' },
    });

    const { browser, page } = await linking(['work@example.com', 'club@example.com'], { scope: 'free-busy' });
    assert.deepEqual(endsOf(page), ['Done']);
    await allow(browser, page);

    const { events } = harness.deps as unknown as {
      events: { accountsOf(reader: Grant): Promise<{ display: string; scope: string }[]> };
    };
    const work = (await events.accountsOf(wide.grant)).find(({ display }) => display === 'work@example.com');
    assert.ok(
      work === undefined || work.scope === 'free-busy',
      `work is ${work?.scope} to a grant of the club`,
    );
  });

  it('two groups that become one leave out what was left out of an account in either', async () => {
    const first = await connected(harness, { userId: 'ada', names: [OPEN] });
    const [one] = await harness.accounts.accountsOf(first.grant);
    harness.pass(1000);
    const second = await connected(harness, { userId: 'ada', names: [OPEN, ADA] });
    const two = (await harness.accounts.accountsOf(second.grant)).find(({ display }) => display === OPEN);
    assert.notEqual(one?.accountKey, two?.accountKey, 'they are twins');
    await listCalendars(one?.accountKey ?? '', ['work', 'secret']);
    await listCalendars(two?.accountKey ?? '', ['work', 'secret'], ['secret']);
    assert.deepEqual(await titlesReadBy(second.grant), ['work']);

    // The browser of the first group signs in to an account of the second.
    const page = await first.browser.link(await first.browser.start(), ADA);
    await allow(first.browser, page);

    assert.deepEqual(await titlesReadBy(second.grant), ['work']);
  });
});
