/** Responses of POST /token: docs/wire.md O4.2, O4.3, O5, O7 and 3.1. */
import assert from 'node:assert/strict';
import { hash, randomBytes } from 'node:crypto';
import { afterEach, beforeEach, describe, it } from 'node:test';

import { decodeJwt, decodeProtectedHeader } from 'jose';

import {
  approve,
  exchange,
  type OAuthServer,
  openOAuthServer,
  postToken,
  REDIRECT_URI,
  refresh,
  SECRET,
  tokenPair,
} from './oauth-server.ts';

let server: OAuthServer;
beforeEach(async () => {
  server = await openOAuthServer();
});
afterEach(() => server.close());

const basic = (text: string) => ({ authorization: `Basic ${Buffer.from(text).toString('base64')}` });

describe('authorization code grant', () => {
  it('the code grant answers the token response of docs/wire.md O2.6', async () => {
    await approve(server);

    const answer = await exchange(server.app);

    assert.equal(answer.statusCode, 200);
    assert.equal(answer.headers['cache-control'], 'no-store');
    assert.deepEqual(Object.keys(answer.json()), [
      'access_token',
      'token_type',
      'expires_in',
      'refresh_token',
    ]);
    assert.equal(answer.json().token_type, 'Bearer');
    assert.equal(answer.json().expires_in, 3600);
  });

  it('the code grant signs an access token with the claims of docs/wire.md O2.4 and the scope', async () => {
    const { accessToken } = await tokenPair(server);

    const { family, jti, ...claims } = decodeJwt(accessToken);

    const iat = server.clock.now / 1000;
    assert.deepEqual(claims, {
      sub: 'ada',
      aud: 'acme',
      client_id: 'acme',
      projectId: 'acme',
      iat,
      exp: iat + 3600,
      scope: 'read',
    });
    assert.match(`${family} ${jti}`, /^[\da-f]{12} [\da-f-]{36}$/);
    assert.equal(decodeProtectedHeader(accessToken).typ, 'at+jwt');
  });

  it('the code grant signs a refresh token with the claims of docs/wire.md O2.5 and no exp', async () => {
    const { refreshToken } = await tokenPair(server);

    const { family, jti, ...claims } = decodeJwt(refreshToken);

    const iat = server.clock.now / 1000;
    assert.deepEqual(claims, { sub: 'ada', aud: 'acme', projectId: 'acme', type: 'refresh', iat });
    assert.match(String(jti), /^[\da-f]{8}-[\da-f]{4}-8[\da-f]{3}-[89ab][\da-f]{3}-[\da-f]{12}$/);
    assert.ok(family);
  });

  it('the code grant takes the user id as code whatever characters it has', async () => {
    const userId = 'Ünï cödé+&%/😀 "quoted"';
    await approve(server, { userId });

    const answer = await exchange(server.app, { code: userId });

    assert.equal(decodeJwt(answer.json().access_token).sub, userId);
  });

  it('the code grant spends a code once', async () => {
    await tokenPair(server);

    const again = await exchange(server.app);

    assert.deepEqual(again.json(), refusal('invalid_grant', 'Invalid authorization code'));
    assert.equal(again.statusCode, 400);
  });

  it('the code grant gives exactly one of ten concurrent exchanges the tokens', async () => {
    await approve(server);

    const answers = await Promise.all(Array.from({ length: 10 }, () => exchange(server.app)));

    assert.deepEqual(answers.map(({ statusCode }) => statusCode).sort(), [200, ...Array(9).fill(400)]);
  });

  it('the code grant refuses a code older than ten minutes, and takes one of exactly ten', async () => {
    await approve(server);
    server.clock.now += 600_001;
    const late = await exchange(server.app);
    server.clock.now -= 1;
    const inTime = await exchange(server.app);

    assert.deepEqual(late.json(), refusal('invalid_grant', 'Authorization code expired'));
    assert.equal(inTime.statusCode, 200);
  });

  it('the code grant refuses a code of another application without spending it', async () => {
    await approve(server);

    const foreign = await exchange(server.app, { client_id: 'other' });

    assert.deepEqual(foreign.json(), refusal('invalid_grant', 'Client mismatch'));
    assert.equal((await exchange(server.app)).statusCode, 200);
  });

  for (const other of [
    `${REDIRECT_URI}/`,
    `${REDIRECT_URI}?a=1`,
    REDIRECT_URI.toUpperCase(),
    'https://evil.example',
  ]) {
    it(`the code grant refuses the redirect URI ${other} without spending the code`, async () => {
      await approve(server);

      const answer = await exchange(server.app, { redirect_uri: other });

      assert.deepEqual(answer.json(), refusal('invalid_grant', 'Redirect URI mismatch'));
      assert.equal((await exchange(server.app)).statusCode, 200);
    });
  }

  it('the code grant keeps codes of one user id at two applications apart', async () => {
    await approve(server);
    await approve(server, { clientId: 'other' });

    assert.equal((await exchange(server.app)).statusCode, 200);
    assert.equal((await exchange(server.app, { client_id: 'other' })).statusCode, 200);
  });

  it('the code grant says session_expired for a request that was withdrawn, for its ten minutes', async () => {
    await approve(server, { withdrawnAt: server.clock.now });

    const answer = await exchange(server.app);
    server.clock.now += 600_001;
    const later = await exchange(server.app);

    assert.equal(answer.statusCode, 400);
    assert.equal(answer.json().error, 'session_expired');
    assert.deepEqual(later.json(), refusal('invalid_grant', 'Authorization code expired'));
  });
});

