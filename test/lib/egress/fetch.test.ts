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
  const asked = createServer(({ url, headers }, response) => {
    received.push({ at: 'asked', headers });
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
