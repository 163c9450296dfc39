/** Flows of an application with opaque codes, from /authorize to the grant. On SQLite. */
import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';

import { hashOfSecret } from '../../src/lib/sealing.ts';
import { deriveChallenge } from '../../src/oauth/pkce.ts';
import { allow } from './approvals.ts';
import {
  ACME,
  type Answer,
  Browser,
  type Harness,
  openConnect,
  transactionOf,
  unescaped,
} from './connect-harness.ts';

const OPAQUE = { ...ACME, clientId: 'opaque', codeFormat: 'opaque' } as const;

let harness: Harness;
before(async () => {
  harness = await openConnect();
  await harness.clients.createClient(OPAQUE, 'unused', undefined);
});
after(() => harness.close());

type Query = Readonly<Record<string, string>>;

/** Returns a browser at a page with a linked account. */
async function connect(query: Query) {
  const browser = new Browser(harness);
  const page = await browser.link(await browser.start({ client_id: 'opaque', ...query }));
  return { browser, page };
}

const codeIn = ({ location }: Answer) => new URL(location).searchParams.get('code') ?? '';

async function redeem(code: string, verifier?: string) {
  const now = harness.deps.now();
  const redirectUri = OPAQUE.redirectUri;
  const codeChallenge = verifier && deriveChallenge(verifier);
  const presented = { clientId: 'opaque', code, redirectUri, codeChallenge, approvedSince: now - 600_000 };
  return (await harness.codes.redeemCode({ ...presented, codeHash: hashOfSecret(code) }, now))?.grant;
}

describe('a flow with opaque codes', () => {
  it('ends with a code of 32 bytes, of which only the hash is stored', async () => {
    const { browser, page } = await connect({ user_id: 'ann', state: 'x' });

    const end = await allow(browser, page);

    const code = codeIn(end);
    assert.match(code, /^[\w-]{43}$/);
    assert.equal(end.location, `${OPAQUE.redirectUri}?code=${code}&state=x`);
    const rows = await harness.db.all('SELECT * FROM token_family');
    assert.ok(JSON.stringify(rows).includes(hashOfSecret(code)));
    for (const table of ['token_family', 'authorization_request', 'account_group'])
      assert.ok(!JSON.stringify(await harness.db.all(`SELECT * FROM ${table}`)).includes(code), table);
    assert.ok(!JSON.stringify(harness.logged).includes(code));
    assert.equal((await redeem(code))?.userId, 'ann');
  });

  it('repeats the same code for a repeated Allow', async () => {
    const { browser, page } = await connect({ user_id: 'ben' });

    const ends = [await allow(browser, page), await browser.submit(page, '/connect/approve')];
    const waiting = await browser.get(`/connect/waiting?transaction=${transactionOf(page)}`);

    assert.equal(new Set([...ends, waiting].map(codeIn)).size, 1);
  });

  it('sends the same code in the message of a popup as in its link', async () => {
    const { browser, page } = await connect({ user_id: 'cat', display: 'popup' });

    const { body } = await allow(browser, page);

    const [, text = ''] = / data-message="([^"]*)"/.exec(body) ?? [];
    const { code, redirect_uri: url } = JSON.parse(unescaped(text).replaceAll('&quot;', '"'));
    assert.equal(new URL(url).searchParams.get('code'), code);
    assert.equal((await redeem(code))?.userId, 'cat');
  });

  it('gives no code if the user cancels', async () => {
    const { browser, page } = await connect({ user_id: 'dan' });

    const end = await browser.submit(page, '/connect/cancel');

    assert.deepEqual([codeIn(end), new URL(end.location).searchParams.get('error')], ['', 'access_denied']);
  });

  for (const verifiers of [
    ['v', 'v'],
    ['v', 'w'],
    [undefined, undefined],
  ]) {
    it(`parallel flows of one user in two browsers each get a code of their own: ${verifiers}`, async () => {
      const user = `eve ${verifiers}`;
      const flows = await Promise.all(
        verifiers.map((letter) => {
          const challenge = letter && deriveChallenge(letter.repeat(43));
          const pkce = challenge && { code_challenge: challenge, code_challenge_method: 'S256' };
          return connect({ user_id: user, ...(pkce || {}) });
        }),
      );
      const ends = await Promise.all(flows.map(({ browser, page }) => allow(browser, page)));

      const grants = [];
      for (const [i, end] of ends.entries()) grants.push(await redeem(codeIn(end), verifiers[i]?.repeat(43)));

      assert.deepEqual(
        grants.map((grant) => grant?.userId),
        [user, user],
      );
      assert.equal(new Set(grants.map((grant) => grant?.familyId)).size, 2);
    });
  }

  it('uses the format that the application has when the user allows', async () => {
    const { browser, page } = await connect({ user_id: 'flo' });
    const by = { now: 2, by: undefined };
    await harness.clients.updateClient('opaque', { codeFormat: 'user-id' }, by);

    const end = await allow(browser, page);
    await harness.clients.updateClient('opaque', { codeFormat: 'opaque' }, by);

    assert.equal(codeIn(end), 'flo');
    assert.equal(await redeem('flo'), undefined);
  });
});
