/**
 * Tests what an attacker who knows only an application's client_id and a user_id must not achieve (docs/security.md T1
 * to T4, T8). Each test repeats an attack that once succeeded.
 */
import assert from 'node:assert/strict';
import { afterEach, beforeEach, describe, it } from 'node:test';

import { deriveChallenge } from '../../src/oauth/pkce.ts';
import { ACME, type Answer, Browser, type Harness, openConnect, transactionOf } from './connect-harness.ts';
import { read } from './journeys.ts';

let harness: Harness;
beforeEach(async () => {
  harness = await openConnect();
});
afterEach(() => harness.close());

const VERIFIER = { ada: 'a'.repeat(43), eve: 'e'.repeat(43) };
const pkce = (who: keyof typeof VERIFIER) => ({
  code_challenge: deriveChallenge(VERIFIER[who]),
  code_challenge_method: 'S256',
});

/** Redeems the code as the application, with the verifier of one of its sessions or none. */
async function redeem(code: string, who?: keyof typeof VERIFIER) {
  const now = harness.deps.now();
  const presented = {
    clientId: 'acme',
    code,
    redirectUri: ACME.redirectUri,
    codeChallenge: who && deriveChallenge(VERIFIER[who]),
    approvedSince: now - 600_000,
  };
  return (await harness.codes.redeemCode(presented, now))?.grant;
}

type Grant = NonNullable<Awaited<ReturnType<typeof redeem>>>;

/** Returns the names of the accounts that a grant's tokens read. */
async function seenBy(grant: Grant | undefined): Promise<string[]> {
  if (grant === undefined) return ['no grant'];
  return (await harness.accounts.accountsOf(grant)).map(({ display }) => display);
}

const allow = (browser: Browser, page: Answer) => browser.submit(page, '/connect/approve');

/** Links an attacker's own account to `userId` and allows it; returns the browser and the last response. */
async function connectAs(userId: string, account: string, query: Readonly<Record<string, string>> = {}) {
  const browser = new Browser(harness);
  const linked = await browser.link(await browser.start({ user_id: userId, ...query }), account);
  return { browser, answer: await allow(browser, linked) };
}

/** Connects and redeems as ada; returns her browser and the grant. */
async function connected(scope = 'read-write') {
  const { browser } = await connectAs('ada', 'ada@example.com', { scope });
  return { browser, grant: await redeem('ada') };
}

const endsOf = (page: Answer): string[] =>
  ['Continue', 'Allow', 'Done'].filter((word) =>
    new RegExp(`<button[^>]*(?<!disabled[^>]*)>${word}</button>`).test(page.body),
  );

describe('somebody lured to the page of another user', () => {
  it('somebody lured to the page of another user gives that user nothing before Allow', async () => {
    const { grant } = await connected();
    const lured = new Browser(harness);
    const linked = await lured.link(await lured.start({ user_id: 'ada' }), 'victim@example.com');

    assert.deepEqual(await seenBy(grant), ['ada@example.com']);
    await lured.submit(linked, '/connect/cancel');

    assert.deepEqual(await seenBy(grant), ['ada@example.com']);
    assert.deepEqual((await harness.accounts.listAccounts('acme', 'ada')).length, 1);
    const left = await harness.db.all('SELECT account_key FROM account');
    assert.equal(left.length, 1, 'what was linked is dropped with Cancel');
  });

  it('somebody lured to the page of another user gives the grants of that user nothing after Allow either', async () => {
    const { grant } = await connected();

    await connectAs('ada', 'victim@example.com');

    assert.deepEqual(await seenBy(grant), ['ada@example.com']);
    const other = await redeem('ada');
    assert.deepEqual(await seenBy(other), ['victim@example.com']);
    assert.deepEqual(await seenBy(grant), ['ada@example.com']);
  });
});

describe('a wider scope', () => {
  it('a wider scope cannot be had by a browser that proves nothing', async () => {
    await connected('free-busy');
    const stranger = new Browser(harness);

    const page = await stranger.start({ scope: 'read-write' });
    assert.deepEqual(endsOf(page), []);
    assert.ok(!read(page).includes('ada@example.com'), 'the name is masked');
    const forced = await stranger.submit(page, '/connect/cancel');
    assert.match(forced.location, /error=access_denied/);

    const again = await stranger.start({ scope: 'read-write' });
    const token = /name="token" value="([^"]+)"/.exec(again.body)?.[1] ?? '';
    const approved = await stranger.post('/connect/approve', { transaction: transactionOf(again), token });
    assert.match(approved.location, /^\/authorize\?/, 'there is nothing to allow');
    assert.equal(await redeem('ada'), undefined);
  });

  it('a wider scope is granted to the browser that proves the accounts', async () => {
    const { browser } = await connected('free-busy');

    const page = await browser.start({ scope: 'read-write' });
    assert.deepEqual(endsOf(page), ['Allow']);
    await allow(browser, page);

    assert.equal((await redeem('ada'))?.scope, 'read-write');
  });
});

