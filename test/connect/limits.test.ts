/**
 * Limits what one address can do to an application's users, and what a flood can do to its transactions
 * (docs/security.md T3). On SQLite.
 */
import assert from 'node:assert/strict';
import { afterEach, describe, it } from 'node:test';

import { connectAttempts } from '../../src/connect/flow/connect-attempts.ts';
import { GENEROUS } from '../harness/connect-limits.ts';
import { allow } from './approvals.ts';
import { ACME, Browser, type Harness, openConnect, transactionOf } from './connect-harness.ts';
import { follow, openJourneys } from './journeys.ts';
import { push, pushedPath } from './pushing.ts';

let harness: Harness;
afterEach(() => harness.close());

const openLimited = async (limits: Partial<typeof GENEROUS>) => {
  harness = await openConnect({ attempts: connectAttempts({ ...GENEROUS, ...limits }) });
  await harness.clients.createClient({ ...ACME, clientId: 'other' }, 'unused', undefined);
};

/** Starts a flow from a network address and returns the response. */
async function startFrom(remoteAddress: string, userId: string, clientId = 'acme') {
  const url = `/authorize?client_id=${clientId}&user_id=${userId}`;
  const { statusCode, headers } = await harness.app.inject({ url, remoteAddress });
  return { status: statusCode, retryAfter: headers['retry-after'] };
}

describe('starts of a flow', () => {
  it('starts of a flow for unknown applications are limited together, whatever their names', async () => {
    await openLimited({ authorizePerMinute: 2 });
    const unknown = async (clientId: string) => (await startFrom('192.0.2.1', 'a', clientId)).status;

    assert.deepEqual([await unknown('x1'), await unknown('x2'), await unknown('x3')], [401, 401, 429]);
    assert.equal((await startFrom('192.0.2.1', 'a')).status, 302, 'a real one is not counted among them');
  });
});

const isUser = (userId: string): Promise<boolean> => harness.deps.users.isUser('acme', userId);

describe('new users', () => {
  it('new users are limited by address, and known ones continue', async () => {
    await openLimited({ newUsersPerHour: 2 });
    for (const userId of ['a', 'b']) assert.equal((await startFrom('192.0.2.1', userId)).status, 302);

    const third = await startFrom('192.0.2.1', 'c');
    const known = await startFrom('192.0.2.1', 'a');

    assert.deepEqual([third.status, known.status], [429, 302]);
    assert.match(String(third.retryAfter), /^\d+$/);
    assert.equal(await isUser('c'), false);
  });

  it('new users of one address are no limit to another address, nor to another application', async () => {
    await openLimited({ newUsersPerHour: 1 });
    await startFrom('192.0.2.1', 'a');

    assert.equal((await startFrom('192.0.2.1', 'b')).status, 429);
    assert.equal((await startFrom('192.0.2.2', 'b')).status, 302);
    assert.equal((await startFrom('192.0.2.1', 'b', 'other')).status, 302);
  });

  it('new users are counted by the /64 of an IPv6 address, which one host has whole', async () => {
    await openLimited({ newUsersPerHour: 1 });
    await startFrom('2001:db8:1:2::1', 'a');

    assert.equal((await startFrom('2001:db8:1:2:ffff::9', 'b')).status, 429);
    assert.equal((await startFrom('2001:db8:1:3::1', 'b')).status, 302);
  });

  it('new users of a flow that is refused for its parameters are neither created nor counted', async () => {
    await openLimited({ newUsersPerHour: 1 });
    const url = '/authorize?client_id=acme&user_id=a&scope=nonsense';
    await harness.app.inject({ url, remoteAddress: '192.0.2.1' });

    assert.equal(await isUser('a'), false);
    assert.equal((await startFrom('192.0.2.1', 'b')).status, 302);
  });

  it('new users of pushed requests are limited alike', async () => {
    await openLimited({ newUsersPerHour: 1 });
    const browser = new Browser(harness);
    await browser.get(pushedPath(await push(harness, { user_id: 'a' })));

    assert.equal((await browser.get(pushedPath(await push(harness, { user_id: 'b' })))).status, 429);
    assert.equal(await isUser('b'), false);
  });
});

