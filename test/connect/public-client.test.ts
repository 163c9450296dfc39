/** Requests that a public application pushed: anybody can push them, so they prove no user. */
import assert from 'node:assert/strict';
import { after, before, beforeEach, describe, it } from 'node:test';
import type { Client } from '../../src/oauth/client.ts';
import { deriveChallenge } from '../../src/oauth/pkce.ts';
import { PUBLIC } from '../oauth/assertions.ts';
import { allow, connected, namesReadBy, redeem } from './approvals.ts';
import { ACME, Browser, type Harness, openConnect, transactionOf } from './connect-harness.ts';
import { push, pushedPath } from './pushing.ts';

let harness: Harness;
before(async () => {
  harness = await openConnect();
});
after(() => harness.close());
let users = 0;
const userId = () => `public-${users}`;

const becomes = (change: Partial<Client>) =>
  harness.clients.updateClient('acme', change, { now: harness.deps.now(), by: undefined });
const VERIFIER = 'v'.repeat(43);
const PKCE = { code_challenge: deriveChallenge(VERIFIER), code_challenge_method: 'S256' };
const publicAcme: Client = { ...ACME, ...PUBLIC };
/** Pushes for the public application and opens the selection page in another browser. */
async function open(parameters: Record<string, string> = {}, pushedBy = publicAcme) {
  const browser = new Browser(harness);
  const started = await browser.get(
    pushedPath(await push(harness, { user_id: userId(), ...PKCE, ...parameters }, pushedBy)),
  );
  return { browser, page: await browser.get(started.location) };
}

describe('a request that a public application pushed for another user', () => {
  beforeEach(async () => {
    users += 1;
    await becomes({ clientAuthentication: 'secret' });
    await connected(harness, { userId: userId() });
    await becomes({ clientAuthentication: 'none' });
  });

  it('covers only accounts that were proved in that browser', async () => {
    const { browser, page } = await open();
    const linked = await browser.link(page, 'eve@example.com');

    await allow(browser, linked);

    assert.match(page.body, /a•••@e•••\.com/);
    assert.doesNotMatch(page.body, /ada@example\.com/);
    assert.deepEqual(await namesReadBy(harness, await redeem(harness, userId(), VERIFIER)), [
      'eve@example.com',
    ]);
  });

  it('lets nobody disconnect the accounts of the user', async () => {
    const { browser, page } = await open();
    const [account] = await harness.accounts.listAccounts('acme', userId());

    const answer = await browser.get(
      `/connect/disconnect?transaction=${transactionOf(page)}&account=${account?.accountKey}`,
    );

    assert.equal(answer.status, 403);
  });

  it('does not read user_name, login_hint and reconnect, not even to check them', async () => {
    const { page } = await open({
      ...{ user_name: 'Eve'.repeat(200), login_hint: 'eve@example.com' },
      reconnect: 'caldav:nothing',
    });

    const request = await harness.deps.requests.findRequest(transactionOf(page));
    assert.deepEqual(
      [request?.userName, request?.loginHint, request?.reconnects, request?.isPushed, request?.isVouched],
      [undefined, undefined, undefined, true, false],
    );
  });

  it('proves no user either if the application gets a secret before it is opened or approved', async () => {
    const requestUri = await push(harness, { user_id: userId(), ...PKCE }, publicAcme);
    await becomes({ clientAuthentication: 'secret' });
    const browser = new Browser(harness);

    const page = await browser.get((await browser.get(pushedPath(requestUri))).location);

    assert.match(page.body, /a•••@e•••\.com/);
    const request = await harness.deps.requests.findRequest(transactionOf(page));
    assert.deepEqual([request?.isPushed, request?.isVouched], [true, false]);
  });

  it('proves no user if the application was still confidential when it pushed', async () => {
    const { page } = await open({ user_name: 'Ada' }, ACME);

    assert.match(page.body, /a•••@e•••\.com/);
    assert.doesNotMatch(page.body, /<bdi>Ada<\/bdi>/);
  });

  it('a parameter of the pushed request cannot imitate or remove the mark', async () => {
    await becomes({ clientAuthentication: 'secret' });
    const confidential = await open({ public_client: '1' }, ACME);
    await becomes({ clientAuthentication: 'none' });
    const { page } = await open({ public_client: '' });

    const vouched = await harness.deps.requests.findRequest(transactionOf(confidential.page));
    const request = await harness.deps.requests.findRequest(transactionOf(page));
    assert.deepEqual([vouched?.isVouched, request?.isVouched], [true, false]);
  });
});
