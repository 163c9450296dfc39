/** Data of requests that the database stores, and data that it never stores. */
import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { describe, it } from 'node:test';

import type { InjectOptions } from 'fastify';

import { createSealer } from '../../src/lib/sealing.ts';
import type { RequestEntry } from '../../src/request-log/request-entry.ts';
import { isInShare, startRequestRecorder } from '../../src/request-log/request-recorder.ts';
import type { Database } from '../../src/store/drivers/database.ts';
import { link, makeUsers, openCalendarServer, START } from '../harness/calendar-server.ts';
import { onEachDatabase } from '../harness/databases.ts';
import { openWholeApp } from '../harness/whole-app.ts';

const MANY = 1e6;
const GENEROUS = {
  ...{ ofApplication: MANY, burst: MANY, ofEqual: MANY },
  ...{ successesInSecond: MANY, ofAddress: MANY, ofStrangers: MANY },
};
const BASIC = `Basic ${Buffer.from('acme:acme').toString('base64')}`;
const FORM = 'application/x-www-form-urlencoded';

/** Every route over a real database, with a recorder that `stop` empties into it. */
async function open(openDatabase: () => Promise<Database>) {
  const db = await openDatabase();
  const sealer = createSealer(randomBytes(32));
  const server = await openCalendarServer({ db, sealer });
  await makeUsers(server.deps, START);
  const { requestLog, log, now } = server.deps;
  const recorder = startRequestRecorder({ requestLog, log, now, rowLimits: GENEROUS });
  const deps = { ...server.deps, answerListener: recorder };
  const { app, routes } = await openWholeApp({ ...server, deps }, sealer);
  return {
    ...{ db, server, app, routes, requestLog },
    /** Stops everything, and returns the stored entries. */
    async stop(): Promise<RequestEntry[]> {
      await recorder.stop();
      const kept = await requestLog.listRequests({}, { limit: 10_000 });
      await app.close();
      await server.close();
      return kept.toReversed();
    },
  };
}

onEachDatabase((name, openDatabase) => {
  describe(`the request log on ${name}`, () => {
    it('the request log stores a refusal with its user, its route and its message', async () => {
      const { app, server, requestLog, stop } = await open(openDatabase);
      const token = await server.token('free-busy');
      const bearer = { authorization: `Bearer ${token}` };
      assert.equal(await requestLog.userOf('acme', 'ada'), undefined, 'nothing is kept of ada yet');

      await app.inject({ url: '/calendars?user=ada', headers: bearer, remoteAddress: '203.0.113.9' });
      await app.inject({ method: 'GET', url: '/api/users/nobody', headers: { authorization: BASIC } });
      await server.deps.families.endGrantsOf('acme', 'ada', { now: START, by: undefined });
      await app.inject({ url: '/calendars', headers: bearer });
      await app.inject({ url: '/calendars', headers: { authorization: 'Bearer nonsense' } });
      await app.inject({ url: '/authorize?client_id=nobody', headers: { accept: 'text/html' } });
      await app.inject({ url: '/nowhere' });
      await app.inject({ url: '/health' });

      const kept = await stop();
      const user = kept[0]?.user;
      assert.match(user ?? '', /^user_/);
      assert.deepEqual(
        kept.map(({ method, route, status, clientId, user: named }) => [
          method,
          route,
          status,
          clientId,
          named,
        ]),
        [
          ['GET', '/calendars', 403, 'acme', user],
          ['GET', '/api/users/:user_id', 404, 'acme', undefined],
          ['GET', '/calendars', 401, 'acme', user],
          ['GET', '/calendars', 401, undefined, undefined],
          ['GET', '/authorize', 401, undefined, undefined],
          ['GET', undefined, 404, undefined, undefined],
        ],
      );
      assert.equal(kept[0]?.network, '203.0.113.0/24');
      assert.equal(JSON.parse(kept[2]?.body ?? '').code, 'invalid_token');
      assert.match(kept[4]?.body ?? '', /names no application/);
      assert.ok(kept.every(({ at }) => at === START));
    });

    it('the request log keeps of successes exactly the share that their ids say, without a body', async () => {
      const { app, server, stop } = await open(openDatabase);
      const headers = { authorization: `Bearer ${await server.token('read')}` };

      // Sends requests until three of them are in the sample.
      const ids: string[] = [];
      while (ids.filter(isInShare).length < 3) {
        const { statusCode, headers: answered } = await app.inject({ url: '/connection-status', headers });
        assert.equal(statusCode, 200);
        ids.push(String(answered['x-request-id']));
      }

      const kept = await stop();
      assert.deepEqual(kept.map(({ requestId }) => requestId).toSorted(), ids.filter(isInShare).toSorted());
      assert.ok(
        kept.every(
          ({ body, clientId, user }) => body === undefined && clientId === 'acme' && user !== undefined,
        ),
      );
    });

    it('the request log has nothing that callers sent or that events say, whatever route it is', async () => {
      const { app, server, routes, db, stop } = await open(openDatabase);
      await link(server, { display: 'canary@people.example' });
      const token = await server.token('free-busy');
      const authorizations = [`Bearer ${token}`, 'Bearer canary-token', BASIC, 'Basic Y2FuYXJ5OmNhbmFyeQ=='];
      let count = 0;
      for (const { method, path } of routes.filter(({ method }) => method !== 'options'))
        for (const authorization of authorizations)
          for (const contentType of ['application/json', FORM]) {
            const url = `${path.replaceAll(/:\w+|\*/g, 'canary-param')}?${QUERY}`;
            const payload = contentType === FORM ? QUERY : JSON.stringify(BODY);
            const headers = { authorization, cookie: 'canary=canary-cookie', 'content-type': contentType };
            const hasBody = method !== 'get' && method !== 'head';
            // The router's own names of methods.
            const options = { method, url, headers, ...(hasBody && { payload }) } as InjectOptions;
            const { statusCode } = await app.inject(options);
            count += Number(statusCode >= 400 && !/^\/(dashboard|admin)/.test(path));
          }
      await app.inject({ url: '/canary-path/canary?code=canary-code' });
      await app.inject({
        method: 'POST',
        url: '/token',
        payload: '{"canary',
        headers: { 'content-type': 'application/json' },
      });

      const entries = await stop();
      const texts = JSON.stringify(await db.all('SELECT * FROM request_log'));
      assert.ok(count > 200, `${count} refusals`);
      assert.ok(entries.length >= count);
      assert.doesNotMatch(texts, /canary/i);
      assert.ok(!texts.includes(token.slice(-20)));
      assert.doesNotMatch(texts, /"ada"|Y2FuYXJ5/);
      assert.ok(entries.some(({ body }) => body?.includes('message')));
    });
  });
});

const CANARIES = {
  ...{ code: 'canary-code', state: 'canary-state', token: 'canary-token', client_id: 'canary-client' },
  ...{ client_secret: 'canary-secret', refresh_token: 'canary-refresh', user_id: 'canary-user' },
  ...{ redirect_uri: 'https://canary.example/cb', from: 'canary-from', to: 'canary-to', q: 'canary-search' },
  ...{ calendarId: 'canary-calendar', provider: 'canary-provider', grant_type: 'canary-grant' },
  ...{
    user_name: 'canary-name',
    login_hint: 'canary@people.example',
    eventId: 'canary-event',
    summary: 'canary title',
  },
};
const QUERY = new URLSearchParams(CANARIES).toString();
const BODY = {
  ...CANARIES,
  attendees: [{ email: 'canary@people.example' }],
  start: { dateTime: 'canary-start' },
};
