/** Requests that the application pushed (RFC 9126) at /authorize: what counts of them, and for how long. On SQLite. */
import assert from 'node:assert/strict';
import { after, before, beforeEach, describe, it } from 'node:test';

import { hashOfRequestUri } from '../../src/oauth/pushed-requests.ts';
import { codeOf, connected, endsOf, namesReadBy, redeem } from './approvals.ts';
import { ACME, Browser, type Harness, openConnect, transactionOf } from './connect-harness.ts';
import { read } from './journeys.ts';
import { push, pushedPath, startPushed } from './pushing.ts';

let harness: Harness;
before(async () => {
  harness = await openConnect();
  await harness.clients.createClient({ ...ACME, clientId: 'other' }, 'unused', undefined);
});
after(() => harness.close());
let users = 0;
beforeEach(() => {
  users += 1;
});
const userId = () => `pushed-${users}`;

const requestOf = async (transactionId: string) => harness.deps.requests.findRequest(transactionId);

describe('a pushed request', () => {
  it('a pushed request is all that counts: beside it only client_id is read', async () => {
    const requestUri = await push(harness, { user_id: userId(), scope: 'read', state: 'mine', lng: 'fr' });
    const browser = new Browser(harness);
    const beside = { user_id: 'eve', scope: 'read-write', state: 'hers', lng: 'de', providers: 'google' };

    const started = await browser.get(
      pushedPath(requestUri, { ...beside, user_name: 'Eve', login_hint: 'e@x.example' }),
    );
    const page = await browser.get(started.location);

    assert.equal(page.status, 200, 'what was written beside it is in nobody’s way');
    const request = await requestOf(transactionOf(page));
    assert.deepEqual(
      [request?.userId, request?.scope, request?.state, request?.language, request?.providers.length],
      [userId(), 'read', 'mine', 'fr', 4],
    );
    assert.deepEqual(
      [request?.userName, request?.loginHint, request?.isPushed],
      [undefined, undefined, true],
    );
    assert.equal(await harness.deps.users.isUser('acme', 'eve'), false);
  });

  it('no application pushes a user of the playground, and none chooses where its flow ends', async () => {
    await assert.rejects(push(harness, { user_id: 'playground:ada' }), /must not start with playground:/);

    const page = await startPushed(harness, new Browser(harness), {
      user_id: userId(),
      redirect_uri: 'https://evil.example/callback',
    });

    const request = await requestOf(transactionOf(page));
    assert.equal(request?.redirectUri, ACME.redirectUri);
  });

  it('a request that names a user of the playground, as only the dashboard stores one, ends where it says', async () => {
    const requestUri = 'urn:ietf:params:oauth:request_uri:of-the-dashboard';
    const ownEnd = 'https://dashboard.example/dashboard/playground/callback';
    const query = String(new URLSearchParams({ user_id: 'playground:ada-1', redirect_uri: ownEnd }));
    const stored = { issuer: 'default', clientId: 'acme', query, createdAt: harness.deps.now() } as const;
    await harness.pushedRequests.add(hashOfRequestUri(requestUri), stored, 10);
    const browser = new Browser(harness);

    const started = await browser.get(pushedPath(requestUri));
    const page = await browser.get(started.location);

    const request = await requestOf(transactionOf(page));
    assert.deepEqual([request?.userId, request?.redirectUri], ['playground:ada-1', ownEnd]);
    assert.ok(!started.location.includes('ada-1'), 'the address does not say who the user is');
  });

  it('a pushed request names its user by user_name, on the page and in no address', async () => {
    const page = await startPushed(harness, new Browser(harness), {
      user_id: userId(),
      user_name: 'Ada <Lovelace>',
    });

    assert.match(page.body, /<bdi>Ada &#60;Lovelace&#62;<\/bdi>/);
    assert.doesNotMatch(page.body, new RegExp(`<bdi>${userId()}</bdi>`));
  });

  it('user_name is a label for people only where it was pushed', async () => {
    const page = await new Browser(harness).start({ user_id: userId(), user_name: 'Not Ada' });

    assert.doesNotMatch(page.body, /<bdi>Not Ada/);
  });

  it('a pushed request is spent once: the browser that took it up is sent to its transaction again, and no other', async () => {
    const path = pushedPath(await push(harness, { user_id: userId() }));
    const browser = new Browser(harness);
    const first = await browser.get(path);

    const again = await browser.get(path);
    const other = await new Browser(harness).get(path);

    assert.deepEqual([again.status, again.location], [302, first.location]);
    assert.equal(again.headers['set-cookie'], undefined);
    assert.equal(other.status, 400);
    assert.equal(other.headers['set-cookie'], undefined);
  });

  it('a pushed request is taken up by one of two browsers at once', async () => {
    const path = pushedPath(await push(harness, { user_id: userId() }));

    const answers = await Promise.all([1, 2, 3, 4].map(() => new Browser(harness).get(path)));

    assert.deepEqual(answers.map(({ status }) => status).toSorted(), [302, 400, 400, 400]);
  });

  it('a pushed request that was answered leads its browser to what came of it', async () => {
    const path = pushedPath(await push(harness, { user_id: userId() }));
    const browser = new Browser(harness);
    const page = await browser.get((await browser.get(path)).location);
    await browser.submit(page, '/connect/cancel');

    const again = await browser.get((await browser.get(path)).location);

    assert.equal(again.status, 400);
    assert.match(again.body, /Already finished/);
    assert.doesNotMatch(again.body, /Start again/, 'only the application can start it again');
  });

  const unusable: [rule: string, path: () => Promise<string>][] = [
    ['is unknown', async () => pushedPath('urn:ietf:params:oauth:request_uri:unknown')],
    ['is empty of sense', async () => pushedPath('\0')],
    [
      'was spent in another browser',
      async () => {
        const path = pushedPath(await push(harness, { user_id: userId() }));
        await new Browser(harness).get(path);
        return path;
      },
    ],
    [
      'is late',
      async () => {
        const path = pushedPath(await push(harness, { user_id: userId() }));
        harness.pass(60_001);
        return path;
      },
    ],
    [
      'is another application’s',
      async () => pushedPath(await push(harness, { user_id: userId() }), { client_id: 'other' }),
    ],
  ];
  for (const [rule, pathOf] of unusable) {
    it(`a request_uri that ${rule} is refused with 400 invalid_request_uri, as page and as JSON`, async () => {
      const path = await pathOf();

      const page = await new Browser(harness).get(path);
      const json = await new Browser(harness).get(path, { headers: { accept: 'application/json' } });

      assert.deepEqual([page.status, json.status], [400, 400]);
      assert.equal(JSON.parse(json.body).error, 'invalid_request_uri');
      assert.match(page.body, /<h1>This link does not work<\/h1>.*already used, or it has expired/s);
      assert.equal(page.location + json.location, '');
    });
  }

  it('a request_uri of another application is not spent by it', async () => {
    const requestUri = await push(harness, { user_id: userId() });
    await new Browser(harness).get(pushedPath(requestUri, { client_id: 'other' }));

    assert.equal((await new Browser(harness).get(pushedPath(requestUri))).status, 302);
  });

  it('a pushed request can be taken up until it is 60 seconds old', async () => {
    const path = pushedPath(await push(harness, { user_id: userId() }));
    harness.pass(60_000);

    assert.equal((await new Browser(harness).get(path)).status, 302);
  });

  it('a request that was not pushed is refused where an application requires that, and one that was is not', async () => {
    await harness.clients.updateClient('acme', { pushedRequests: 'required' }, { now: 1, by: undefined });
    const query = `/authorize?client_id=acme&user_id=${userId()}`;

    const page = await new Browser(harness).get(query);
    const json = await new Browser(harness).get(query, { headers: { accept: 'application/json' } });
    const pushed = await new Browser(harness).get(pushedPath(await push(harness, { user_id: userId() })));

    await harness.clients.updateClient('acme', { pushedRequests: 'accepted' }, { now: 2, by: undefined });
    assert.deepEqual([page.status, json.status, pushed.status], [400, 400, 302]);
    assert.equal(JSON.parse(json.body).error, 'invalid_request');
    assert.match(JSON.parse(json.body).message, /must push its requests to POST \/par/);
    assert.match(page.body, /started this connection in a way that its settings do not allow/);
    assert.equal(page.location, '');
  });
});

describe('who a pushed request is for', () => {
  it('a pushed request shows its user’s accounts whole, to be managed, in any browser', async () => {
    const { grant } = await connected(harness, { userId: userId() });
    const browser = new Browser(harness);

    const page = await startPushed(harness, browser, { user_id: userId() });
    const [, path = ''] = /action="(\/connect\/disconnect)"/.exec(page.body) ?? [];
    const key = /name="account" value="([^"]+)"/.exec(page.body)?.[1] ?? '';
    const question = await browser.get(`${path}?transaction=${transactionOf(page)}&account=${key}`);
    await browser.submit(question, '/connect/disconnect');

    assert.match(page.body, /<bdi>ada@example\.com<\/bdi>/);
    assert.doesNotMatch(page.body, /•••|Confirm it is yours/);
    assert.deepEqual(await namesReadBy(harness, grant), []);
  });

  it('a pushed request covers all groups of its user, and leaves by Done', async () => {
    await connected(harness, { userId: userId() });
    await connected(harness, { userId: userId(), names: ['bob@example.com'] });
    const browser = new Browser(harness);

    const page = await startPushed(harness, browser, { user_id: userId() });
    await browser.submit(page, '/connect/approve');

    assert.deepEqual(endsOf(page), ['Done']);
    assert.deepEqual(await namesReadBy(harness, await redeem(harness, userId())), [
      'ada@example.com',
      'bob@example.com',
    ]);
  });

  it('a pushed request covers each group at no more than it was given, whatever it asks for', async () => {
    await connected(harness, { userId: userId(), query: { scope: 'free-busy' } });
    const browser = new Browser(harness);

    const page = await startPushed(harness, browser, { user_id: userId(), scope: 'read-write' });
    await browser.submit(page, '/connect/approve');
    const grant = await redeem(harness, userId());

    const rows = await harness.db.all<{ scope: string }>(
      'SELECT scope FROM grant_coverage WHERE coverage_id = :id',
      { id: grant?.coverageId ?? '' },
    );
    assert.deepEqual(
      rows.map(({ scope }) => scope),
      ['free-busy'],
    );
  });

  it('a pushed request covers a group at a wider scope once that group was proved in it', async () => {
    const { browser } = await connected(harness, { userId: userId(), query: { scope: 'free-busy' } });

    const page = await startPushed(harness, browser, { user_id: userId(), scope: 'read-write' });
    await browser.submit(page, '/connect/approve');
    const grant = await redeem(harness, userId());

    assert.deepEqual(endsOf(page), ['Allow', 'Cancel'], 'it is asked for');
    const rows = await harness.db.all<{ scope: string }>(
      'SELECT scope FROM grant_coverage WHERE coverage_id = :id',
      { id: grant?.coverageId ?? '' },
    );
    assert.deepEqual(
      rows.map(({ scope }) => scope),
      ['read-write'],
    );
  });

  it('a pushed request shows and removes accounts that no living grant has, and covers none of them', async () => {
    const { grant } = await connected(harness, { userId: userId() });
    await harness.db.write('UPDATE token_family SET ended_at = 1 WHERE coverage_id = :id', {
      id: grant.coverageId,
    });
    const browser = new Browser(harness);

    const page = await startPushed(harness, browser, { user_id: userId() });
    const key = /name="(?:account|confirm)" value="([^"]+)"/.exec(page.body)?.[1] ?? '';
    const question = await browser.get(
      `/connect/disconnect?transaction=${transactionOf(page)}&account=${key}`,
    );
    await browser.submit(question, '/connect/disconnect');

    assert.match(page.body, /<bdi>ada@example\.com<\/bdi>/);
    assert.match(page.body, /action="\/connect\/disconnect"/);
    assert.deepEqual(await harness.accounts.listAccounts('acme', userId()), []);
    assert.equal(await codeOf(harness, userId()), undefined);
  });

  it('a pushed request disconnects all accounts that it names in the question, those without a living grant among them', async () => {
    const { grant } = await connected(harness, { userId: userId() });
    await harness.db.write('UPDATE token_family SET ended_at = 1 WHERE coverage_id = :id', {
      id: grant.coverageId,
    });
    await connected(harness, { userId: userId(), names: ['bob@example.com'] });
    const browser = new Browser(harness);
    const page = await startPushed(harness, browser, { user_id: userId() });
    const question = await browser.get(`/connect/disconnect-all?transaction=${transactionOf(page)}`);

    await browser.submit(question, '/connect/disconnect-all');

    assert.match(question.body, /These 2 accounts.*bob@example\.com.*ada@example\.com/s);
    assert.deepEqual(await harness.accounts.listAccounts('acme', userId()), []);
  });

  it('an address alone shows nothing of what a pushed request would', async () => {
    await connected(harness, { userId: userId() });

    const page = await new Browser(harness).start({ user_id: userId(), request_uri: '' });

    assert.match(read(page), /a•••@e•••\.com/);
  });
});
