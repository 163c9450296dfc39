/** The slots of requests: how many an application, a user and the instance may send at once. */
import assert from 'node:assert/strict';
import http from 'node:http';
import { after, afterEach, before, describe, it } from 'node:test';

import { accountEgress } from '../../../src/lib/egress/account-egress.ts';
import { createEgress, type Egress, REQUEST_LIMITS } from '../../../src/lib/egress/egress.ts';
import { EgressError } from '../../../src/lib/egress/egress-error.ts';
import { SlotCounts, type SlotPlace } from '../../../src/lib/fair-slots/slot-counts.ts';
import { close, listen } from '../../harness/loopback.ts';
import { until } from '../../harness/until.ts';

const APPLICATIONS = ['a', 'b', 'c'];
const OWNERS = Array.from({ length: 100 }, (_, number) => `owner ${number}`);

/** Takes all slots that the application gets with 100 owners; returns how many. */
function takeAll(counts: SlotCounts, clientId: string, hosts: readonly string[]): number {
  let taken = 0;
  for (const host of hosts)
    for (const owner of OWNERS) {
      const place: SlotPlace = { clientId, owner: `${clientId} ${owner}`, host };
      for (; counts.isFree(place); taken += 1) counts.add(place);
    }
  return taken;
}

describe('Limits of requests', () => {
  it('an application gets a slot at once at a host where three others hold all that they may', () => {
    const counts = new SlotCounts(REQUEST_LIMITS);
    const taken = APPLICATIONS.map((clientId) => takeAll(counts, clientId, ['one']));

    assert.deepEqual(taken, [6, 3, 1]);
    assert.ok(counts.isFree({ clientId: 'quiet', owner: 'quiet user', host: 'one' }));
  });

  it('an application cannot use up the requests to all hosts together', () => {
    const counts = new SlotCounts(REQUEST_LIMITS);
    const hosts = Array.from({ length: 400 }, (_, number) => `host ${number}`);
    const taken = APPLICATIONS.map((clientId) => takeAll(counts, clientId, hosts));

    assert.deepEqual(taken, [1000, 500, 250]);
    assert.ok(counts.isFree({ clientId: 'quiet', owner: 'quiet user', host: 'one' }));
  });
});

describe('Requests at a host', () => {
  let server: http.Server;
  let port: number;
  let egress: Egress;
  let headers: http.IncomingHttpHeaders = {};
  /** Ends the answers that the server holds back; undefined once it holds none back. */
  let held: (() => void)[] | undefined = [];
  const sent: Promise<unknown>[] = [];

  before(async () => {
    server = http.createServer((request, response) => {
      const { pathname, searchParams } = new URL(request.url ?? '', 'http://one.test');
      headers = request.headers;
      const to = searchParams.get('to');
      if (to !== null) response.writeHead(302, { location: to }).end();
      else if (pathname !== '/held' || held === undefined) response.end('hello');
      else held.push(() => response.end());
    });
    port = Number(new URL(await listen(server)).port);
    egress = open();
  });
  const release = () => {
    const responses = held ?? [];
    held = undefined;
    for (const end of responses) end();
  };
  afterEach(async () => {
    release();
    await Promise.allSettled(sent.splice(0));
    held = [];
  });
  after(async () => {
    await egress.close();
    await close(server);
  });

  const open = (limits = REQUEST_LIMITS) =>
    createEgress({
      privateNetwork: { mode: 'hosts', hosts: ['one.test', 'two.test'] },
      lookup: async () => [{ address: '127.0.0.1', family: 4 }],
      limits,
    });
  const urlAt = (host: string, path: string) => `http://${host}.test:${port}${path}`;
  const get = (from: Egress, path = '/') => from.request({ method: 'GET', url: urlAt('one', path) });
  const as = (clientId: string, userId: string) => accountEgress(egress, { clientId, userId });
  const hold = (from: Egress, count: number) => {
    for (let number = 0; number < count; number += 1) sent.push(get(from, '/held'));
  };

  it('an application is served at once beside another that holds all that it may', async () => {
    for (const owner of OWNERS.slice(0, 20)) hold(as('hostile', owner), 2);
    await until('six are held', () => held?.length === 6);

    const { body } = await get(as('quiet', 'its-user'));

    assert.deepEqual([String(body), held?.length], ['hello', 6]);
    assert.doesNotMatch(JSON.stringify(headers), /quiet|its-user/);
  });

  for (const [title, from] of [
    ['a user has', () => as('acme', 'ada')],
    ['all requests for no application have', () => egress],
  ] as const)
    it(`${title} four slots of a host`, async () => {
      hold(from(), 9);
      await until('four are held', () => held?.length === 4);

      await get(as('acme', 'ben'));

      assert.equal(held?.length, 4);
    });

  it('a request is refused at once if fifty of its user wait, and one of another user is not', async () => {
    hold(as('acme', 'ada'), 54);

    await assert.rejects(get(as('acme', 'ada')), isBusy);

    assert.equal(String((await get(as('acme', 'ben'))).body), 'hello');
  });

  it('a redirect waits for the slot of its host without that of the host before', async () => {
    const narrow = open({ ofHost: 1 });
    const redirected = (from: string, to: string) =>
      narrow.request({ method: 'GET', url: urlAt(from, `/?to=${urlAt(to, '/')}`), timeoutMs: 60_000 });

    const answers = await Promise.all([redirected('one', 'two'), redirected('two', 'one')]);

    assert.deepEqual(
      answers.map(({ url }) => url.hostname),
      ['two.test', 'one.test'],
    );
    await narrow.close();
  });

  it('a request that is given up while it waits leaves its place to others', async () => {
    hold(as('acme', 'ada'), 4);
    const late = as('acme', 'ada').request({ method: 'GET', url: urlAt('one', '/'), timeoutMs: 50 });
    await assert.rejects(late, (failure) => failure instanceof EgressError && failure.kind === 'timeout');
    hold(as('acme', 'ada'), 49);
    const last = get(as('acme', 'ada'));
    release();

    assert.equal(String((await last).body), 'hello');
  });
});

const isBusy = (failure: unknown) => failure instanceof EgressError && failure.kind === 'busy';
