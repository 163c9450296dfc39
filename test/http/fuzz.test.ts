/**
 * Random requests to /authorize, /token, /revoke and paths beside them: no internal error, no delay, and every error in
 * its documented shape (docs/wire.md 3.1). They use real sockets to the program in its own process, so that its HTTP
 * parser is tested too and a delay of the test is not one of the program.
 */
import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';

import fc from 'fast-check';
import { openBrowser } from '../e2e/browser.ts';
import { type Application, authorizeUrl, connect, jsonOf, linkAccount } from '../e2e/flow.ts';
import { loginOf, openSite, type Site, WITHOUT_RADICALE } from '../e2e/site.ts';
import { onEachDatabase } from '../harness/databases.ts';
import { rounds, scale } from '../harness/rounds.ts';
import { cookieRequest, pushedStartRequest, pushRequest, usersRequest } from './fuzz-identity.ts';
import { authorizeRequest, revokeRequest, strayRequest, type Target, tokenRequest } from './fuzz-requests.ts';
import { type RawAnswer, type RawConnection, type RawRequest, rawConnection } from './raw-http.ts';

const MOST_MS = 1000;
/** Eight properties: 2,000 inputs, 200,000 in a soak. PostgreSQL gets a tenth of them. */
const ON_SQLITE = rounds(scale() < 20 ? 250 : 1250);
const INPUTS = { SQLite: ON_SQLITE, PostgreSQL: Math.ceil(ON_SQLITE / 10) };
const OAUTH = /^(\/api\/oauth)?\/(token|revoke|par)$/;

onEachDatabase((database, _open, place) => {
  describe(`requests nobody should send, on ${database}`, { skip: WITHOUT_RADICALE }, () => {
    let site: Site;
    let existing: Target;
    let connection: RawConnection;
    before(async () => {
      const { databaseUrl } = await place();
      site = await openSite({ databaseUrl, env: { KALENDS_LOG_LEVEL: 'error' } });
      existing = await existingTarget(site);
      connection = rawConnection(Number(new URL(site.program.url).port));
    });
    after(async () => {
      connection?.close();
      await site?.close();
    });

    for (const [name, requests] of [
      ['GET /authorize', authorizeRequest],
      ['POST /token', tokenRequest],
      ['POST /revoke and /introspect', revokeRequest],
      ['POST /par', pushRequest],
      ['GET /authorize with a request_uri', pushedStartRequest],
      ['GET and DELETE /users/{user_id}', usersRequest],
      ['cookies of any shape', cookieRequest],
      ['paths and methods that are not there', strayRequest],
    ] as const) {
      it(`the server answers ${name} without a fault, within a second, in the documented shape`, async (t) => {
        const seed = Number(process.env.KALENDS_TEST_SEED ?? Math.floor(Math.random() * 2 ** 31));
        const numRuns = INPUTS[database === 'SQLite' ? 'SQLite' : 'PostgreSQL'];
        const statuses: Record<string, number> = {};
        let slowest = 0;
        t.diagnostic(`KALENDS_TEST_SEED=${seed}`);

        const property = fc.asyncProperty(requests(existing), async (request) => {
          const answer = await connection.send(request);
          let { ms } = answer;
          for (let again = 0; ms >= MOST_MS && again < 5; again += 1)
            ms = (await connection.send(request)).ms;
          slowest = Math.max(slowest, ms);
          statuses[answer.status] = (statuses[answer.status] ?? 0) + 1;
          // Slow each time: it is the input, not whatever else this machine was doing.
          assert.ok(ms < MOST_MS, `${Math.round(ms)} ms`);
          assertDocumented(request, answer);
        });
        await fc.assert(property, { seed, numRuns });

        t.diagnostic(`${numRuns} inputs, the slowest ${slowest.toFixed(0)} ms: ${JSON.stringify(statuses)}`);
        const { stderr } = site.program.output();
        assert.equal(stderr, '', 'nothing is logged as an error');
      });
    }
  });
});

async function existingTarget({ application, login, calendars }: Site): Promise<Target> {
  const { accessToken, refreshToken } = await connect(application, { userId: 'ada', login });
  const browser = openBrowser();
  await browser.open(authorizeUrl(application, { userId: 'ada' }));
  await linkAccount(browser, loginOf(calendars, 'grace'));
  const { body, url } = browser.page();
  const keys = body.matchAll(/name="(?:account|confirm)" value="([^"]+)"/g);
  return {
    ...application,
    tokens: [accessToken, refreshToken],
    transaction: url.searchParams.get('transaction') ?? '',
    accountKeys: [...new Set([...keys].map(([, key = '']) => key))],
    cookie: [...browser.cookies].map(([name, value]) => `${name}=${value}`).join('; '),
    requestUri: await push(application),
  };
}

async function push({ url, clientId, clientSecret }: Application): Promise<string> {
  const body = new URLSearchParams({ client_id: clientId, client_secret: clientSecret, user_id: 'pushed' });
  const { request_uri: uri } = await jsonOf(await fetch(`${url}/par`, { method: 'POST', body }));
  return String(uri);
}

function assertDocumented({ method, target }: RawRequest, { status, headers, body }: RawAnswer): void {
  // 501 is the documented answer of what is not there yet.
  assert.ok(status < 500 || status === 501, `${status} ${body}`);
  if (status >= 300 && status < 400) {
    assert.match(headers.get('location') ?? '', /^\/authorize\?/, 'redirects stay here');
  }
  if (status < 400 || method === 'HEAD') return;
  const type = headers.get('content-type') ?? '';
  if (type.startsWith('text/html')) {
    assert.match(body, /^<!doctype html>\n<html lang="/);
    return;
  }
  assert.match(type, /^application\/json/, body);
  const error: Record<string, unknown> = JSON.parse(body);
  assert.equal(typeof error.error, 'string', body);
  assert.equal(typeof error.message, 'string', body);
  if (method === 'POST' && OAUTH.test(target)) assert.equal(error.error_description, error.message, body);
  const details: unknown[] = Object.values(error.details ?? {});
  assert.ok(details.every((list) => Array.isArray(list) && list.every((text) => typeof text === 'string')));
}
