import assert from 'node:assert/strict';
import { generateKeyPairSync, type KeyObject, randomBytes } from 'node:crypto';
import { describe, it } from 'node:test';
import { DatabaseAwayError } from '../lib/database-away-error.ts';
import type { Egress } from '../lib/egress/egress.ts';
import { EgressError } from '../lib/egress/egress-error.ts';
import type { ReadKeys, StoredClientKeys } from './client-key-store.ts';
import { clientKeyReader, describeKeys, readKeySet } from './client-keys.ts';

const exported = ({ publicKey }: { readonly publicKey: KeyObject }) => publicKey.export({ format: 'jwk' });
const ec = exported(generateKeyPairSync('ec', { namedCurve: 'P-256' }));
const ed = exported(generateKeyPairSync('ed25519'));
const rsa = (bits: number) => exported(generateKeyPairSync('rsa', { modulusLength: bits }));
const { privateKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });

/** An RSA key with a random modulus of this length, which can be imported although nobody knows its factors. */
function rsaOf(bits: number, e = 'AQAB') {
  const modulus = randomBytes(Math.ceil(bits / 8));
  modulus[0] = 1 << ((bits - 1) % 8);
  modulus[modulus.length - 1] = 0xff;
  return { kty: 'RSA', n: modulus.toString('base64url'), e };
}