describe('PKCE (RFC 7636)', () => {
  const codeVerifier = randomBytes(32).toString('base64url');
  const codeChallenge = hash('sha256', codeVerifier, 'base64url');

  it('PKCE takes the verifier of the challenge', async () => {
    await approve(server, { codeChallenge });

    assert.equal((await exchange(server.app, { code_verifier: codeVerifier })).statusCode, 200);
  });

  for (const [name, form] of [
    ['no verifier', {}],
    ['another verifier', { code_verifier: randomBytes(32).toString('base64url') }],
    ['the challenge itself', { code_verifier: codeChallenge }],
    ['a verifier too short', { code_verifier: 'short' }],
  ] as const) {
    it(`PKCE refuses ${name} without spending the code`, async () => {
      await approve(server, { codeChallenge });

      const answer = await exchange(server.app, form);

      assert.equal(answer.json().error, 'invalid_grant');
      assert.equal((await exchange(server.app, { code_verifier: codeVerifier })).statusCode, 200);
    });
  }

  it('PKCE refuses a verifier for a request without a challenge (RFC 9700 §2.1.1)', async () => {
    await approve(server);

    assert.equal((await exchange(server.app, { code_verifier: codeVerifier })).json().error, 'invalid_grant');
  });
});

describe('refresh token grant', () => {
  it('the refresh grant answers a new pair with the same scope', async () => {
    const { refreshToken } = await tokenPair(server, { scope: 'free-busy' });

    const answer = await refresh(server.app, refreshToken, { scope: 'read-write' });

    assert.equal(answer.statusCode, 200);
    assert.notEqual(answer.json().refresh_token, refreshToken);
    assert.equal(decodeJwt(answer.json().access_token).scope, 'free-busy');
  });

  it('the refresh grant refuses a rotated token and leaves its successor valid', async () => {
    const { refreshToken } = await tokenPair(server);
    const next = await refresh(server.app, refreshToken);

    const replay = await refresh(server.app, refreshToken);

    assert.deepEqual(replay.json(), refusal('invalid_grant', 'Invalid refresh token'));
    assert.equal((await refresh(server.app, next.json().refresh_token)).statusCode, 200);
  });

  it('the refresh grant lets exactly one of ten concurrent refreshes spend a token', async () => {
    const { refreshToken } = await tokenPair(server);

    const answers = await Promise.all(Array.from({ length: 10 }, () => refresh(server.app, refreshToken)));

    assert.deepEqual(answers.map(({ statusCode }) => statusCode).sort(), [200, ...Array(9).fill(400)]);
  });

  it('a refresh token has no end of its own', async () => {
    const { refreshToken } = await tokenPair(server);
    server.clock.now += 10 * 365 * 86_400_000;

    assert.equal((await refresh(server.app, refreshToken)).statusCode, 200);
  });

  it('the refresh grant refuses another application, and spends nothing', async () => {
    const { refreshToken } = await tokenPair(server);

    const foreign = await refresh(server.app, refreshToken, { client_id: 'other' });

    assert.deepEqual(foreign.json(), refusal('invalid_grant', 'Client mismatch'));
    assert.equal((await refresh(server.app, refreshToken)).statusCode, 200);
  });

  it('the refresh grant takes no access token for a refresh token', async () => {
    const { accessToken } = await tokenPair(server);

    assert.deepEqual(
      (await refresh(server.app, accessToken)).json(),
      refusal('invalid_grant', 'Invalid refresh token'),
    );
  });
});

