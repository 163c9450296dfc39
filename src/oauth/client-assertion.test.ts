import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { assertionOf, claimsAt, newKey, setOf, signedWith } from '../../test/oauth/assertions.ts';
import { PUBLIC_URL } from '../../test/oauth/oauth-server.ts';
import { clientAssertions } from './client-assertion.ts';

const NOW = Date.UTC(2026, 10, 1);
const SECONDS = NOW / 1000;
const [key, second, stranger] = [newKey(), newKey(), newKey()];
const CLIENT = { clientId: 'acme', profile: 'default' } as const;

/** The checks of assertions for an application with these keys, and the ids that they used. */
function openAssertions({ jwks = JSON.stringify(setOf(key, second)), now = NOW, isNew = true } = {}) {
  const used: (readonly [id: string, until: number])[] = [];
  const assertions = clientAssertions({
    clientKeys: {
      findKeys: async () => (jwks === '' ? undefined : { jwks, jwksUri: undefined }),
      saveReadKeys: async () => {},
    },
    egress: { request: () => Promise.reject(new Error('No request is needed')) },
    log: { warn: () => {} },
    usedJtis: {
      use: async (id, until) => {
        used.push([id, until]);
        return isNew;
      },
    },
    publicUrl: PUBLIC_URL,
    now: () => now,
  });
  return { assertions, used, check: (sent: string) => assertions.findProblem(CLIENT, sent) };
}
const assertion = (claims: object = {}) => assertionOf(key, NOW, claims);

describe('an assertion', () => {
  const valid: Record<string, object> = {
    'the latest expiry': { exp: SECONDS + 600 },
    'the earliest expiry': { exp: SECONDS + 1 },
    'a start 30 seconds ahead': { nbf: SECONDS + 30 },
    'a creation 30 seconds ahead': { iat: SECONDS + 30 },
    'no creation and no start': { iat: undefined, nbf: undefined },
    'an old creation': { iat: SECONDS - 86_400 },
  };
  for (const [name, claims] of Object.entries(valid))
    it(`with ${name} is accepted`, async () =>
      assert.equal(await openAssertions().check(assertion(claims)), undefined));

  const wrong: readonly (readonly [string, object])[] = [
    ['iss', { iss: 'other' }],
    ['sub', { sub: 'other' }],
    ['aud', { aud: [PUBLIC_URL] }],
    ['aud', { aud: `${PUBLIC_URL}/fapi2` }],
    ['exp', { exp: SECONDS }],
    ['exp', { exp: SECONDS + 601 }],
    ['exp', { exp: undefined }],
    ['nbf', { nbf: SECONDS + 31 }],
    ['nbf', { nbf: 'now' }],
    ['iat', { iat: SECONDS + 31 }],
    ['jti', { jti: '' }],
    ['jti', { jti: 7 }],
    ['jti', { jti: undefined }],
  ];
  for (const [problem, claims] of wrong)
    it(`with ${JSON.stringify(claims)} is refused for ${problem}`, async () => {
      const { check, used } = openAssertions();

      assert.equal(await check(assertion(claims)), problem);
      assert.deepEqual(used, []);
    });

  it('counts whole seconds: it expires with the second, not within it', async () => {
    const sent = assertion({ exp: SECONDS + 1 });

    assert.equal(await openAssertions({ now: NOW + 999 }).check(sent), undefined);
    assert.equal(await openAssertions({ now: NOW + 1000 }).check(sent), 'exp');
  });

  it('for an application with the profile fapi2 has its issuer as the audience', async () => {
    const { assertions } = openAssertions();
    const sent = assertion({ aud: `${PUBLIC_URL}/fapi2` });

    assert.equal(await assertions.findProblem({ ...CLIENT, profile: 'fapi2' }, sent), undefined);
  });

  it('without kid is verified with each suitable key', async () => {
    const unnamed = (signer: typeof key) => signedWith(signer, { alg: 'ES256' }, claimsAt(NOW));
    const { check } = openAssertions();

    assert.equal(await check(unnamed(key)), undefined);
    assert.equal(await check(unnamed(second)), undefined);
    assert.equal(await check(unnamed(stranger)), 'signature');
  });

  it('with the kid of another key is refused', async () => {
    const sent = signedWith(key, { alg: 'ES256', kid: second.kid }, claimsAt(NOW));

    assert.equal(await openAssertions().check(sent), 'signature');
  });

  it('is malformed if it is no JWT or longer than 4,096 characters', async () => {
    const { check } = openAssertions();
    const filled = (length: number) => {
      const sent = assertion();
      return `${sent}${'A'.repeat(length - sent.length)}`;
    };

    assert.equal(await check('a.b'), 'malformed');
    assert.equal(await check(filled(4097)), 'malformed');
    assert.equal(await check(filled(4096)), 'signature');
  });

  it('is refused if the application has no keys', async () =>
    assert.equal(await openAssertions({ jwks: '' }).check(assertion()), 'no keys'));

  it('fails with an internal error if a stored key cannot be used', async () => {
    const unusable = { kty: 'EC', crv: 'P-256', x: 'AA', y: 'AA', kid: key.kid };
    const { check, used } = openAssertions({ jwks: JSON.stringify({ keys: [unusable] }) });

    await assert.rejects(check(assertion()));
    assert.deepEqual(used, []);
  });

  it('is used until a minute after it expired, and refused if it was used', async () => {
    const { check, used } = openAssertions({ isNew: false });
    const claims = { exp: SECONDS + 60.5, jti: 'a' };

    assert.equal(await check(assertion(claims)), 'jti was used');
    assert.equal(await check(assertion({ ...claims, iat: SECONDS - 1 })), 'jti was used');
    assert.equal(await check(assertion({ ...claims, jti: 'b' })), 'jti was used');
    const [first, again, other] = used;
    assert.deepEqual(first, again);
    assert.equal(first?.[1], NOW + 60_500 + 60_000);
    assert.notEqual(other?.[0], first?.[0]);
  });
});

describe('the claimed application of an assertion', () => {
  it('is its subject if that is text', async () => {
    const { assertions } = openAssertions();

    assert.equal(await assertions.claimedClientId(assertion({ iss: 'other', sub: 'acme' })), 'acme');
    for (const sent of [assertion({ sub: undefined }), assertion({ sub: 7 }), 'x'])
      assert.equal(await assertions.claimedClientId(sent), undefined);
  });
});
