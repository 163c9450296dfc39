import assert from 'node:assert/strict';
import { before, describe, it } from 'node:test';
import { exportJWK } from 'jose';
import { type DpopKey, dpopKey } from '../../test/harness/dpop-key.ts';
import { DPOP_ALGORITHMS } from '../http/dpop-error.ts';
import { type ProvenRequest, readProof } from './dpop-proof.ts';

const URL_OF_REQUEST = 'https://kalends.example/events';
const NOW = Date.UTC(2026, 10, 1);
const TOKEN = 'an-access-token';

const valid = { method: 'GET', url: URL_OF_REQUEST, now: NOW, accessToken: TOKEN };
const request = ({ jkt }: DpopKey): ProvenRequest => ({
  method: 'GET',
  isUrl: ({ origin, pathname, username }) => username === '' && origin + pathname === URL_OF_REQUEST,
  now: NOW,
  token: { text: TOKEN, jkt },
});
const read = (key: DpopKey, proof: string) => readProof(proof, request(key));

describe('a DPoP proof', () => {
  const keys: DpopKey[] = [];
  let key: DpopKey;
  before(async () => {
    keys.push(...(await Promise.all(DPOP_ALGORITHMS.map((alg) => dpopKey(alg)))));
    [key = await dpopKey()] = keys;
  });

  it('proves the key of each algorithm', async () => {
    for (const ownKey of keys) {
      const proof = await read(ownKey, await ownKey.prove(valid));

      assert.ok('jkt' in proof, JSON.stringify(proof));
      assert.equal(proof.jkt, ownKey.jkt);
    }
  });

  it('has one id for one jti and key', async () => {
    const other = await dpopKey();
    const proofs = [await key.prove({ ...valid, claims: { jti: 'a' } }), await key.prove(valid)];
    proofs.push(await key.prove({ ...valid, claims: { jti: 'a', nonce: 'n' } }));
    const ids = await Promise.all(proofs.map(async (proof) => idOf(await read(key, proof))));
    ids.push(idOf(await read(other, await other.prove({ ...valid, claims: { jti: 'a' } }))));

    assert.equal(ids[0], ids[2]);
    assert.equal(new Set(ids).size, 3);
  });

  const accepted: Record<string, Readonly<Record<string, unknown>>> = {
    'the oldest iat': { iat: NOW / 1000 - 60 },
    'the latest iat': { iat: NOW / 1000 + 30 },
    'the latest start': { nbf: NOW / 1000 + 30 },
    'an expiry in the next second': { exp: NOW / 1000 + 1 },
    'a jti of 128 characters': { jti: 'j'.repeat(128) },
    'another case of the host': { htu: 'https://KALENDS.example/events?a=1#b' },
  };
  for (const [name, claims] of Object.entries(accepted))
    it(`with ${name} is accepted`, async () => {
      const proof = await read(key, await key.prove({ ...valid, claims }));

      assert.ok('jkt' in proof, JSON.stringify(proof));
      assert.equal(proof.nonce, undefined);
    });

  it('has a nonce if that is text, and at most 4,096 characters', async () => {
    const nonceOf = async (nonce: unknown) => {
      const proof = await read(key, await key.prove({ ...valid, claims: { nonce } }));
      return 'nonce' in proof ? proof.nonce : proof.problem;
    };
    const filled = async (length: number) => {
      const proof = await key.prove(valid);
      return read(key, `${proof}${'A'.repeat(length - proof.length)}`);
    };

    assert.deepEqual([await nonceOf('n'), await nonceOf(7)], ['n', undefined]);
    assert.deepEqual(await filled(4096), { problem: 'The signature of the DPoP proof is invalid' });
    assert.deepEqual(await filled(4097), { problem: 'The DPoP header is longer than 4 kB' });
  });

  it('is for any token at the token endpoint, and states the kind of its problem', async () => {
    const proof = await key.prove({ ...valid, accessToken: 'another' });
    assert.ok('jkt' in (await readProof(proof, { ...request(key), token: undefined })));

    assert.deepEqual(await read(key, `${proof}, ${proof}`), {
      ...{ problem: 'There is more than one DPoP header', isRequest: true },
    });
    assert.deepEqual(await read(await dpopKey(), proof), {
      ...{ problem: 'The DPoP proof is of another key than the access token', isOtherKey: true },
    });
  });

  const cases: Record<string, [Promise<string> | (() => Promise<string> | string), RegExp]> = {
    'two headers': [async () => `${await key.prove(valid)}, ${await key.prove(valid)}`, /more than one DPoP/],
    'no JWT': [() => 'abc', /not a signed JWT/],
    'more than 4 kB': [() => key.prove({ ...valid, claims: { more: 'x'.repeat(4000) } }), /4 kB/],
    'another type': [() => key.prove({ ...valid, header: { typ: 'jwt' } }), /typ/],
    'no key': [() => key.prove({ ...valid, header: { jwk: undefined } }), /jwk is missing/],
    'a private key': [
      async () => key.prove({ ...valid, header: { jwk: await exportJWK(key.privateKey) } }),
      /jwk is not a public key/,
    ],
    'an extension that must be understood': [
      () => key.prove({ ...valid, header: { crit: ['unknown'], unknown: 1 } }),
      /signature/,
    ],
    'a start that is no number': [() => key.prove({ ...valid, claims: { nbf: 'now' } }), /nbf/],
    'a jti of 129 characters': [() => key.prove({ ...valid, claims: { jti: 'j'.repeat(129) } }), /jti/],
    'an iat that is no number': [() => key.prove({ ...valid, claims: { iat: 'now' } }), /iat is missing/],
    'no jti': [() => key.prove({ ...valid, claims: { jti: undefined } }), /jti/],
    'another method': [() => key.prove({ ...valid, claims: { htm: 'POST' } }), /htm/],
    'another URL': [() => key.prove({ ...valid, claims: { htu: 'https://kalends.example/' } }), /htu/],
    'an old iat': [() => key.prove({ ...valid, now: NOW - 61_000 }), /iat is more than 60/],
    'an iat ahead': [() => key.prove({ ...valid, now: NOW + 31_000 }), /iat is more than 30/],
    'an expiry that has passed': [() => key.prove({ ...valid, claims: { exp: NOW / 1000 } }), /exp/],
    'a later start': [() => key.prove({ ...valid, claims: { nbf: NOW / 1000 + 31 } }), /nbf/],
    'another token': [() => key.prove({ ...valid, accessToken: 'another' }), /ath/],
    'another key': [async () => (await dpopKey()).prove(valid), /another key/],
  };
  for (const [name, [make, problem]] of Object.entries(cases))
    it(`with ${name} is refused by name`, async () => {
      const proof = await read(key, await (typeof make === 'function' ? make() : make));

      assert.ok('problem' in proof);
      assert.match(proof.problem, problem);
    });

  it('of an RSA key with 1,024 bits or a key of another curve is refused', async () => {
    const [small, otherCurve] = [await dpopKey('PS256', 2048), await dpopKey('ES384')];
    const jwk = { ...small.jwk, n: small.jwk.n?.slice(0, 171) };
    const proofs = [
      await small.prove({ ...valid, header: { jwk } }),
      await key.prove({ ...valid, header: { jwk: otherCurve.jwk } }),
      await small.prove({ ...valid, header: { jwk: { ...small.jwk, e: small.jwk.n } } }),
    ];
    for (const proof of proofs) {
      const result = await readProof(proof, { ...request(key), token: undefined });

      assert.match('problem' in result ? result.problem : '', /jwk/);
    }
  });

  it('of an RSA key is verified with 2,048 bits and an exponent of at most four bytes', async () => {
    const small = await dpopKey('PS256', 2048);
    const problem = async (change: object) => {
      const proof = await small.prove({ ...valid, header: { jwk: { ...small.jwk, ...change } } });
      const result = await readProof(proof, { ...request(key), token: undefined });
      return 'problem' in result ? result.problem : undefined;
    };
    const modulus = Buffer.from(small.jwk.n ?? '', 'base64url');
    const shorter = Buffer.from(modulus);
    shorter[0] = 0x40;

    assert.equal(await problem({}), undefined);
    assert.match((await problem({ e: 'AQAAAQ' })) ?? '', /signature/);
    assert.match((await problem({ e: 'AQAAAAE' })) ?? '', /unusual exponent/);
    assert.match((await problem({ n: shorter.toString('base64url') })) ?? '', /fewer than 2048 bits/);
  });

  it('with another algorithm is refused by the names of those that are accepted', async () => {
    const [head = '', ...rest] = (await key.prove(valid)).split('.');
    for (const alg of ['none', 'RS256', 7]) {
      const changed = { ...JSON.parse(Buffer.from(head, 'base64url').toString()), alg };
      const header = Buffer.from(JSON.stringify(changed)).toString('base64url');

      assert.deepEqual(await read(key, [header, ...rest].join('.')), {
        problem: 'DPoP proof: alg is not one of ES256, PS256, Ed25519, EdDSA',
      });
    }
  });

  it('mutated in one place is accepted exactly if the mutation is allowed', async () => {
    const random = randomNumbers(7);
    const outcomes = { allowed: 0, refused: 0 };
    for (let count = 0; count < 2_000; count += 1) {
      const ownKey = keys[count % keys.length] ?? key;
      const mutate = MUTATIONS[Math.floor(count / keys.length) % MUTATIONS.length];
      assert.ok(mutate);
      const { proof, isAllowed, name } = await mutate(ownKey, random);
      const result = await read(ownKey, proof);

      assert.equal('jkt' in result, isAllowed, `${name} ${ownKey.alg} ${JSON.stringify(result)} ${proof}`);
      outcomes[isAllowed ? 'allowed' : 'refused'] += 1;
    }
    assert.ok(outcomes.allowed > 400 && outcomes.refused > 800, JSON.stringify(outcomes));
  });
});

