import assert from 'node:assert/strict';
import { generateKeyPairSync, type KeyObject } from 'node:crypto';
import { describe, it } from 'node:test';
import { readKeySet } from './client-keys.ts';

const exported = ({ publicKey }: { readonly publicKey: KeyObject }) => publicKey.export({ format: 'jwk' });
const ec = exported(generateKeyPairSync('ec', { namedCurve: 'P-256' }));
const ed = exported(generateKeyPairSync('ed25519'));
const rsa = (bits: number) => exported(generateKeyPairSync('rsa', { modulusLength: bits }));
const { privateKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });

describe('readKeySet', () => {
  it('keeps the members that are used', async () => {
    const sent = { keys: [{ ...ec, kid: 'a', alg: 'ES256', use: 'sig', x5u: 'https://evil.example' }, ed] };

    const set = await readKeySet(sent);

    assert.deepEqual('jwks' in set && JSON.parse(set.jwks), { keys: [{ ...ec, kid: 'a' }, ed] });
  });

  const refused: Record<string, [unknown, RegExp]> = {
    'no set': ['x', /^must be a JWK Set with 1 to 10 keys$/],
    'an empty set': [{ keys: [] }, /1 to 10/],
    'eleven keys': [{ keys: Array.from({ length: 11 }, () => ed) }, /1 to 10/],
    'a private key': [{ keys: [ed, privateKey.export({ format: 'jwk' })] }, /public keys only/],
    'a shared secret': [{ keys: [{ kty: 'oct', k: 'AAAA' }] }, /public keys only/],
    'RSA of 1,024 bits': [{ keys: [rsa(1024)] }, /2,048/],
    'RSA with a long exponent': [{ keys: [{ ...rsa(2048), e: rsa(2048).n }] }, /RSA/],
    'another curve': [{ keys: [exported(generateKeyPairSync('ec', { namedCurve: 'P-384' }))] }, /ES256/],
    'a point beside the curve': [{ keys: [{ ...ec, y: ec.x }] }, /ES256/],
    'another algorithm': [{ keys: [{ ...rsa(2048), alg: 'RS256' }] }, /PS256/],
    'a key for encryption': [{ keys: [{ ...ec, use: 'enc' }] }, /signatures/],
    'a key that may only sign': [{ keys: [{ ...ec, key_ops: ['sign'] }] }, /signatures/],
    'a kid twice': [
      {
        keys: [
          { ...ec, kid: 'a' },
          { ...ed, kid: 'a' },
        ],
      },
      /different kid/,
    ],
    'members that are no text': [{ keys: [{ ...ec, x: 1 }] }, /ES256/],
  };
  for (const [name, [sent, problem]] of Object.entries(refused))
    it(`refuses ${name}`, async () => {
      const set = await readKeySet(sent);
      assert.match('problem' in set ? set.problem : '', problem);
    });

  it('leaves out keys for other purposes if they come from an address, but never a private one', async () => {
    const encryption = { ...ec, use: 'enc' };

    assert.deepEqual(await readKeySet({ keys: [encryption, ed] }, true), {
      jwks: JSON.stringify({ keys: [ed] }),
    });
    assert.ok('problem' in (await readKeySet({ keys: [encryption] }, true)));
    assert.ok('problem' in (await readKeySet({ keys: [ed, { ...ed, d: 'AAAA' }] }, true)));
  });
});