describe('client authentication', () => {
  const form = { grant_type: 'refresh_token', refresh_token: 'x' };

  for (const [name, headers, body] of [
    ['HTTP Basic', basic(`acme:${SECRET}`), {}],
    ['HTTP Basic with percent-encoding (RFC 6749 §2.3.1)', basic(`%61cme:${SECRET}`), {}],
    ['HTTP Basic beside a matching client_id', basic(`acme:${SECRET}`), { client_id: 'acme' }],
    [
      'HTTP Basic in lower case',
      { authorization: basic(`acme:${SECRET}`).authorization.replace('Basic', 'basic') },
      {},
    ],
    ['the body', {}, {}],
  ] as const) {
    it(`client authentication takes ${name}`, async () => {
      const answer = await postToken(server.app, { ...form, ...body }, headers);

      // Authenticated: what is refused is the grant.
      assert.equal(answer.json().error, 'invalid_grant');
    });
  }

  for (const [name, headers] of [
    ['a wrong secret', basic('acme:wrong')],
    ['an unknown application', basic(`nobody:${SECRET}`)],
    ['no colon', basic('acme')],
    ['no secret', basic('acme:')],
    ['what is not base64', { authorization: 'Basic ~~~' }],
    ['nothing behind Basic', { authorization: 'Basic' }],
    ['broken percent-encoding', basic(`%zz:${SECRET}`)],
  ] as const) {
    it(`client authentication answers HTTP Basic with ${name} 401 and a challenge`, async () => {
      const answer = await postToken(server.app, form, headers);

      assert.equal(answer.statusCode, 401);
      assert.match(String(answer.headers['www-authenticate']), /^Basic realm=/);
      assert.deepEqual(answer.json(), refusal('invalid_client', 'Client authentication failed'));
    });
  }

  for (const [name, body] of [
    ['a wrong secret', { client_secret: 'wrong' }],
    ['an unknown application', { client_id: 'nobody' }],
    ['an empty secret', { client_secret: '' }],
    ['an empty id', { client_id: '' }],
  ] as const) {
    it(`client authentication answers ${name} in the body 400 without a challenge`, async () => {
      const answer = await postToken(server.app, { ...form, ...body });

      assert.equal(answer.statusCode, 400);
      assert.equal(answer.headers['www-authenticate'], undefined);
      assert.deepEqual(answer.json(), refusal('invalid_client', 'Client authentication failed'));
    });
  }

  it('client authentication refuses two ways at once (docs/wire.md 1.2)', async () => {
    const answer = await postToken(server.app, { ...form, client_secret: SECRET }, basic(`acme:${SECRET}`));

    assert.equal(answer.statusCode, 400);
    assert.equal(answer.json().error, 'invalid_request');
  });

  it('client authentication refuses a Bearer header instead of a secret', async () => {
    const answer = await postToken(server.app, form, { authorization: 'Bearer x' });

    assert.equal(answer.statusCode, 400);
    assert.equal(answer.json().error, 'invalid_client');
  });

  it('client authentication answers 429 after thirty wrong secrets in a minute, and still takes the right one', async () => {
    for (let i = 0; i < 30; i++) await postToken(server.app, { ...form, client_secret: 'wrong' });

    const limited = await postToken(server.app, { ...form, client_secret: 'wrong' });
    const right = await postToken(server.app, form);

    assert.equal(limited.statusCode, 429);
    assert.match(String(limited.headers['retry-after']), /^\d+$/);
    assert.equal(right.json().error, 'invalid_grant');
  });
});