const idOf = (proof: Awaited<ReturnType<typeof readProof>>) => ('id' in proof ? proof.id : proof.problem);

type Random = (below: number) => number;
type Mutated = { readonly proof: string; readonly isAllowed: boolean; readonly name: string };
type Mutation = (key: DpopKey, random: Random) => Promise<Mutated>;

const pick = <T>(all: readonly [T, ...T[]], random: Random): T => all[random(all.length)] ?? all[0];

const claim =
  (name: string, choose: (random: Random) => readonly [value: unknown, isAllowed: boolean]): Mutation =>
  async (key, random) => {
    const [value, isAllowed] = choose(random);
    const proof = await key.prove({ ...valid, claims: { [name]: value } });
    return { proof, isAllowed, name: `${name}=${JSON.stringify(value)}` };
  };
const header =
  (
    name: string,
    choose: (random: Random, key: DpopKey) => readonly [value: unknown, isAllowed: boolean],
  ): Mutation =>
  async (key, random) => {
    const [value, isAllowed] = choose(random, key);
    const proof = await key.prove({ ...valid, header: { [name]: value } });
    return { proof, isAllowed, name: `${name}=${JSON.stringify(value)}` };
  };
const shifted = (least: number, most: number) => (random: Random) => {
  const by = random(241) - 120;
  return [NOW / 1000 + by, by >= least && by <= most] as const;
};
const WRONG = [undefined, null, '', 7, {}, ['a'], true] as const;

