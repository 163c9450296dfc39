import assert from 'node:assert/strict';
import { generateKeyPairSync, type KeyObject } from 'node:crypto';
import { describe, it } from 'node:test';
import { DatabaseAwayError } from '../lib/database-away-error.ts';
import { clientKeyReader, readKeySet } from './client-keys.ts';

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

describe('clientKeyReader', () => {
  const jwks = JSON.stringify({ keys: [{ ...ec, kid: 'a' }] });

  /** Returns a reader whose database fails with `failure` when a set is saved, with the times of its requests. */
  function readerWith(failure: Error) {
    const clock = { now: 1_000_000 };
    const requests: number[] = [];
    const stored = { jwksUri: 'https://app.example/jwks', isPublicOnly: true, cached: undefined };
    const saveReadKeys = () => Promise.reject(failure);
    const read = clientKeyReader({
      clientKeys: { findKeys: async () => stored, saveReadKeys },
      egress: {
        async request() {
          requests.push(clock.now);
          return {
            status: 200,
            body: Buffer.from(jwks),
            url: new URL(stored.jwksUri),
            header: () => undefined,
          };
        },
      },
      log: { warn() {} },
      now: () => clock.now,
    });
    return { read, clock, requests };
  }

  const readOnly = {
    SQLite: Object.assign(new Error('attempt to write a readonly database'), { errcode: 8 }),
    PostgreSQL: new DatabaseAwayError(Object.assign(new Error('read-only transaction'), { code: '25006' })),
  };
  for (const [database, failure] of Object.entries(readOnly))
    it(`reads a set once a minute while ${database} takes no writes, also for an unknown kid`, async () => {
      const { read, clock, requests } = readerWith(failure);

      const sets = [await read('acme', 'a'), await read('acme', 'unknown'), await read('acme', undefined)];
      clock.now += 60_000;
      await read('acme', 'unknown');

      assert.deepEqual(
        sets.map((set) => JSON.parse(set ?? '')),
        Array(3).fill(JSON.parse(jwks)),
      );
      assert.deepEqual(requests, [1_000_000, 1_060_000]);
    });

  it('rejects for another failure of the database, and reads the set again', async () => {
    const { read, requests } = readerWith(new Error('broken'));

    await assert.rejects(read('acme', 'a'), /broken/);
    await assert.rejects(read('acme', 'a'), /broken/);

    assert.equal(requests.length, 2);
  });
});
