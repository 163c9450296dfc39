/** Application tokens: accepted wherever HTTP Basic is accepted, and nowhere else. */
import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { after, before, describe, it } from 'node:test';
import type { FastifyInstance } from 'fastify';
import { decodeJwt, decodeProtectedHeader } from 'jose';
import { OPERATIONS } from '../../src/api-reference/current-document.ts';
import { createSealer, hashOfSecret } from '../../src/lib/sealing.ts';
import { type CalendarServer, openCalendarServer } from '../harness/calendar-server.ts';
import { openWholeApp } from '../harness/whole-app.ts';
import { ASSERTION_TYPE, assertionOf, newKey, PUBLIC, postAssertion, setOf } from './assertions.ts';

const PREFIXES = ['', '/api', '/api/oauth'];
const OAUTH = ['/token', '/par', '/revoke', '/authorize', '/introspect'];

describe('an application token', () => {
  const sealer = createSealer(randomBytes(32));
  const key = newKey();
  let server: CalendarServer;
  let app: FastifyInstance;
  before(async () => {
    server = await openCalendarServer({ sealer });
    ({ app } = await openWholeApp(server, sealer));
  });
  after(async () => {
    await app.close();
    await server.close();
  });
  const authenticateBy = (clientAuthentication: 'secret' | 'private_key_jwt') =>
    server.deps.clients.updateClient(
      'acme',
      { clientAuthentication, keys: { jwks: JSON.stringify(setOf(key)) } },
      { now: server.clock.now, by: undefined },
    );
  const newToken = async (form = {}) => {
    await authenticateBy('private_key_jwt');
    return postAssertion(app, assertionOf(key, server.clock.now), form);
  };
  const call = (token: string, method: string, url: string) =>
    app.inject({
      method: method.toUpperCase() as 'GET', // a method of the table
      url,
      headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
      ...(method !== 'get' && { payload: '{}' }),
    });

  it('lasts ten minutes, has a type of its own, and comes without a refresh token', async () => {
    const answer = await newToken();
    const { access_token: token, ...rest } = answer.json();

    assert.deepEqual(rest, { token_type: 'Bearer', expires_in: 600, scope: 'application' });
    assert.equal(answer.headers['cache-control'], 'no-store');
    assert.equal(decodeProtectedHeader(token).typ, 'app+jwt');
    const { sub, client_id: clientId, family, scope, exp = 0, iat = 0 } = decodeJwt(token);
    assert.deepEqual(
      [sub, clientId, family, scope, exp - iat],
      ['acme', 'acme', undefined, 'application', 600],
    );
  });

  it('other grant types ignore the scope, whatever it is', async () => {
    await authenticateBy('private_key_jwt');
    const payload = {
      ...{ grant_type: 'refresh_token', refresh_token: 'x', scope: ['read', 1] },
      ...{ client_assertion: assertionOf(key, server.clock.now), client_assertion_type: ASSERTION_TYPE },
    };

    const answer = await app.inject({ method: 'POST', url: '/token', payload });

    assert.equal(answer.json().error, 'invalid_grant');
  });

  it('needs the scope application', async () => {
    for (const scope of ['', 'read', 'application read']) {
      const answer = await newToken({ scope });
      assert.deepEqual([answer.statusCode, answer.json().error], [400, 'invalid_scope']);
    }
  });

  it('is accepted by each operation that accepts HTTP Basic, and refused by every other', async () => {
    const token = (await newToken()).json().access_token;
    const operations = OPERATIONS.filter(
      ({ path, callers }) => !OAUTH.includes(path) && callers.some((caller) => caller !== 'anybody'),
    );
    assert.ok(operations.length > 25, String(operations.length));
    for (const { method, path, callers } of operations)
      for (const prefix of PREFIXES) {
        const url = prefix + path.replaceAll(/\{\w+\}/g, 'nobody');
        if (callers.includes('admin-key')) continue;
        const { statusCode, body, headers } = await call(token, method, url);

        const isForApplication = callers.includes('application');
        assert.equal(statusCode !== 401, isForApplication, `${method} ${url}: ${statusCode} ${body}`);
        if (!isForApplication)
          assert.match(String(headers['www-authenticate']), /^Bearer error="invalid_token"/);
      }
  });

  it('gives no access when it has expired, when the application changes, and when it is deleted', async () => {
    const token = (await newToken()).json().access_token;
    const status = async (sent = token) => (await call(sent, 'get', '/webhooks/deliveries')).statusCode;
    assert.equal(await status(), 200);

    await authenticateBy('secret');
    assert.equal(await status(), 401);
    await authenticateBy('private_key_jwt');
    assert.equal(await status(), 200);
    server.clock.now += 600_000;
    assert.equal(await status(), 401);
    const later = (await newToken()).json().access_token;
    await server.deps.clients.updateClient('other', PUBLIC, { now: server.clock.now, by: undefined });
    assert.equal(await status(later), 200);
    assert.equal(await status(`${later}x`), 401);
  });

  it('is not revoked, not refreshed and no client authentication', async () => {
    const token = (await newToken()).json().access_token;
    const revoked = await app.inject({ method: 'POST', url: '/revoke', payload: { token } });
    const form = { grant_type: 'refresh_token', refresh_token: token };
    const refreshed = await postAssertion(app, assertionOf(key, server.clock.now), form);
    const headers = { authorization: `Bearer ${token}` };
    const used = await app.inject({
      method: 'POST',
      url: '/token',
      headers,
      payload: { grant_type: 'refresh_token' },
    });

    assert.deepEqual([revoked.statusCode, revoked.json()], [200, { success: true }]);
    assert.equal(refreshed.json().error, 'invalid_grant');
    assert.deepEqual([used.statusCode, used.json().error], [400, 'invalid_client']);
    assert.equal((await call(token, 'get', '/webhooks/deliveries')).statusCode, 200);
  });

  it('an application with a secret gets the same response as before, a public one unauthorized_client', async () => {
    const secret = { client_id: 'acme', client_secret: 'acme', grant_type: 'client_credentials' };
    const payload = { client_id: 'other', grant_type: 'client_credentials', scope: 'application' };
    await authenticateBy('secret');
    await server.deps.clients.rotateSecret({
      ...{ clientId: 'acme', now: server.clock.now, oldExpireAt: server.clock.now, by: undefined },
      secretHash: hashOfSecret('acme'),
    });

    const unsupported = await app.inject({ method: 'POST', url: '/token', payload: secret });
    const unauthorized = await app.inject({ method: 'POST', url: '/token', payload });

    assert.deepEqual(unsupported.json(), {
      error: 'unsupported_grant_type',
      error_description: 'grant_type must be authorization_code or refresh_token',
      message: 'grant_type must be authorization_code or refresh_token',
    });
    assert.deepEqual([unauthorized.statusCode, unauthorized.json().error], [400, 'unauthorized_client']);
  });
});
