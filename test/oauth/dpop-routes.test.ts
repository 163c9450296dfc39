/** Every protected route of the program checks the binding of access tokens (RFC 9449 §7), under each mount and host. */
import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { after, before, describe, it } from 'node:test';
import type { FastifyInstance } from 'fastify';
import type { OpenApiDocument } from '../../src/api-reference/openapi-document.ts';
import { applicationHostRules } from '../../src/http/application-hosts.ts';
import { createSealer } from '../../src/lib/sealing.ts';
import { operationsOf } from '../api-reference/openapi-checks.ts';
import { type CalendarServer, ORIGINS, openCalendarServer } from '../harness/calendar-server.ts';
import { type DpopKey, dpopKey } from '../harness/dpop-key.ts';
import { openWholeApp, type Route } from '../harness/whole-app.ts';

const MOUNTS = ['', '/api', '/api/oauth'];
const HOSTS = ['kalends.example', 'acme.hosts.example'];

describe('DPoP at every protected route', () => {
  let server: CalendarServer;
  let app: FastifyInstance;
  let routes: readonly Route[];
  let key: DpopKey;
  let token: string;
  let secured: Route[];
  before(async () => {
    const sealer = createSealer(randomBytes(32));
    server = await openCalendarServer({ sealer });
    const hosts = applicationHostRules({ ...ORIGINS, trustProxy: undefined }, server.deps);
    ({ app, routes } = await openWholeApp(server, sealer, { hosts }));
    key = await dpopKey();
    token = await server.tokenOf({ jkt: key.jkt });
    const document: OpenApiDocument = (await app.inject('/openapi.json')).json();
    secured = operationsOf(document)
      .filter(({ operation }) => operation.security.some((one) => 'accessToken' in one))
      .map(({ method, path }) => ({ method, path: path.replace(/\{\w+\}/g, 'x') }));
  });
  after(async () => {
    await app?.close();
    await server?.close();
  });

  const methodOf = ({ method }: Route) => method.toUpperCase() as 'GET';
  async function call(host: string, route: Route, headers: Record<string, string>) {
    const url = `${route.path}?start=2026-11-12&end=2026-11-13`;
    const answer = await app.inject({ method: methodOf(route), url, headers: { host, ...headers } });
    // The response to HEAD has no body.
    const { code } = answer.body === '' ? {} : JSON.parse(answer.body);
    return { status: answer.statusCode, code, challenge: String(answer.headers['www-authenticate']) };
  }
  const prove = (host: string, route: Route, accessToken = token) =>
    key.prove({
      method: methodOf(route),
      url: `https://${host}${route.path}`,
      now: server.clock.now,
      accessToken,
    });

  it('the routes that need an access token are those of the operation table under each mount', async () => {
    const found = [];
    for (const route of routes.map(({ method, path }) => ({ method, path: path.replace(/:\w+/g, 'x') }))) {
      if (!['get', 'post', 'put', 'patch', 'delete'].includes(route.method)) continue;
      const { body } = await app.inject({ method: methodOf(route), url: route.path });
      if (/^\{"error":.*"code":"missing_token"/.test(body)) found.push(`${route.method} ${route.path}`);
    }

    const documented = MOUNTS.flatMap((mount) =>
      secured.map(({ method, path }) => `${method} ${mount}${path}`),
    );
    assert.ok(secured.length >= 15);
    assert.deepEqual(found.toSorted(), documented.toSorted());
  });

  for (const host of HOSTS)
    for (const mount of MOUNTS)
      it(`a bound token needs a proof at each route of ${host}${mount}`, async () => {
        const challenge = /^DPoP error="\w+", error_description="[^"]+", algs=/;
        for (const route of secured.map(({ method, path }) => ({ method, path: mount + path }))) {
          const which = `${route.method} ${route.path}`;
          const [proof, elsewhere] = [await prove(host, route), await prove(host, { ...route, path: '/' })];
          const attempts: [Record<string, string>, string][] = [
            [{ authorization: `Bearer ${token}`, dpop: proof }, 'invalid_token'],
            [{ authorization: `DPoP ${token}` }, 'invalid_dpop_proof'],
            [{ authorization: `DPoP ${token}`, dpop: elsewhere }, 'invalid_dpop_proof'],
          ];
          for (const [headers, code] of attempts) {
            const answer = await call(host, route, headers);
            assert.deepEqual([answer.status, answer.code], [401, code], which);
            assert.match(answer.challenge, challenge, which);
          }

          const headers = { authorization: `DPoP ${token}`, dpop: proof };
          const first = await call(host, route, headers);
          const second = await call(host, route, headers);

          assert.notEqual(first.status, 401, `${which} ${first.code}`);
          assert.deepEqual([second.status, second.code], [401, 'invalid_dpop_proof'], which);
          token = await server.tokenOf({ jkt: key.jkt });
        }
      });

  it('a bound token whose scope is too small gets the challenge of its scheme', async () => {
    const [host = ''] = HOSTS;
    const small = await server.tokenOf({ jkt: key.jkt, scope: 'free-busy' });
    const challenges = [];
    for (const route of secured) {
      const headers = { authorization: `dpop ${small}`, dpop: await prove(host, route, small) };
      const { status, challenge } = await call(host, route, headers);
      if (status === 403) challenges.push(challenge.replace(/(?<=scope=")(read|read-write)(?=")/, 'SCOPE'));
    }

    const expected = 'DPoP error="insufficient_scope", scope="SCOPE", algs="ES256 PS256 Ed25519 EdDSA"';
    assert.ok(challenges.length >= 3, `${challenges.length}`);
    assert.deepEqual([...new Set(challenges)], [expected]);
  });

  it('a proof for a host of another server is refused', async () => {
    const route = { method: 'get', path: '/calendars' };
    for (const host of ['hosts.example', 'a.b.hosts.example', 'acme.hosts.example.evil', 'evil.example']) {
      const headers = { authorization: `DPoP ${token}`, dpop: await prove(host, route) };

      assert.equal((await call('kalends.example', route, headers)).code, 'invalid_dpop_proof', host);
    }
  });

  it('a long poll checks its proof once, when it starts', async () => {
    const route = { method: 'get', path: '/events/changes' };
    const headers = async () => ({
      authorization: `DPoP ${token}`,
      dpop: await prove(HOSTS[0] ?? '', route),
    });
    const started = await app.inject({ url: '/events/changes', headers: await headers() });
    const { cursor } = started.json();
    const url = `/events/changes?wait=1&cursor=${encodeURIComponent(cursor)}`;

    const answer = await app.inject({ url, headers: await headers() });

    assert.equal(answer.statusCode, 200, answer.body);
  });

  it('no proof and no token of a refused request is logged', async () => {
    const route = { method: 'get', path: '/calendars' };
    const proof = await prove('evil.example', route);
    await call('kalends.example', route, { authorization: `DPoP ${token}`, dpop: proof });

    const logged = server.log.lines.join('\n');
    for (const secret of [token, proof, ...proof.split('.')]) assert.ok(!logged.includes(secret));
  });
});
