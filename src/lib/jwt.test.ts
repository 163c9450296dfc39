import assert from 'node:assert/strict';
import { generateKeyPairSync, randomBytes } from 'node:crypto';
import { describe, it } from 'node:test';

import * as jose from 'jose';

import { jwtKey, protectedHeader, signJwt, verifyJwt } from './jwt.ts';

const encoded = (json: string) => Buffer.from(json).toString('base64url');
const secret = randomBytes(32);
const pem = generateKeyPairSync('ec', { namedCurve: 'P-256' })
  .privateKey.export({ type: 'pkcs8', format: 'pem' })
  .toString();
const keys = [jwtKey('h', 'HS256', secret.toString('base64url')), jwtKey('e', 'ES256', pem)];

it('a JWT is signed with HS256 as RFC 7515 A.1 does', () => {
  const material = 'AyM1SysPpbyDfgZld3umj1qzKObwVMkoqQ-EstJQLr_T-1qS0gZH75aKtMN3Yj0iPS4hcgUuTwjAzZr1Z9CAow';
  const key = jwtKey('a1', 'HS256', material);
  const claims = encoded('{"iss":"joe",\r\n "exp":1300819380,\r\n "http://example.com/is_root":true}');
  const token = `${encoded('{"typ":"JWT",\r\n "alg":"HS256"}')}.${claims}.dBjftJeZ4CVP-mB92K27uhbUJU1p1r_wW1gFWFOEjXk`;

  assert.deepEqual(verifyJwt(token, key), {
    iss: 'joe',
    exp: 1_300_819_380,
    'http://example.com/is_root': true,
  });
});

for (const key of keys) {
  describe(`JWT with ${key.algorithm}`, () => {
    const token = signJwt(protectedHeader(key, 'at+jwt'), { sub: 'ada', n: 1 }, key);

    it('a JWT is verified by an independent library', async () => {
      const verifier = key.algorithm === 'HS256' ? secret : key.publicKey;

      const { payload, protectedHeader: header } = await jose.jwtVerify(token, verifier);

      assert.deepEqual(payload, { sub: 'ada', n: 1 });
      assert.deepEqual(header, { alg: key.algorithm, typ: 'at+jwt', kid: key.kid });
    });

    it('a JWT is read back as it was signed', () => {
      assert.deepEqual(verifyJwt(token, key), { sub: 'ada', n: 1 });
    });

    it('a JWT is refused if any character was changed', () => {
      for (let i = token.indexOf('.') + 1; i < token.length; i++) {
        const changed = `${token.slice(0, i)}${token[i] === 'A' ? 'B' : 'A'}${token.slice(i + 1)}`;
        assert.equal(verifyJwt(changed, key), undefined, `at ${i}`);
      }
    });

    it('a JWT without a signature is refused', () => {
      assert.equal(verifyJwt(token.slice(0, token.lastIndexOf('.') + 1), key), undefined);
      assert.equal(verifyJwt(token.slice(0, token.lastIndexOf('.')), key), undefined);
      assert.equal(verifyJwt('', key), undefined);
    });
  });
}