describe('requests that cannot be read', () => {
  const code = { grant_type: 'authorization_code', code: 'ada', redirect_uri: REDIRECT_URI };

  for (const [name, form, description] of [
    ['no grant_type', {}, 'grant_type is missing'],
    ['an empty grant_type', { grant_type: '' }, 'grant_type is missing'],
    ['no code', { ...code, code: '' }, 'code is missing'],
    ['no redirect_uri (docs/wire.md C6)', { ...code, redirect_uri: '' }, 'redirect_uri is missing'],
    ['no refresh_token', { grant_type: 'refresh_token' }, 'refresh_token is missing'],
  ] as const) {
    it(`POST /token answers ${name} with invalid_request`, async () => {
      const answer = await postToken(server.app, form);

      assert.equal(answer.statusCode, 400);
      assert.deepEqual(answer.json(), refusal('invalid_request', description));
    });
  }

  it('POST /token answers another grant with unsupported_grant_type', async () => {
    const answer = await postToken(server.app, { grant_type: 'client_credentials' });

    assert.equal(answer.statusCode, 400);
    assert.equal(answer.json().error, 'unsupported_grant_type');
  });

  for (const [name, contentType, payload] of [
    ['a list in a field', 'application/json', '{"grant_type":["refresh_token"]}'],
    ['a number in a field', 'application/json', '{"client_id":1}'],
    ['broken JSON', 'application/json', '{'],
    ['a JSON string', 'application/json', '"x"'],
    ['JSON null', 'application/json', 'null'],
    ['an empty JSON body', 'application/json', ''],
    ['a repeated field', 'application/x-www-form-urlencoded', 'grant_type=a&grant_type=b'],
    ['another content type', 'text/plain', 'grant_type=a'],
    [
      'NUL in a code',
      'application/json',
      `{"grant_type":"authorization_code","client_id":"acme","client_secret":"${SECRET}","redirect_uri":"x","code":"\\u0000"}`,
    ],
    [
      'NUL in a client id',
      'application/json',
      '{"grant_type":"refresh_token","client_id":"\\u0000","client_secret":"x"}',
    ],
  ] as const) {
    it(`POST /token answers ${name} 400 in the documented shape`, async () => {
      const answer = await server.app.inject({
        method: 'POST',
        url: '/token',
        headers: { 'content-type': contentType },
        payload,
      });

      assert.equal(answer.statusCode, 400, answer.body);
      const { error, error_description: description, message } = answer.json();
      assert.match(error, /^invalid_(request|client|grant)$/);
      assert.equal(message, description);
    });
  }

  it('POST /token accepts JSON with nulls instead of absent fields', async () => {
    await approve(server);
    const payload = { ...code, client_id: 'acme', client_secret: SECRET, code_verifier: null, extra: [1] };

    const answer = await server.app.inject({ method: 'POST', url: '/token', payload });

    assert.equal(answer.statusCode, 200);
  });
});

function refusal(error: string, description: string) {
  return { error, error_description: description, message: description };
}
