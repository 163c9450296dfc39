/** Every route of the program on a PostgreSQL whose condition the test changes. */
import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';

import type { LightMyRequestResponse } from 'fastify';

import { createSealer } from '../../src/lib/sealing.ts';
import { migrate } from '../../src/store/drivers/migrate.ts';
import { openPostgres } from '../../src/store/drivers/postgres-driver.ts';
import { openStores } from '../../src/store/open-stores.ts';
import { makeUsers, openCalendarServer, START } from '../harness/calendar-server.ts';
import { startPostgres } from '../harness/postgres.ts';
import { until } from '../harness/until.ts';
import { openWholeApp } from '../harness/whole-app.ts';

/** Two seconds are promised; other work on this machine must not fail the test. */
const ANSWERED_MS = 6_000;
/** Counted only while this process runs, so that a stall of the machine is one tick. */
const TICK_MS = 50;
let ticks = 0;
setInterval(() => {
  ticks += 1;
}, TICK_MS).unref();
const START_OF_FLOW = /\/authorize$/;

export const BASIC = `Basic ${Buffer.from('acme:acme').toString('base64')}`;

export type AppOnPostgres = Awaited<ReturnType<typeof openAppOnPostgres>>;
type RequestOptions = { readonly auth?: string; readonly accept?: string; readonly body?: object };

/** Starts a PostgreSQL of its own. The caller closes it. */
export async function openAppOnPostgres() {
  const postgres = await startPostgres();
  const db = openPostgres(postgres.url, 4);
  await migrate(db, Date.now, async () => {});
  const sealer = createSealer(randomBytes(32));
  await makeUsers(openStores(db, { sealer, notify: () => {} }), START);
  const server = await openCalendarServer({ db, sealer });
  let refused = 0;
  const databaseRefused = () => (refused += 1);
  const { app, routes } = await openWholeApp(server, sealer, { databaseRefused });
  const token = await server.token();

  async function ask(
    method: string,
    url: string,
    options: RequestOptions = {},
  ): Promise<LightMyRequestResponse> {
    const { auth = `Bearer ${token}`, accept = 'application/json', body } = options;
    const started = ticks;
    const answer = await app.inject({
      method: method.toUpperCase() as 'GET', // the router's own names
      url,
      headers: { authorization: auth, accept },
      ...(body && { payload: body }),
    });
    const ms = (ticks - started) * TICK_MS;
    assert.ok(ms < ANSWERED_MS, `${method} ${url} took ${ms} ms`);
    return answer;
  }

  return {
    postgres,
    db,
    server,
    token,
    ask,
    /** How many requests were counted as failed because of the database. */
    refused: () => refused,
    /** Waits until GET /ready is 200: what is known of the database is remembered for a moment. */
    untilReady: () => until('GET /ready is 200', async () => (await ask('GET', '/ready')).statusCode === 200),
    /**
     * Calls each route with each kind of credentials. Fails for a 5xx other than 503, or 500 where a flow starts, and for one
     * that is not counted once.
     */
    async callEachRoute() {
      const results: { readonly method: string; readonly path: string; readonly status: number }[] = [];
      for (const { method, path } of routes) {
        for (const auth of [`Bearer ${token}`, BASIC]) {
          const refusedBefore = refused;
          const answer = await ask(method, path, { auth });
          const { statusCode: status } = answer;
          const which = `${method} ${path} answered ${status}: ${answer.body.slice(0, 200)}`;
          results.push({ method, path, status });
          if (status < 500) continue;
          assert.equal(status, START_OF_FLOW.test(path) ? 500 : 503, which);
          assert.match(String(answer.headers['retry-after']), /^\d+$/, which);
          assert.equal(refused - refusedBefore, path === '/ready' ? 0 : 1, which);
        }
      }
      return results;
    },
    async close(): Promise<void> {
      await app.close();
      await server.close();
      await db.close();
      await postgres.stop();
    },
  };
}