/** Each changes a valid proof in one place, and knows whether the design allows the change. */
const MUTATIONS: readonly Mutation[] = [
  claim('iat', shifted(-60, 30)),
  claim('exp', shifted(1, 120)),
  claim('nbf', shifted(-120, 30)),
  claim('jti', (random) => {
    const length = random(200);
    return ['j'.repeat(length), length > 0 && length <= 128];
  }),
  claim('jti', (random) => [pick(WRONG, random), false]),
  claim('iat', (random) => [pick([undefined, null, '', {}, '1793491200'], random), false]),
  claim('exp', (random) => [pick([null, '', {}, '9793491200'], random), false]),
  claim('ath', (random) => [pick(WRONG, random), false]),
  claim('htm', (random) => [pick(['get', 'POST', 'HEAD', '', undefined, 7], random), false]),
  claim('htu', (random) => [
    pick(
      [
        'HTTPS://kalends.example/events',
        'https://KALENDS.Example/events',
        'https://kalends.example:443/events',
        'https://kalends.example/events?start=1',
        'https://kalends.example/events#top',
      ],
      random,
    ),
    true,
  ]),
  claim('htu', (random) => [
    pick(
      [
        'http://kalends.example/events',
        'https://kalends.example:8443/events',
        'https://kalends.example/events/',
        'https://kalends.example/Events',
        'https://kalends.example.evil/events',
        'https://kalends.example@evil/events',
        'https://user@kalends.example/events',
        '/events',
        undefined,
        7,
      ],
      random,
    ),
    false,
  ]),
  claim('unknown', (random) => [pick(WRONG, random), true]),
  claim('nonce', (random) => [pick(WRONG, random), true]),
  header('kid', () => ['a', true]),
  header('unknown', (random) => [pick(WRONG, random), true]),
  header('typ', (random) => [pick(['JWT', 'dpop', 'application/dpop+jwt', 'DPoP+JWT', ''], random), false]),
  async (key) => {
    const proof = await key.prove({ ...valid, header: { crit: ['unknown'], unknown: 1 } });
    return { proof, isAllowed: false, name: 'crit' };
  },
  header('jwk', (random) => [pick([undefined, null, 'key', [], {}], random), false]),
  header('jwk', (random, { jwk }) => [{ ...jwk, [pick(['kid', 'unknown'], random)]: 'a' }, true]),
  header('jwk', (random, { jwk }) => [{ ...jwk, [pick(['d', 'k', 'p', 'priv'], random)]: 'AQAB' }, false]),
  header('jwk', (random, { jwk }) => [{ ...jwk, kty: pick(['oct', 'ec', '', 'AKP'], random) }, false]),
  async (key) => {
    const other = await dpopKey(key.alg);
    return { proof: await other.prove(valid), isAllowed: false, name: 'another key' };
  },
  async (key) => {
    const other = await dpopKey(key.alg);
    const proof = await other.prove({ ...valid, header: { jwk: key.jwk } });
    return { proof, isAllowed: false, name: 'signed by another key' };
  },
  async (key, random) => {
    const [head = '', payload = '', signature = ''] = (await key.prove(valid)).split('.');
    const alg = pick(['none', 'HS256', 'RS256', 'ES384', ''], random);
    const changed = JSON.stringify({ ...JSON.parse(Buffer.from(head, 'base64url').toString()), alg });
    const proof = `${Buffer.from(changed).toString('base64url')}.${payload}.${signature}`;
    return { proof, isAllowed: false, name: `alg=${alg}` };
  },
  async (key, random) => {
    const proof = await key.prove(valid);
    const at = random(proof.length);
    const other = pick(['A', 'z', '0', '-', '.', ',', '='], random);
    const changed = proof.slice(0, at) + other + proof.slice(at + 1);
    // The last character of a part has bits without meaning.
    const isAllowed = meaningOf(changed) === meaningOf(proof);
    return { proof: changed, isAllowed, name: `character ${at}` };
  },
];

const meaningOf = (proof: string): string => {
  const parts = proof.split('.');
  if (parts.some((part) => !/^[\w-]+$/.test(part))) return proof;
  return parts
    .map((part, index) => (index === 2 ? Buffer.from(part, 'base64url').toString('hex') : part))
    .join('.');
};

/** Returns pseudo-random whole numbers below a limit, the same for each seed. */
function randomNumbers(seed: number): Random {
  let state = seed;
  return (below) => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return Math.floor((state / 2 ** 32) * below);
  };
}