describe('flows that are started', () => {
  it('flows are limited by application and /64', async () => {
    await openLimited({ authorizePerMinute: 1 });
    await startFrom('2001:db8:1:2::1', 'a');

    assert.equal((await startFrom('2001:db8:1:2::2', 'a')).status, 429);
    assert.equal((await startFrom('2001:db8:1:2::2', 'a', 'other')).status, 302);
    assert.equal((await startFrom('2001:db8:9:9::1', 'a')).status, 302);
  });

  it('flows that are refused spend no pushed request', async () => {
    await openLimited({ authorizePerMinute: 1 });
    await startFrom('127.0.0.1', 'a');
    const path = pushedPath(await push(harness, { user_id: 'a' }));

    const refused = await new Browser(harness).get(path);
    const elsewhere = await harness.app.inject({ url: path, remoteAddress: '192.0.2.7' });

    assert.deepEqual([refused.status, elsewhere.statusCode], [429, 302]);
  });

  it('passwords are limited by the /64 as well', async () => {
    await openLimited({ passwordsPerAddress: 1 });
    const statuses: number[] = [];
    for (const [remoteAddress, userId] of [
      ['2001:db8:1:2::1', 'a'],
      ['2001:db8:1:2::2', 'b'],
      ['2001:db8:1:3::1', 'c'],
    ] as const) {
      const browser = new Browser(harness);
      const page = await browser.start({ user_id: userId });
      const form = await browser.get(`/connect/caldav?transaction=${transactionOf(page)}&by=server`);
      const token = /name="token" value="([\w-]+)"/.exec(form.body)?.[1] ?? '';
      const fields = { transaction: transactionOf(page), token, by: 'server', username: 'ada' };
      const sent = new URLSearchParams({ ...fields, server: 'https://dav.example', password: 'wrong' });
      const { statusCode } = await harness.app.inject({
        method: 'POST',
        url: '/connect/caldav',
        remoteAddress,
        headers: {
          'content-type': 'application/x-www-form-urlencoded',
          cookie: [...browser.cookies].map(([name, value]) => `${name}=${value}`).join('; '),
        },
        payload: sent.toString(),
      });
      statuses.push(statusCode);
    }

    assert.deepEqual(statuses, [422, 429, 422]);
  });
});

describe('a flood of flows', () => {
  const MOST = 10;
  /** Starts enough flows that the store counts them at least once. */
  async function flood(clientId = 'acme'): Promise<void> {
    for (let index = 0; index < 70; index += 1) {
      harness.pass(1);
      await startFrom('192.0.2.1', 'flooded', clientId);
    }
  }

  it('a flood of flows ends the oldest in which nothing was done, and none in which a user signed in', async () => {
    harness = await openConnect({ mostOpenRequests: MOST });
    const [idle, busy] = [new Browser(harness), new Browser(harness)];
    const untouched = await idle.start({ user_id: 'idle' });
    const linked = await busy.link(await busy.start({ user_id: 'busy' }));

    await flood();

    assert.equal((await idle.get(`/authorize?transaction=${transactionOf(untouched)}`)).status, 400);
    assert.match((await allow(busy, linked)).location, /[?&]code=busy$/);
    const [row] = await harness.db.all<{ count: number }>(
      'SELECT COUNT(*) AS count FROM authorization_request',
    );
    assert.ok((row?.count ?? 0) < 64 + MOST, 'the flood’s own go too');
  });

  it('a flood of flows leaves one whose user is on the way to a provider', async () => {
    const journeys = await openJourneys();
    harness = journeys.harness;
    const limited = { ...harness.deps.requests };
    const { createRequest } = limited;
    Object.assign(harness.deps.requests, {
      createRequest: (request: Parameters<typeof createRequest>[0]) => createRequest(request, MOST),
    });
    const { browser, sent } = await journeys.depart();

    await flood();

    const page = await follow(browser, await browser.get(journeys.google.allow(sent.location)));
    assert.match(page.body, /<bdi>ada@example\.com<\/bdi> is connected/);
  });

  it('a flood of flows of one application ends none of another’s', async () => {
    harness = await openConnect({ mostOpenRequests: MOST });
    await harness.clients.createClient({ ...ACME, clientId: 'other' }, 'unused', undefined);
    const browser = new Browser(harness);
    const page = await browser.start({ user_id: 'ada' });

    await flood('other');

    assert.equal((await browser.get(`/authorize?transaction=${transactionOf(page)}`)).status, 200);
  });
});