describe('a session of the application that changed user_id', () => {
  it('a session of the application that changed user_id before the first visit gets its own planted account only', async () => {
    await connectAs('ada', 'eve@example.com', pkce('eve'));
    await connectAs('ada', 'ada@example.com', pkce('ada'));

    const eves = await redeem('ada', 'eve');
    const adas = await redeem('ada', 'ada');

    assert.deepEqual(await seenBy(eves), ['eve@example.com']);
    assert.deepEqual(await seenBy(adas), ['ada@example.com']);
  });

  it('a session of the application that changed user_id waits while the code of another user is valid', async () => {
    const first = await connectAs('ada', 'ada@example.com');
    assert.match(first.answer.location, /code=ada/);

    const { browser, answer } = await connectAs('ada', 'eve@example.com');
    assert.match(answer.location, /^\/connect\/waiting/);
    const waiting = await browser.get(answer.location);
    assert.equal(waiting.status, 200);

    assert.deepEqual(await seenBy(await redeem('ada')), ['ada@example.com']);
    const then = await browser.get(answer.location);
    assert.match(then.location, /code=ada/, 'the page goes on by itself');
    assert.deepEqual(await seenBy(await redeem('ada')), ['eve@example.com']);
  });

  it('a session of the application that changed user_id cannot exclude the user who proves the accounts', async () => {
    const { browser } = await connected();
    await connectAs('ada', 'eve@example.com');

    const { answer } = { answer: await allow(browser, await browser.start({ scope: 'read' })) };
    assert.match(answer.location, /code=ada/);
    assert.deepEqual(await seenBy(await redeem('ada')), ['ada@example.com']);
  });

  it('a session of the application that changed user_id leaves no account behind when its code is not redeemed', async () => {
    await connectAs('ada', 'eve@example.com');
    harness.pass(10 * 60_000 + 1);

    const { browser } = await connectAs('ada', 'ada@example.com');
    assert.deepEqual(await seenBy(await redeem('ada')), ['ada@example.com']);
    const page = await browser.start();
    assert.ok(!read(page).includes('e•••@'), 'nobody sees it');
  });
});

describe('an account that a stranger linked', () => {
  it('an account that a stranger linked is only in the stranger’s reads, and masked on the page', async () => {
    const { browser, grant } = await connected();
    await connectAs('ada', 'eve@example.com');
    const eves = await redeem('ada');

    assert.deepEqual(await seenBy(grant), ['ada@example.com']);
    assert.deepEqual(await seenBy(eves), ['eve@example.com']);
    const page = await browser.start();
    assert.ok(read(page).includes('ada@example.com'));
    assert.ok(read(page).includes('e•••@e•••.com'));
    assert.ok(!read(page).includes('eve@example.com'));
    assert.deepEqual(endsOf(page), ['Done'], 'it need not be confirmed to go on');
  });

  it('an account that a stranger linked under the same name at the provider keeps its own credentials and grants', async () => {
    const { grant } = await connected();
    const [mine] = await harness.accounts.accountsOf(grant ?? assert.fail());

    // The same id on the wire, which a CalDAV server reports itself, proved by another identity.
    await connectAs('ada', 'eve -> ada@example.com');
    const [other] = await harness.accounts.accountsOf((await redeem('ada')) ?? assert.fail());
    assert.equal(other?.accountId, mine?.accountId);
    assert.notEqual(other?.accountKey, mine?.accountKey);

    const [still] = await harness.accounts.accountsOf(grant ?? assert.fail());
    assert.equal(still?.accountKey, mine?.accountKey);
    assert.equal(still?.timesLinked, mine?.timesLinked);
  });
});

describe('the address of a page', () => {
  it('the address of a page finishes nothing in another browser, with whatever can be rebuilt from it', async () => {
    const browser = new Browser(harness);
    const linked = await browser.link(await browser.start(), 'ada@example.com');
    const transaction = transactionOf(linked);
    const thief = new Browser(harness);
    const rebuilt = { client_id: 'acme', user_id: 'ada', transaction };
    thief.cookies.set('oauth_req', encodeURIComponent(JSON.stringify(rebuilt)));
    thief.cookies.set('kalends_device', 'x'.repeat(43));
    thief.cookies.set(`kalends_tx_${transaction}`, `abcdef.${'x'.repeat(43)}`);

    const page = await thief.get(`/authorize?client_id=acme&user_id=ada&transaction=${transaction}`);
    assert.equal(page.status, 400);
    const token = /name="token" value="([^"]+)"/.exec(linked.body)?.[1] ?? '';
    const approved = await thief.post('/connect/approve', { transaction, token });
    assert.equal(approved.status, 400);
    assert.equal(await redeem('ada'), undefined);
  });

  it('the address of a page does not show the secret of its transaction', async () => {
    const browser = new Browser(harness);
    const page = await browser.start();
    const [, secret = ''] = (browser.cookies.get(`kalends_tx_${transactionOf(page)}`) ?? '').split('.');

    assert.equal(secret.length, 43);
    assert.ok(!page.body.includes(secret));
  });
});

describe('a planted device cookie', () => {
  it('a planted device cookie proves no account that is linked after it', async () => {
    const planted = 'p'.repeat(43);
    const victim = new Browser(harness);
    victim.cookies.set('kalends_device', planted);
    await allow(victim, await victim.link(await victim.start(), 'ada@example.com'));
    await redeem('ada');

    const attacker = new Browser(harness);
    attacker.cookies.set('kalends_device', planted);
    const page = await attacker.start();

    assert.ok(!read(page).includes('ada@example.com'));
    assert.deepEqual(endsOf(page), []);
    assert.notEqual(victim.cookies.get('kalends_device'), planted);
  });
});
