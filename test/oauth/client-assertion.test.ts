/** Client authentication by `private_key_jwt` (RFC 7523) at the token endpoint. */
import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { recordingLog } from '../servers/recording-log.ts';
import {
  ASSERTION_TYPE,
  assertionOf,
  claimsAt,
  newKey,
  postAssertion,
  setOf,
  signedWith,
  useKeys,
} from './assertions.ts';
import {
  exchange,
  ISSUER,
  type OAuthServer,
  openOAuthServer,
  postToken,
  SECRET,
  tokenPair,
} from './oauth-server.ts';

describe('private_key_jwt', () => {
  const { log, entries } = recordingLog();
  const key = newKey();
  const [rsa, edwards, formerly] = [newKey('PS256'), newKey('Ed25519'), newKey('EdDSA')];
  let server: OAuthServer;
  before(async () => {
    server = await openOAuthServer('HS256', { log });
    await useKeys(server, { jwks: JSON.stringify(setOf(key, rsa, edwards, formerly)) });
  });
  after(() => server.close());

  const assertion = (claims: object = {}) => assertionOf(key, server.clock.now, claims);
  const seconds = (offset: number) => Math.floor(server.clock.now / 1000) + offset;
  const refused = async (sent: string, form: Record<string, string> = {}) => {
    const answer = await postAssertion(server.app, sent, form);
    assert.deepEqual([answer.statusCode, answer.json().error], [400, 'invalid_client'], answer.body);
    assert.equal(answer.headers['www-authenticate'], undefined);
  };

  for (const [name, used] of Object.entries({ key, rsa, edwards, formerly }))
    it(`an assertion signed with ${used.alg} (${name}) authenticates, with and without kid`, async () => {
      const claims = () => claimsAt(server.clock.now);
      const named = await postAssertion(server.app, assertionOf(used, server.clock.now));
      const unnamed = await postAssertion(server.app, signedWith(used, { alg: used.alg }, claims()));

      assert.deepEqual([named.statusCode, unnamed.statusCode], [200, 200], named.body + unnamed.body);
    });

  it('the audience is the issuer as one string: endpoints and lists are refused', async () => {
    for (const aud of [
      `${ISSUER}/token`,
      [ISSUER],
      [ISSUER, 'https://other.example'],
      `${ISSUER}/`,
      undefined,
    ])
      await refused(assertion({ aud }));
  });

  it('exp is required, at most 10 minutes ahead, and not over; nbf and iat are at most 30 seconds ahead', async () => {
    for (const claims of [
      ...[{ exp: undefined }, { exp: seconds(0) }, { exp: seconds(601) }, { exp: String(seconds(60)) }],
      ...[{ nbf: seconds(31) }, { iat: seconds(31) }, { iat: 'now' }, { exp: Number.MAX_SAFE_INTEGER }],
    ])
      await refused(assertion(claims));

    for (const claims of [
      { exp: seconds(1) },
      { exp: seconds(600) },
      { nbf: seconds(30) },
      { iat: seconds(30) },
    ]) {
      const answer = await postAssertion(server.app, assertion(claims));
      assert.equal(answer.statusCode, 200, JSON.stringify(claims));
    }
  });

  it('iss, sub and client_id must name the application, and jti must be present', async () => {
    for (const claims of [
      { iss: 'other' },
      { sub: 'other' },
      { iss: undefined },
      { jti: undefined },
      { jti: '' },
    ])
      await refused(assertion(claims));
    await refused(assertion(), { client_id: 'other' });
    await refused(assertion({ iss: 'nobody', sub: 'nobody' }));
    assert.equal((await postAssertion(server.app, assertion(), { client_id: 'acme' })).statusCode, 200);
  });

  it('another algorithm, key or type of assertion is refused', async () => {
    const claims = claimsAt(server.clock.now);
    await refused(signedWith(newKey(), { alg: 'ES256', kid: key.kid }, claims));
    await refused(signedWith(key, { alg: 'HS256', kid: key.kid }, claims));
    await refused(signedWith(key, { alg: 'none' }, claims));
    await refused(signedWith(key, { alg: 'ES256', kid: key.kid, crit: ['b64'], b64: false }, claims));
    await refused('not.a.jwt');
    await refused(`${assertion()}${'x'.repeat(5000)}`);
    await refused(assertion(), {
      client_assertion_type: 'urn:ietf:params:oauth:client-assertion-type:saml2-bearer',
    });
  });

  it('an assertion and a secret in one request, or half an assertion, is invalid_request', async () => {
    const basic = { authorization: `Basic ${Buffer.from(`acme:${SECRET}`).toString('base64')}` };
    const sent = { client_assertion: assertion(), client_assertion_type: ASSERTION_TYPE };
    const answers = [
      await postAssertion(server.app, assertion(), { client_id: 'acme', client_secret: SECRET }),
      await postToken(server.app, { grant_type: 'client_credentials', ...sent }, basic),
      await postToken(server.app, { client_assertion: assertion() }, { authorization: '' }),
    ];

    for (const answer of answers)
      assert.deepEqual([answer.statusCode, answer.json().error], [400, 'invalid_request']);
  });

  it('the earlier secrets are refused, and an application with a secret cannot use an assertion', async () => {
    assert.equal((await exchange(server.app)).json().error, 'invalid_client');
    const { clients } = server.stores;
    const keys = { jwks: JSON.stringify(setOf(key)) };
    await clients.updateClient('other', { keys }, { now: server.clock.now, by: undefined });
    await refused(assertion({ iss: 'other', sub: 'other' }));
  });

  it('an assertion works once, also for another grant type', async () => {
    const sent = assertion();
    assert.equal((await postAssertion(server.app, sent)).statusCode, 200);
    await refused(sent);
    await refused(sent, { grant_type: 'refresh_token', refresh_token: 'x' });
  });

  it('a refused assertion counts as a wrong secret, and a correct one always passes', async () => {
    let answer = await postAssertion(server.app, assertion({ aud: 'x' }));
    for (let i = 0; i < 40 && answer.statusCode === 400; i += 1)
      answer = await postAssertion(server.app, assertion({ aud: 'x' }));

    assert.deepEqual([answer.statusCode, answer.json().error], [429, 'temporarily_unavailable']);
    assert.ok(Number(answer.headers['retry-after']) > 0);
    assert.equal((await postAssertion(server.app, assertion())).statusCode, 200);
    server.clock.now += 61_000;
  });

  it('no assertion is logged, and the log names the claim that was wrong', () => {
    const text = JSON.stringify(entries);
    assert.doesNotMatch(text, /eyJ/);
    assert.match(text, /"reason":"aud"/);
  });
});

it('an application without a grant of its own keeps its users’ tokens when it changes to keys', async () => {
  const server = await openOAuthServer();
  const key = newKey();
  const { refreshToken } = await tokenPair(server);

  await useKeys(server, { jwks: JSON.stringify(setOf(key)) });
  const form = { grant_type: 'refresh_token', refresh_token: refreshToken };
  const answer = await postAssertion(server.app, assertionOf(key, server.clock.now), form);

  await server.close();
  assert.equal(answer.statusCode, 200, answer.body);
});
