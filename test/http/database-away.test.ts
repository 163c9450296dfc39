/** Responses of every route while PostgreSQL is stopped, and while it runs but does not respond. */
import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';

import { type AppOnPostgres, BASIC, openAppOnPostgres } from './app-on-postgres.ts';

/** A random number, which changes nothing. */
const CHALLENGE = '/dashboard/sign-in/passkey/options';
const WHETHER_SPENT =
  'The data cannot be reached at the moment. Repeat the request. If the response is then invalid_grant, start again at /authorize.';
const AWAY_AT_TOKEN = {
  error: 'temporarily_unavailable',
  error_description: WHETHER_SPENT,
  message: WHETHER_SPENT,
};

let served: AppOnPostgres;
before(async () => {
  served = await openAppOnPostgres();
});
after(() => served?.close());

async function assertRefusedEverywhere(): Promise<void> {
  const { ask, token, refused } = served;
  const start = '/authorize?client_id=acme&user_id=ada&redirect_uri=https%3A%2F%2Fapp.example%2Fcb&state=x';
  for (const accept of ['application/json', 'text/html']) {
    const refusedBefore = refused();
    const answer = await ask('GET', start, { accept });
    assert.equal(refused() - refusedBefore, 1);
    assert.equal(answer.statusCode, 500, answer.body);
    assert.match(String(answer.headers['retry-after']), /^\d+$/);
    assert.match(String(answer.headers['content-type']), accept === 'text/html' ? /^text\/html/ : /json/);
  }
  const revoked = await ask('POST', '/revoke', { body: { token } });
  assert.equal(revoked.statusCode, 503);
  assert.equal(revoked.json().error, 'temporarily_unavailable');
  const fields = {
    grant_type: 'refresh_token',
    refresh_token: 'x',
    client_id: 'acme',
    client_secret: 'acme',
  };
  const refreshed = await ask('POST', '/token', { auth: '', body: fields });
  assert.deepEqual([refreshed.statusCode, refreshed.json()], [503, AWAY_AT_TOKEN]);
  for (const [url, auth] of [
    ['/calendars', undefined],
    ['/api/events', undefined],
    ['/users/ada', BASIC],
  ] as const) {
    const answer = await ask('GET', url, auth === undefined ? {} : { auth });
    assert.equal(answer.statusCode, 503, url);
    assert.equal(answer.json().code, 'temporarily_unavailable');
    assert.equal(typeof answer.json().message, 'string');
  }
  assert.equal((await ask('GET', '/health')).statusCode, 200);
  const ready = await ask('GET', '/ready');
  assert.deepEqual([ready.statusCode, ready.json().code], [503, 'database_unreachable']);
}

describe('A database that is away', () => {
  it('a PostgreSQL that is stopped is answered 503 with Retry-After on every route, and 500 where a flow starts', async () => {
    const { postgres, ask, callEachRoute, untilReady } = served;
    await postgres.halt();
    await assertRefusedEverywhere();
    const results = await callEachRoute();
    assert.ok(results.filter(({ status }) => status >= 500).length > 100);
    for (const { method, path, status } of results)
      assert.ok(status >= 300 || /get|head/.test(method) || path === CHALLENGE, `${method} ${path}`);

    await postgres.restart();
    await untilReady();
    assert.equal((await ask('GET', '/connection-status')).statusCode, 200);
  });

  it('a PostgreSQL that answers nothing is refused just so, what was under way too, and serves again', async () => {
    const { postgres, db, ask, token, untilReady } = served;
    const underWay = assert.rejects(db.all('SELECT 1 AS "one" FROM pg_sleep(60)'));
    await db.all('SELECT 1 AS "one"');
    postgres.pause();
    try {
      await assertRefusedEverywhere();
      await underWay;
    } finally {
      postgres.resume();
    }

    await untilReady();
    assert.equal((await ask('GET', '/connection-status')).statusCode, 200);
    assert.equal((await ask('POST', '/revoke', { body: { token } })).statusCode, 200);
    assert.equal((await ask('GET', '/connection-status')).statusCode, 401, 'the token was revoked');
  });
});
