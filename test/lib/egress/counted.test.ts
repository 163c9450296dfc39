/** Work that may send so many requests and no more. */
import assert from 'node:assert/strict';
import http from 'node:http';
import { after, before, beforeEach, describe, it } from 'node:test';

import { countedEgress } from '../../../src/lib/egress/counted-egress.ts';
import { createEgress, type Egress } from '../../../src/lib/egress/egress.ts';
import { EgressError } from '../../../src/lib/egress/egress-error.ts';
import { connectionFailure } from '../../../src/providers/connection-failure.ts';
import { close, listen } from '../../harness/loopback.ts';

const isTooMany = (failure: unknown) =>
  failure instanceof EgressError && failure.kind === 'too_many_requests';

describe('Egress that counts', () => {
  let server: http.Server;
  let origin: string;
  let egress: Egress;
  let received = 0;

  before(async () => {
    server = http.createServer(({ url }, response) => {
      received += 1;
      if (url === '/there') response.end('there');
      else response.writeHead(302, { location: url === '/once' ? '/there' : '/round' }).end();
    });
    origin = await listen(server);
    egress = createEgress({ privateNetwork: { mode: 'loopback' } });
  });
  beforeEach(() => {
    received = 0;
  });
  after(async () => {
    await egress.close();
    await close(server);
  });

  const get = (counted: Egress, path: string, mayFollow?: () => boolean) =>
    counted.request({ method: 'GET', url: origin + path, ...(mayFollow && { mayFollow }) });

  it('egress that counts sends as many requests as it may and not one more', async () => {
    const counted = countedEgress(egress, 3);

    const answers = await Promise.allSettled(Array.from({ length: 5 }, () => get(counted, '/there')));

    assert.deepEqual(
      answers.map(({ status }) => status),
      ['fulfilled', 'fulfilled', 'fulfilled', 'rejected', 'rejected'],
    );
    assert.equal(received, 3);
  });

  it('egress that counts takes a redirect that is followed for a request', async () => {
    const counted = countedEgress(egress, 3);

    await get(counted, '/once');
    await assert.rejects(get(counted, '/once'), isTooMany);

    assert.equal(received, 3);
  });

  it('egress that counts takes a redirect that is not followed for nothing', async () => {
    const counted = countedEgress(egress, 2);

    for (const _ of [1, 2]) assert.equal((await get(counted, '/once', () => false)).status, 302);

    assert.equal(received, 2);
  });

  it('egress that counts leaves the egress of others open and uncounted', async () => {
    const counted = countedEgress(egress, 1);
    await counted.close();

    await get(counted, '/there');
    const others = await get(egress, '/there');

    assert.equal(others.status, 200);
  });

  it('a server that needs too many requests is a provider that cannot be read, and not one that is down', () => {
    const failure = connectionFailure(new EgressError('too_many_requests', 'Too many'));

    assert.deepEqual([failure.kind, failure.detail], ['invalid_response', 'too_many_requests']);
  });
});
