/** Assertions, codes and proofs at an application with the profile `fapi2`, as the modules of docs/conformance-fapi2.md. */
import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { after, before, describe, it } from 'node:test';
import { exportJWK } from 'jose';
import { hashOfSecret } from '../../src/lib/sealing.ts';
import { deriveChallenge } from '../../src/oauth/pkce.ts';
import { beginFamily } from '../../src/store/oauth/token-family-store.ts';
import { type DpopKey, dpopKey, type ProofOf } from '../harness/dpop-key.ts';
import { ASSERTION_TYPE, newKey, setOf, signedWith } from './assertions.ts';
import { type OAuthServer, openOAuthServer, PUBLIC_URL, REDIRECT_URI } from './oauth-server.ts';

const ISSUER = `${PUBLIC_URL}/fapi2`;
const VERIFIER = 'v'.repeat(43);
const CHALLENGE = deriveChallenge(VERIFIER);

type Claims = Readonly<Record<string, unknown>>;
type Form = Readonly<Record<string, string>>;

describe('the profile fapi2', () => {
  const keys = { bank: newKey(), other: newKey() };
  const rsaKey = newKey('PS256');
  let server: OAuthServer;
  let key: DpopKey;
  let otherKey: DpopKey;
  before(async () => {
    [key, otherKey] = [await dpopKey(), await dpopKey()];
    server = await openOAuthServer('HS256', { strict: ['bank', 'other'] });
    const terms = { now: server.clock.now, by: undefined };
    for (const [clientId, own] of Object.entries(keys)) {
      const jwks = JSON.stringify(setOf(own, rsaKey));
      await server.stores.clients.updateClient(clientId, { keys: { jwks }, profile: 'fapi2' }, terms);
    }
  });
  after(() => server.close());

  const seconds = (ahead = 0) => Math.floor(server.clock.now / 1000) + ahead;
  function assertion(claims: Claims = {}, clientId = 'bank', signer = keys.bank): Form {
    const valid = { iss: clientId, sub: clientId, aud: ISSUER, exp: seconds(60), iat: seconds() };
    const header = { alg: signer.alg, kid: signer.kid };
    const text = signedWith(signer, header, { ...valid, jti: randomUUID(), ...claims });
    return { client_assertion: text, client_assertion_type: ASSERTION_TYPE };
  }
  const byOther = () => assertion({}, 'other', keys.other);
  const prove = (path: string, changed: Partial<ProofOf> = {}, by = key) =>
    by.prove({ method: 'POST', url: ISSUER + path, now: server.clock.now, ...changed });

  /** Returns `200`, `201` or the status with the error, and the members of the response. */
  async function post(path: string, form: Form, dpop?: string) {
    const answer = await server.app.inject({
      ...{ method: 'POST', url: `/fapi2${path}` },
      headers: { 'content-type': 'application/x-www-form-urlencoded', ...(dpop !== undefined && { dpop }) },
      payload: new URLSearchParams(form).toString(),
    });
    const body = answer.json<Record<string, string>>();
    const { error } = body;
    return { outcome: [answer.statusCode, error].filter(Boolean).join(' '), body };
  }
  const push = async (credentials: Form, changed: Partial<ProofOf> = {}, form: Form = {}) => {
    const request = { client_id: 'bank', redirect_uri: REDIRECT_URI, response_type: 'code' };
    const pkce = { code_challenge: CHALLENGE, code_challenge_method: 'S256' };
    const sent = { user_id: 'ada', ...request, ...pkce, ...credentials, ...form };
    return (await post('/par', sent, await prove('/par', changed))).outcome;
  };

  /** Writes an approval, whose code is bound to `dpopJkt` if it is given, and returns the form of its exchange. */
  async function approved(dpopJkt: string | null = null): Promise<Form> {
    const code = randomUUID();
    const userId = `user ${code}`;
    const { now } = server.clock;
    await server.stores.users.loadOrCreateUser('bank', userId, now);
    const owner = {
      clientId: 'bank',
      userId,
      scope: 'read',
      redirectUri: REDIRECT_URI,
      finishes: 0,
    } as const;
    const bound = { codeChallenge: CHALLENGE, codeHash: hashOfSecret(code), dpopJkt };
    await server.db.transaction((tx) => beginFamily(tx, { ...owner, ...bound }, now));
    const exchanged = { code, redirect_uri: REDIRECT_URI, code_verifier: VERIFIER };
    return { grant_type: 'authorization_code', ...exchanged };
  }
  const exchange = async (form: Form, credentials: Form = assertion(), by = key) =>
    post('/token', { ...form, ...credentials }, await prove('/token', {}, by));

  async function call(accessToken: string, changed: Partial<ProofOf> = {}, scheme = 'DPoP'): Promise<number> {
    const request = { method: 'GET', url: `${PUBLIC_URL}/protected`, now: server.clock.now, accessToken };
    const headers = {
      authorization: `${scheme} ${accessToken}`,
      dpop: await key.prove({ ...request, ...changed }),
    };
    return (await server.app.inject({ url: '/protected', headers })).statusCode;
  }

  it('par-test-array-as-audience-fails, par-test-par-endpoint-url-as-audience-fails, par-test-token-endpoint-url-as-audience-fails: only the issuer is accepted', async () => {
    for (const aud of [[ISSUER], [ISSUER, 'https://other.example'], `${ISSUER}/par`, `${ISSUER}/token`])
      assert.equal(await push(assertion({ aud })), '400 invalid_client', String(aud));
    assert.equal(await push(assertion()), '201');
  });

  it('par-ensure-jwt-client-assertions-nbf-8-seconds-in-the-future-is-accepted: with iat too', async () => {
    assert.equal(await push(assertion({ iat: seconds(8), nbf: seconds(8) })), '201');
  });

  it('par-ensure-jwt-client-assertions-nbf-over-60-seconds-in-the-future-fails: with iat and exp too', async () => {
    const shifted = { iat: seconds(62), nbf: seconds(62), exp: seconds(122) };
    assert.equal(await push(assertion(shifted)), '400 invalid_client');
  });

  it('ensure-signed-client-assertion-with-RS256-fails: the RSA key is registered', async () => {
    assert.equal(await push(assertion({}, 'bank', { ...rsaKey, alg: 'RS256' })), '400 invalid_client');
    assert.equal(await push(assertion({}, 'bank', rsaKey)), '201');
  });

  it('ensure-client-assertion-in-token-endpoint: a client id alone authenticates nobody', async () => {
    const form = await approved();
    assert.equal((await exchange(form, { client_id: 'bank' })).outcome, '400 invalid_client');
    assert.equal((await exchange(form)).outcome, '200');
  });

  it('ensure-client-assertion-with-exp-is-5-minutes-in-past-fails, ensure-client-assertion-with-wrong-aud-fails, ensure-client-assertion-with-no-sub-fails: the code is not spent', async () => {
    const form = await approved();
    for (const claims of [{ exp: seconds(-300) }, { aud: 'https://other.example' }, { sub: undefined }])
      assert.equal((await exchange(form, assertion(claims))).outcome, '400 invalid_client');
    assert.equal((await exchange(form)).outcome, '200');
  });

  it('ensure-client-id-in-token-endpoint: the id of another client is refused with this key', async () => {
    const form = await approved();
    const credentials = { client_id: 'other', ...assertion({}, 'other', keys.bank) };
    assert.equal((await exchange(form, credentials)).outcome, '400 invalid_client');
    const mixed = { client_id: 'other', ...assertion() };
    assert.equal((await exchange(form, mixed)).outcome, '400 invalid_client');
  });

  it('ensure-authorization-code-is-bound-to-client: another client of the issuer cannot use or spend it', async () => {
    const form = await approved();
    assert.equal((await exchange(form, byOther(), otherKey)).outcome, '400 invalid_grant');
    assert.equal((await exchange(form)).outcome, '200');
  });

  it('attempt-reuse-authorization-code-after-one-second: the second use ends the tokens of the first', async () => {
    const form = await approved();
    const { body } = await exchange(form);
    assert.equal(await call(body.access_token ?? ''), 200);
    server.clock.now += 1_000;

    assert.equal((await exchange(form)).outcome, '400 invalid_grant');
    assert.equal(await call(body.access_token ?? ''), 401);
  });

  it('ensure-token-endpoint-fails-with-expired-auth-code: a code works for 60 seconds', async () => {
    const form = await approved();
    server.clock.now += 62_000;
    assert.equal((await exchange(form)).outcome, '400 invalid_grant');
  });

  it('ensure-holder-of-key-required: a code needs a proof, and is not spent without', async () => {
    const form = await approved();
    assert.equal((await post('/token', { ...form, ...assertion() })).outcome, '400 invalid_dpop_proof');
    assert.equal((await exchange(form)).outcome, '200');
  });

  it('ensure-mismatched-dpop-jkt-fails: dpop_jkt is not the key of the proof', async () => {
    assert.equal(await push(assertion(), {}, { dpop_jkt: otherKey.jkt }), '400 invalid_dpop_proof');
    assert.equal(await push(assertion(), {}, { dpop_jkt: key.jkt }), '201');
  });

  it('ensure-dpopproof-with-iat-10seconds-before-succeeds, ensure-dpopproof-with-iat-10seconds-after-succeeds: at each endpoint', async () => {
    for (const by of [-10_000, 10_000]) {
      const shifted = { now: server.clock.now + by };
      assert.equal(await push(assertion(), shifted), '201');
      const form = { ...(await approved()), ...assertion() };
      const { outcome, body } = await post('/token', form, await prove('/token', shifted));
      assert.equal(outcome, '200');
      assert.equal(await call(body.access_token ?? '', shifted), 200);
    }
  });

  it('check-dpop-proof-nbf-exp: both are respected at each endpoint', async () => {
    const valid = { claims: { nbf: seconds(), exp: seconds(300) } };
    const expired = { claims: { exp: seconds(-1) } };
    assert.equal(await push(assertion(), expired), '400 invalid_dpop_proof');
    assert.equal(await push(assertion(), valid), '201');
    const form = await approved();
    const send = async (changed: Partial<ProofOf>) =>
      post('/token', { ...form, ...assertion() }, await prove('/token', changed));
    assert.equal((await send(expired)).outcome, '400 invalid_dpop_proof');
    const { outcome, body } = await send(valid);
    assert.equal(outcome, '200');
    assert.equal(await call(body.access_token ?? '', expired), 401);
    assert.equal(await call(body.access_token ?? '', valid), 200);
  });

  it('access-token-type-header-case-sensitivity: the scheme has no case', async () => {
    const { body } = await exchange(await approved());
    for (const scheme of ['dpOp', 'DPOP', 'dpop'])
      assert.equal(await call(body.access_token ?? '', {}, scheme), 200);
  });

  it('dpop-negative-tests: each wrong proof at a resource is refused, and each allowed difference is accepted', async () => {
    const { body } = await exchange(await approved());
    const accessToken = body.access_token ?? '';
    const url = `${PUBLIC_URL}/protected`;
    const request = { method: 'GET', url, now: server.clock.now, accessToken };
    const send = async (authorization: string, dpop?: string | string[]) => {
      const headers = { authorization, ...(dpop !== undefined && { dpop }) };
      return (await server.app.inject({ url: '/protected', headers })).statusCode;
    };
    const valid = () => key.prove(request);
    const [head = '', payload = '', signature = ''] = (await valid()).split('.');
    const encoded = (part: object) => Buffer.from(JSON.stringify(part)).toString('base64url');
    const headed = (header: Claims) => `${encoded({ typ: 'dpop+jwt', jwk: key.jwk, ...header })}.${payload}`;
    const rsaHeader = { typ: 'dpop+jwt', alg: 'RS256', jwk: rsaKey.publicJwk };
    const used = await valid();
    assert.equal(await send(`DPoP ${accessToken}`, used), 200);
    const hour = 3_600_000;
    const changed: readonly Partial<ProofOf>[] = [
      ...['typ', 'jwk'].map((name) => ({ header: { [name]: undefined } })),
      ...['jti', 'htm', 'htu', 'iat', 'ath'].map((name) => ({ claims: { [name]: undefined } })),
      ...[{ header: { typ: 'JWT' } }, { header: { jwk: await exportJWK(key.privateKey) } }],
      ...[{ method: 'POST' }, { url: `${PUBLIC_URL}/other` }, { accessToken: `${accessToken}x` }],
      ...[{ now: request.now - hour }, { now: request.now + hour }],
    ];
    const refused: Readonly<Record<string, string | undefined>> = {
      ...Object.fromEntries(
        await Promise.all(changed.map(async (one, i) => [i, await key.prove({ ...request, ...one })])),
      ),
      'no JWT': 'proof',
      'no alg': `${headed({})}.${signature}`,
      none: `${headed({ alg: 'none' })}.`,
      RS256: signedWith({ ...rsaKey, alg: 'RS256' }, rsaHeader, JSON.parse(atob(payload))),
      'wrong signature': `${head}.${payload}.${(await valid()).split('.')[2]}`,
      'another key': await otherKey.prove(request),
      'a used jti': used,
    };
    for (const [name, dpop] of Object.entries(refused))
      assert.equal(await send(`DPoP ${accessToken}`, dpop), 401, `${changed[Number(name)] ?? name}`);
    assert.equal(await send(`DPoP ${accessToken}`), 401);
    assert.equal(await send(`Bearer ${accessToken}`), 401);
    assert.equal(await send(`DPoP ${accessToken}`, [await valid(), await valid()]), 400);

    for (const one of [
      ...[{ url: `${url}?a=b` }, { url: `${url}#c` }, { url: 'https://KALENDS.example:443/protected' }],
      ...[{ claims: { unknown: 1 } }, { header: { unknown: 1 } }],
    ])
      assert.equal(await send(`DPOP ${accessToken}`, await key.prove({ ...request, ...one })), 200);
  });

  it('refresh-token: a refresh needs the assertion and a proof of its own application, and rotates nothing', async () => {
    const { body } = await exchange(await approved());
    const refreshToken = body.refresh_token ?? '';
    const form = { grant_type: 'refresh_token', refresh_token: refreshToken };
    const first = await exchange({ ...form, scope: 'read' });
    assert.deepEqual([first.outcome, first.body.refresh_token], ['200', refreshToken]);
    server.clock.now += 30_000;
    assert.equal((await exchange(form)).outcome, '200');

    assert.equal((await exchange(form, { client_id: 'bank' })).outcome, '400 invalid_client');
    assert.equal((await post('/token', { ...form, ...assertion() })).outcome, '400 invalid_dpop_proof');
    assert.equal((await exchange(form, byOther())).outcome, '400 invalid_grant');
    assert.equal((await exchange(form)).outcome, '200');
  });
});
