/** Lookups of names whose name server never responds: they hold up nobody else's. */
import assert from 'node:assert/strict';
import http from 'node:http';
import { after, before, beforeEach, describe, it } from 'node:test';

import { createEgress, type Egress } from '../../../src/lib/egress/egress.ts';
import { EgressError } from '../../../src/lib/egress/egress-error.ts';
import type { HostAddress } from '../../../src/lib/egress/shared-lookup.ts';
import { requester, sharedLookup } from '../../../src/lib/egress/shared-lookup.ts';
import { close, listen } from '../../harness/loopback.ts';
import { until } from '../../harness/until.ts';

const LOOPBACK = [{ address: '127.0.0.1', family: 4 }];

describe('Lookups', () => {
  let server: http.Server;
  let port: string;
  let egress: Egress;
  let lookedUp: string[] = [];
  /** Ends the lookups of names below `evil.test`. */
  let held: PromiseWithResolvers<readonly HostAddress[]>;
  before(async () => {
    server = http.createServer((_, response) => response.end('hello'));
    ({ port } = new URL(await listen(server)));
  });
  beforeEach(() => {
    lookedUp = [];
    held = Promise.withResolvers();
    const lookup = sharedLookup(async (host) => {
      lookedUp.push(host);
      return host.endsWith('.evil.test') ? held.promise : LOOPBACK;
    });
    egress = createEgress({ privateNetwork: { mode: 'allow' }, lookup });
  });
  after(() => close(server));

  const get = (host: string, clientId: string, user: string, timeoutMs = 60_000) => {
    const url = `http://${host}:${port}/`;
    return egress.request({ method: 'GET', url, clientId, owner: `${clientId} ${user}`, timeoutMs });
  };
  const getMany = (count: number, clientId: string, user: (number: number) => string) =>
    Array.from({ length: count }, (_, number) => get(`${number}.evil.test`, clientId, user(number)));

  for (const [title, user, other, most] of [
    ['an application', (number: number) => `user-${number}`, ['quiet', 'user'], 3],
    ['a user', () => 'one', ['hostile', 'other'], 2],
  ] as const)
    it(`of ${title} run up to a limit, and those of others run meanwhile`, async () => {
      const sent = getMany(20, 'hostile', user);
      await until('some are looked up', () => lookedUp.length === most);
      const [clientId, name] = other;

      assert.equal((await get('good.test', clientId, name)).body.toString(), 'hello');

      assert.equal(lookedUp.length, most + 1);
      held.resolve(LOOPBACK);
      assert.equal((await Promise.all(sent)).length, 20);
      await egress.close();
    });

  it('count until they end, although their requests have ended', async () => {
    const sent = ['a', 'b'].map((name) => get(`${name}.evil.test`, 'hostile', 'one', 100));
    for (const { reason } of (await Promise.allSettled(sent)) as PromiseRejectedResult[])
      assert.ok(reason instanceof EgressError && reason.kind === 'timeout');

    const late = get('good.test', 'hostile', 'one');
    await get('good.test', 'hostile', 'other');
    assert.deepEqual(lookedUp, ['a.evil.test', 'b.evil.test', 'good.test']);
    held.resolve(LOOPBACK);

    assert.equal((await late).body.toString(), 'hello');
    await egress.close();
  });

  it('fail if their turn does not come within ten seconds', async (test) => {
    test.mock.timers.enable({ apis: ['setTimeout'] });
    const lookup = sharedLookup(() => held.promise);
    const place = { clientId: 'hostile', owner: 'hostile one', host: '' };
    const lookups = ['a.test', 'b.test', 'c.test'].map((host) => requester.run(place, () => lookup(host)));
    const refused = assert.rejects(
      Promise.race(lookups),
      (reason) =>
        reason instanceof EgressError &&
        reason.kind === 'timeout' &&
        reason.message === 'c.test was not looked up in time',
    );

    test.mock.timers.tick(10_000);

    await refused;
    await egress.close();
  });
});
