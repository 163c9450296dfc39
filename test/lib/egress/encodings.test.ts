/** Compressed responses to requests that did not ask for compression. */
import assert from 'node:assert/strict';
import http from 'node:http';
import { after, before, describe, it } from 'node:test';
import { deflateSync, gzipSync } from 'node:zlib';

import { createEgress, type Egress } from '../../../src/lib/egress/egress.ts';
import { close, listen } from '../../harness/loopback.ts';

const PACKED: Readonly<Record<string, (text: Buffer) => Buffer>> = {
  gzip: gzipSync,
  'x-gzip': gzipSync,
  deflate: deflateSync,
  br: (text) => text,
  identity: (text) => text,
  'GZIP, identity': gzipSync,
  'deflate,gzip': (text) => gzipSync(deflateSync(text)),
  lzma: (text) => text,
  [`${'x'.repeat(39)}yz`]: (text) => text,
};
/** 20 bytes that gzip expands to none. Any number of them is a gzip file. */
const NOTHING = gzipSync('');

describe('Compressed responses', () => {
  let server: http.Server;
  let origin: string;
  let egress: Egress;
  before(async () => {
    server = http.createServer(({ url = '' }, response) => {
      const { searchParams } = new URL(url, 'http://a.test');
      const encoding = searchParams.get('encoding') ?? '';
      const size = Number(searchParams.get('size'));
      response.writeHead(200, { 'content-encoding': encoding });
      if (url.startsWith('/nothing')) response.end(Buffer.alloc(size, NOTHING));
      else response.end(PACKED[encoding]?.(Buffer.alloc(size, 'a')));
    });
    origin = await listen(server);
    egress = createEgress({ privateNetwork: { mode: 'loopback' } });
  });
  after(async () => {
    await egress.close();
    await close(server);
  });

  const read = async (encoding: string, size: number, maxBytes?: number) => {
    const url = `${origin}/?${new URLSearchParams({ encoding, size: `${size}` })}`;
    const { body } = await egress.request({ method: 'GET', url, ...(maxBytes && { maxBytes }) });
    return body.equals(Buffer.alloc(size, 'a')) ? 'whole' : 'broken';
  };

  for (const encoding of ['gzip', 'x-gzip', 'deflate', 'identity', 'GZIP, identity'])
    it(`are read as they were before ${encoding}, up to the cap inclusive`, async () => {
      assert.equal(await read(encoding, 3_000, 3_000), 'whole');
      await assert.rejects(
        read(encoding, 3_001, 3_000),
        /^EgressError: The response is larger than 3000 bytes$/,
      );
      assert.equal(await read(encoding, 2_000_000), 'whole');
    });

  it('are refused if the encoding is unknown or there is more than one', async () => {
    const rule = (shown: string) =>
      new RegExp(`^EgressError: The response has an unrequested encoding: ${shown}$`);
    await assert.rejects(read('deflate,gzip', 9), rule('deflate,gzip'));
    await assert.rejects(read('br', 9), rule('br'));
    await assert.rejects(read('lzma', 9), rule('lzma'));
    await assert.rejects(read(`${'x'.repeat(39)}yz`, 9), rule(`${'x'.repeat(39)}y`));
  });

  it('count as they were sent, too, if they expand to nothing', async () => {
    const url = `${origin}/nothing?encoding=gzip&size=${150 * NOTHING.length}`;

    const { body } = await egress.request({ method: 'GET', url, maxBytes: 3_000 });

    assert.deepEqual([body.length, NOTHING.length], [0, 20]);
    await assert.rejects(
      egress.request({ method: 'GET', url, maxBytes: 2_999 }),
      /^EgressError: The response is larger than 2999 bytes$/,
    );
  });

  it('are read together although they are larger than the room for all of them', async () => {
    const answers = Array.from({ length: 12 }, () => read('gzip', 9_000_000));
    assert.deepEqual(new Set(await Promise.all(answers)), new Set(['whole']));
  });
});
