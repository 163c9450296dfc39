/** The egress module in the shape of `fetch`: what a library sends, and where it goes. */
import assert from 'node:assert/strict';
import { createServer, type IncomingHttpHeaders } from 'node:http';
import { after, before, describe, it } from 'node:test';

import { createEgress } from '../../../src/lib/egress/egress.ts';
import { egressFetch } from '../../../src/lib/egress/egress-fetch.ts';
import { close, listen } from '../../harness/loopback.ts';

describe('egressFetch', () => {
  const egress = createEgress({ privateNetwork: { mode: 'loopback' } });
  const received: { readonly at: 'asked' | 'elsewhere'; readonly headers: IncomingHttpHeaders }[] = [];
  const elsewhere = createServer(({ headers }, response) => {
    received.push({ at: 'elsewhere', headers });
    response.end('elsewhere');
  });
  const asked = createServer(({ url = '', headers }, response) => {
    received.push({ at: 'asked', headers });
    const [, status = '', size = ''] = /^\/(\d+)\/(\d+)$/.exec(url) ?? [];
    if (status !== '')
      return void response
        .writeHead(Number(status), { 'content-type': 'text/plain', 'retry-after': '7', 'x-other': 'x' })
        .end('x'.repeat(Number(size)));
    const to = url === '/other-origin' ? origins.elsewhere : '/there';
    response.writeHead(307, { location: to }).end('moved');
  });
  const origins = { asked: '', elsewhere: '' };
  before(async () => {
    origins.elsewhere = await listen(elsewhere);
    origins.asked = await listen(asked);
  });
  after(async () => {
    await egress.close();
    await Promise.all([close(asked), close(elsewhere)]);
  });

  const get = (path: string, body?: null) =>
    egressFetch(egress)(`${origins.asked}${path}`, { method: 'GET', headers: {}, body });

  it('an answer has its status and body, and the headers that libraries read', async () => {
    for (const body of [undefined, null] as const) {
      const answer = await get('/400/5', body);
      const { date, ...headers } = Object.fromEntries(answer.headers);
      assert.deepEqual([answer.status, await answer.text()], [400, 'xxxxx']);
      assert.ok(Date.parse(date ?? '') > 0);
      assert.deepEqual(headers, { 'content-type': 'text/plain', 'retry-after': '7' });
    }
    assert.equal(received.at(-1)?.headers['content-length'], undefined);
    assert.equal(received.at(-1)?.headers['user-agent'], 'Kalends');
  });

  it('an answer without a body has none', async () => {
    for (const status of [204, 205, 304]) {
      const answer = await get(`/${status}/0`);
      assert.deepEqual([answer.status, answer.body], [status, null]);
    }
  });

  it('an answer has a megabyte at most', async () => {
    assert.equal((await (await get('/200/1000000')).text()).length, 1_000_000);
    await assert.rejects(get('/200/1000001'), /^EgressError: The response is larger than 1000000 bytes$/);
  });

  for (const path of ['/other-origin', '/same-origin'])
    it(`credentials go where they were sent and follow no redirect: ${path}`, async () => {
      received.length = 0;
      const headers = { authorization: 'Basic c2VjcmV0', accept: 'application/json' };
      const body = new URLSearchParams({ code: 'c' });

      const answer = await egressFetch(egress)(`${origins.asked}${path}`, { method: 'POST', headers, body });

      assert.equal(answer.status, 307);
      assert.deepEqual(
        received.map(({ at, headers: { authorization } }) => [at, authorization]),
        [['asked', 'Basic c2VjcmV0']],
      );
    });
});