describe('readKeySet', () => {
  it('keeps the members that are used', async () => {
    const sent = { keys: [{ ...ec, kid: 'a', alg: 'ES256', use: 'sig', x5u: 'https://evil.example' }, ed] };

    const set = await readKeySet(sent);

    assert.deepEqual('jwks' in set && JSON.parse(set.jwks), { keys: [{ ...ec, kid: 'a' }, ed] });
  });

  const accepted: Record<string, readonly object[]> = {
    'ten keys without kid': Array.from({ length: 10 }, () => ed),
    'RSA of 2,048 bits': [rsaOf(2048)],
    'RSA of 8,192 bits': [rsaOf(8192)],
    'RSA with an exponent of four bytes': [rsaOf(2048, 'AQAAAQ')],
    'Ed25519 under both of its names': [
      { ...ed, alg: 'Ed25519' },
      { ...ed, alg: 'EdDSA' },
    ],
    'a key that may verify': [{ ...ec, key_ops: ['sign', 'verify'] }],
    'a kid of 300 characters': [{ ...ec, kid: 'k'.repeat(300) }],
  };
  for (const [name, keys] of Object.entries(accepted))
    it(`accepts ${name}`, async () => {
      const set = await readKeySet({ keys });
      assert.equal('jwks' in set && JSON.parse(set.jwks).keys.length, keys.length);
    });

  const refused: Record<string, [unknown, RegExp]> = {
    'a list': [[ed], /1 to 10/],
    'an entry that is no key': [{ keys: [ed, 1] }, /ES256/],
    'a key without kty': [{ keys: [{ ...ec, kty: undefined }] }, /ES256/],
    'RSA of 2,047 bits': [{ keys: [rsaOf(2047)] }, /2,048/],
    'RSA of 8,193 bits': [{ keys: [rsaOf(8193)] }, /8,192/],
    'RSA with an exponent of five bytes': [{ keys: [rsaOf(2048, 'AQAAAAE')] }, /RSA/],
    'operations that are no list': [{ keys: [{ ...ec, key_ops: 'verify' }] }, /signatures/],
    'a kid of 301 characters': [{ keys: [{ ...ec, kid: 'k'.repeat(301) }] }, /kid/],
    'a kid that is no text': [{ keys: [{ ...ec, kid: 1 }] }, /kid/],
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

it('describeKeys names the kid and the algorithm of each key', () => {
  const keys = [{ ...ec, kid: 'a' }, ed, { ...rsaOf(2048), kid: 'b' }, { kty: 'EC', crv: 'P-521', kid: 7 }];

  assert.deepEqual(describeKeys(JSON.stringify({ keys })), [
    { kid: 'a', algorithm: 'ES256' },
    { kid: undefined, algorithm: 'Ed25519' },
    { kid: 'b', algorithm: 'PS256' },
    { kid: '7', algorithm: 'EC' },
  ]);
});

describe('clientKeyReader', () => {
  const MINUTE = 60_000;
  const jwks = JSON.stringify({ keys: [{ ...ed, kid: 'a' }] });

  /** A reader of one application whose set is at an address that responds with `respond`. */
  function openReader(respond: () => { status?: number; body?: string; cacheControl?: string } = () => ({})) {
    const requests: Parameters<Egress['request']>[0][] = [];
    const saved: ReadKeys[] = [];
    const reasons: unknown[] = [];
    const state = {
      now: Date.UTC(2026, 10, 1),
      cached: undefined as ReadKeys | undefined,
      fixed: undefined as string | undefined,
      failure: undefined as Error | undefined,
    };
    const findKeys = async (): Promise<StoredClientKeys | undefined> =>
      state.fixed === undefined
        ? { jwksUri: 'https://app.example/jwks', isPublicOnly: true, cached: state.cached }
        : { jwks: state.fixed, jwksUri: undefined };
    const read = clientKeyReader({
      clientKeys: {
        findKeys,
        async saveReadKeys(_source, keys) {
          if (state.failure !== undefined) throw state.failure;
          saved.push(keys);
        },
      },
      egress: {
        async request(sent) {
          requests.push(sent);
          const { status = 200, body = jwks, cacheControl } = respond();
          const header = (name: string) => (name === 'cache-control' ? cacheControl : undefined);
          return { status, body: Buffer.from(body), header } as Awaited<ReturnType<Egress['request']>>; // the part that is read
        },
      },
      log: { warn: (fields) => void reasons.push('reason' in fields && fields.reason) },
      now: () => state.now,
    });
    return { read: (kid?: string) => read('acme', kid), requests, saved, reasons, state };
  }
  const cachedAt = (readAt: number, freshUntil: number): ReadKeys => ({ jwks, readAt, freshUntil });
  const UNAVAILABLE = { code: 'temporarily_unavailable', headers: { 'retry-after': '60' } };

  it('returns a stored set without a request', async () => {
    const { read, requests, state } = openReader();
    state.fixed = '{"keys":[]}';

    assert.equal(await read(), '{"keys":[]}');
    assert.deepEqual(requests, []);
  });

  it('requests a set within limits and follows no redirect', async () => {
    const { read, requests } = openReader();

    assert.equal(await read(), jwks);

    const [{ mayFollow, ...sent } = { mayFollow: undefined }, ...others] = requests;
    assert.deepEqual([mayFollow?.(new URL('https://app.example/')), others], [false, []]);
    assert.deepEqual(sent, {
      ...{ method: 'GET', url: 'https://app.example/jwks', publicOnly: true, clientId: 'acme' },
      headers: { accept: 'application/jwk-set+json, application/json' },
      ...{ timeoutMs: 5000, maxBytes: 100_000 },
    });
  });

  const lifetimes: readonly (readonly [string | undefined, number])[] = [
    [undefined, 300],
    ['no-store', 300],
    ['max-age=299', 300],
    ['public, Max-Age=301', 301],
    ['max-age=86399', 86_399],
    ['max-age=86401', 86_400],
  ];
  for (const [cacheControl, seconds] of lifetimes)
    it(`keeps a set with Cache-Control ${cacheControl} for ${seconds} seconds`, async () => {
      const { read, saved, state } = openReader(() => ({
        ...(cacheControl !== undefined && { cacheControl }),
      }));

      await read();

      assert.deepEqual(saved, [cachedAt(state.now, state.now + seconds * 1000)]);
    });

  it('uses a cached set while it is fresh, and reads it again from then on', async () => {
    const { read, requests, state } = openReader();
    state.cached = cachedAt(state.now, state.now + 10 * MINUTE);

    state.now += 10 * MINUTE - 1;
    await read();
    await read('a');
    assert.equal(requests.length, 0);
    state.now += 1;
    await read();
    assert.equal(requests.length, 1);
  });

  it('reads the set again for an unknown kid from a minute after it was read', async () => {
    const { read, requests, state } = openReader();
    state.cached = cachedAt(state.now, state.now + 10 * MINUTE);

    state.now += MINUTE - 1;
    await read('unknown');
    assert.equal(requests.length, 0);
    state.now += 1;
    await read('unknown');
    assert.equal(requests.length, 1);
  });

  it('requests a failing address once a minute and uses the cached set for less than 24 hours', async () => {
    const { read, requests, reasons, state } = openReader(() => ({ status: 404 }));
    const readAt = state.now;
    state.cached = cachedAt(readAt, readAt);

    assert.equal(await read(), jwks);
    state.now += MINUTE - 1;
    assert.equal(await read(), jwks);
    assert.equal(requests.length, 1);
    state.now += 1;
    assert.equal(await read(), jwks);
    assert.deepEqual([requests.length, reasons], [2, ['status 404', 'status 404']]);
    state.now = readAt + 24 * 60 * MINUTE - 1;
    assert.equal(await read(), jwks);
    state.now += 1;
    await assert.rejects(read(), UNAVAILABLE);
  });

  it('logs an error of the address, and throws others to the callers that wait for it only', async () => {
    let failure: Error = new EgressError('timeout', 'app.example did not respond in time');
    const { read, requests, reasons, state } = openReader(() => {
      throw failure;
    });
    await assert.rejects(read(), UNAVAILABLE);
    assert.deepEqual(reasons, ['app.example did not respond in time']);

    failure = new TypeError('a mistake');
    state.now += MINUTE;
    await assert.rejects(read(), failure);
    await assert.rejects(read(), failure);
    assert.deepEqual([requests.length, reasons.length], [3, 1]);
  });

  it('reads the set again after it could not be saved', async () => {
    const { read, requests, state } = openReader();
    state.failure = new Error('no database');
    await assert.rejects(read(), state.failure);
    state.failure = undefined;

    assert.equal(await read(), jwks);
    assert.equal(requests.length, 2);
  });

  it('logs a set that is not valid with its problem', async () => {
    const { read, reasons } = openReader(() => ({ body: '{"keys":[]}' }));

    await assert.rejects(read(), UNAVAILABLE);
    assert.deepEqual(reasons, ['it must be a JWK Set with 1 to 10 keys']);
  });
});

describe('clientKeyReader on a database that takes no writes', () => {
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
