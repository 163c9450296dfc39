/** What every route answers while PostgreSQL is gone, and while it is there and answers nothing. */
import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { after, before, describe, it } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';

import type { FastifyInstance } from 'fastify';

import { createSealer } from '../../src/lib/sealing.ts';
import type { Database } from '../../src/store/drivers/database.ts';
import { migrate } from '../../src/store/drivers/migrate.ts';
import { openPostgres } from '../../src/store/drivers/postgres-driver.ts';
import { openStores } from '../../src/store/open-stores.ts';
import { type CalendarServer, makeUsers, openCalendarServer, START } from '../harness/calendar-server.ts';
import { type Postgres, startPostgres } from '../harness/postgres.ts';
import { openWholeApp, type Route } from '../harness/whole-app.ts';

/** Two seconds are promised; other work on this machine must not fail the test. */
const ANSWERED_MS = 6_000;
/** A random number, which changes nothing. */
const CHALLENGE = '/dashboard/sign-in/passkey/options';
const START_OF_FLOW = /\/authorize$/;
const WHETHER_SPENT =
  'The data cannot be reached at the moment. Repeat the request. If the response is then invalid_grant, start again at /authorize.';
const AWAY_AT_TOKEN = {
  error: 'temporarily_unavailable',
  error_description: WHETHER_SPENT,
  message: WHETHER_SPENT,
};

let postgres: Postgres;
let db: Database;
let server: CalendarServer;
let app: FastifyInstance;
let routes: readonly Route[];
let token: string;
before(async () => {
  postgres = await startPostgres();
  db = openPostgres(postgres.url, 4);
  await migrate(db, Date.now, async () => {});
  const sealer = createSealer(randomBytes(32));
  await makeUsers(openStores(db, { sealer, notify: () => {} }), START);
  server = await openCalendarServer({ db, sealer });
  ({ app, routes } = await openWholeApp(server, sealer));
  token = await server.token();
});
after(async () => {
  await app?.close();
  await server?.close();
  await db?.close();
  await postgres?.stop();
});

const BASIC = `Basic ${Buffer.from('acme:acme').toString('base64')}`;

async function ask(
  method: string,
  url: string,
  options: { auth?: string; accept?: string; body?: object } = {},
) {
  const { auth = `Bearer ${token}`, accept = 'application/json', body } = options;
  const started = performance.now();
  const answer = await app.inject({
    method: method.toUpperCase() as 'GET', // the router's own names
    url,
    headers: { authorization: auth, accept },
    ...(body && { payload: body }),
  });
  const ms = performance.now() - started;
  assert.ok(ms < ANSWERED_MS, `${method} ${url} took ${Math.round(ms)} ms`);
  return answer;
}

async function assertRefusedEverywhere(): Promise<void> {
  const start = '/authorize?client_id=acme&user_id=ada&redirect_uri=https%3A%2F%2Fapp.example%2Fcb&state=x';
  for (const accept of ['application/json', 'text/html']) {
    const answer = await ask('GET', start, { accept });
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

/** A refusal is remembered for a moment, in which PostgreSQL may have started. */
async function untilReady(): Promise<void> {
  while ((await ask('GET', '/ready')).statusCode !== 200) await sleep(20);
}

describe('A database that is away', () => {
  it('a PostgreSQL that is stopped is answered 503 with Retry-After on every route, and 500 where a flow starts', async () => {
    await postgres.halt();
    await assertRefusedEverywhere();
    let refused = 0;
    for (const { method, path } of routes) {
      for (const auth of [`Bearer ${token}`, BASIC]) {
        const answer = await ask(method, path, { auth });
        const { statusCode: status } = answer;
        const which = `${method} ${path} answered ${status}: ${answer.body.slice(0, 200)}`;
        if (status >= 500) {
          refused += 1;
          assert.equal(status, START_OF_FLOW.test(path) ? 500 : 503, which);
          assert.match(String(answer.headers['retry-after']), /^\d+$/, which);
        } else if (status < 300) assert.ok(/get|head/.test(method) || path === CHALLENGE, which);
      }
    }
    assert.ok(refused > 100, String(refused));

    await postgres.restart();
    await untilReady();
    assert.equal((await ask('GET', '/connection-status')).statusCode, 200);
  });

  it('a PostgreSQL that answers nothing is refused just so, what was under way too, and serves again', async () => {
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
