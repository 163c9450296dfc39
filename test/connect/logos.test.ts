/** Logos as browsers ask for them (docs/wire.md 4.3). */
import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';

import { logoPath } from '../../src/branding/branding.ts';
import { type Harness, openConnect } from './connect-harness.ts';

const webp = Buffer.from('RIFF\x04\x00\x00\x00WEBP\xff\x00', 'latin1');

describe('GET /connect/logos/<hash>.webp', () => {
  let connect: Harness;
  let path: string;
  before(async () => {
    connect = await openConnect();
    const look = await connect.looks.changeLook(
      'acme',
      { logo: { webp } },
      { now: connect.deps.now(), by: undefined },
    );
    path = look?.branding.logo === undefined ? '' : logoPath(look.branding.logo);
  });
  after(() => connect.close());

  it('GET /connect/logos/<hash>.webp answers the picture, to be kept for a year, with no power beyond being one', async () => {
    const { statusCode, headers, rawPayload } = await connect.app.inject(path);

    assert.equal(statusCode, 200);
    assert.deepEqual(rawPayload, webp);
    assert.equal(headers['content-type'], 'image/webp');
    assert.equal(headers['content-length'], String(webp.length));
    assert.equal(headers['cache-control'], 'public, max-age=31536000, immutable');
    assert.equal(headers['x-content-type-options'], 'nosniff');
    assert.match(String(headers['content-security-policy']), /^default-src 'none'/);
    assert.equal(headers['cross-origin-resource-policy'], 'same-origin');
    assert.equal(headers['set-cookie'], undefined);
  });

  it('GET /connect/logos/<hash>.webp answers HEAD without the picture', async () => {
    const { statusCode, headers, rawPayload } = await connect.app.inject({ method: 'HEAD', url: path });

    assert.deepEqual([statusCode, rawPayload.length], [200, 0]);
    assert.equal(headers['content-type'], 'image/webp');
  });

  it('GET /connect/logos/<hash>.webp answers 404, which nobody keeps, for what is no picture shown now', async () => {
    const [hash = ''] = /[\da-f]{64}/.exec(path) ?? [];
    const others = [
      path.replace(hash, hash.replaceAll(/./g, '0')),
      path.replace(hash, hash.toUpperCase().replaceAll(/\d/g, 'A')),
      path.replace(hash, 'x'),
      path.replace(hash, `%00${hash.slice(3)}`),
      path.replace(hash, `..%2f${hash}`),
      path.replace('.webp', '.png'),
      path.replace('.webp', ''),
      path.replace(hash, ''),
    ];

    for (const url of others) {
      const { statusCode, headers, body } = await connect.app.inject(url);
      assert.equal(statusCode, 404, url);
      assert.equal(headers['cache-control'], 'no-store', url);
      assert.equal(JSON.parse(body).code, 'not_found', url);
    }
  });

  it('GET /connect/logos/<hash>.webp logs nothing', () => {
    assert.deepEqual(connect.logged, []);
  });
});
