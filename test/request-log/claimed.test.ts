/** Failed requests of an application that did not prove who sent them: who sees them, and how many are stored. */
import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { describe, it } from 'node:test';

import type { InjectOptions } from 'fastify';
import { createSealer } from '../../src/lib/sealing.ts';
import type { RequestEntry } from '../../src/request-log/request-entry.ts';
import { type RequestRecorder, startRequestRecorder } from '../../src/request-log/request-recorder.ts';
import type { Database } from '../../src/store/drivers/database.ts';
import { type Answer, Browser, passwordProvider, transactionOf } from '../connect/connect-harness.ts';
import { dashboardBrowsers } from '../dashboard/dashboard-app.ts';
import { makeUsers, openCalendarServer, START } from '../harness/calendar-server.ts';
import { onEachDatabase } from '../harness/databases.ts';
import { openWholeApp } from '../harness/whole-app.ts';

const TWO_HOURS = 7_200_000;
const LIST = '/dashboard/requests';
const basic = (clientId: string) => ({
  authorization: `Basic ${Buffer.from(`${clientId}:canary-secret`).toString('base64')}`,
});

/** Opens every route over `db`, with the limits of the program. */
async function open(db: Database, changed: Partial<Pick<RequestRecorder, 'isHeard'>> = {}) {
  const sealer = createSealer(randomBytes(32));
  const server = await openCalendarServer({ db, sealer, caldav: passwordProvider('caldav') });
  await makeUsers(server.deps, START);
  const { requestLog, log, now, people } = server.deps;
  const recorder = startRequestRecorder({ requestLog, log, now });
  const deps = {
    ...server.deps,
    answerListener: { isHeard: recorder.isHeard, heard: recorder.heard, ...changed },
  };
  const { app } = await openWholeApp({ ...server, deps }, sealer);
  return {
    ...{ db, server, app, requestLog, recorder },
    send: async (options: InjectOptions) => String((await app.inject(options)).headers['x-request-id']),
    /** Returns the browsers of a developer of `acme` and of one of `other`. */
    async developers() {
      const { signedIn } = dashboardBrowsers({ app, db, people, now });
      const [developer, other] = [await signedIn('developer'), await signedIn('developer')];
      await db.write(
        `UPDATE person_application SET client_id = 'other' WHERE person_id = :personId RETURNING person_id`,
        { personId: other.personId },
      );
      return { developer, other };
    },
    /** Stops everything. Returns the entries, and the table as text. */
    async stop() {
      await recorder.stop();
      const entries = await requestLog.listRequests({}, { limit: 10_000 });
      const rows = JSON.stringify(await db.all('SELECT * FROM request_log'));
      await app.close();
      await server.close();
      return { entries, rows };
    },
  };
}

type Opened = Awaited<ReturnType<typeof open>>;

const idOf = ({ headers }: Answer): string => String(headers['x-request-id']);

/** Sends requests that `/authorize` refuses with 400 and 414, and returns their ids. */
async function failToStart({ app }: Opened, clientId: string): Promise<string[]> {
  const browser = new Browser({ app });
  const queries = [
    'user_id=',
    'user_id=ada&scope=canary-scope',
    'user_id=ada&request_uri=urn:ietf:params:oauth:request_uri:canary',
    `user_id=ada&state=${'canary'.repeat(400)}`,
    `user_id=ada&state=${'canary'.repeat(2_000)}`,
  ];
  const addresses = ['/authorize', '/api/oauth/authorize'].flatMap((path) =>
    queries.map((query) => `${path}?client_id=${clientId}&${query}`),
  );
  addresses.push(`/authorize?client_id=${clientId}&user_id=ada&transaction=canary-canary-canary-x`);
  const ids: string[] = [];
  for (const address of addresses) ids.push(idOf(await browser.get(address)));
  return ids;
}

/** Sends a wrong secret in each way, and returns the ids. */
async function failToAuthenticate({ send }: Opened, clientId: string): Promise<string[]> {
  const payload = { client_id: clientId, client_secret: 'canary-secret', grant_type: 'refresh_token' };
  const headers = basic(clientId);
  return [
    await send({ method: 'POST', url: '/token', payload }),
    await send({ method: 'POST', url: '/api/oauth/par', payload }),
    await send({ method: 'POST', url: '/token', headers, payload: { grant_type: 'refresh_token' } }),
    await send({ method: 'GET', url: '/users/ada', headers }),
    await send({ method: 'GET', url: '/api/webhooks/deliveries', headers }),
    await send({ method: 'POST', url: '/availability', headers, payload: {} }),
  ];
}

/** Opens and sends the form for a password: in its browser (422, 429), in another one, and when it has expired. */
async function failToConnect({ app, server }: Opened): Promise<{ own: string[]; claimed: string[] }> {
  const [browser, stranger] = [new Browser({ app }), new Browser({ app })];
  const path = `/connect/caldav?transaction=${transactionOf(await browser.start({ user_id: 'ada' }))}&by=server`;
  const form = await browser.get(path);
  const typed = { server: 'https://canary.example', username: 'canary@people.example' };
  const submit = (password: string) => browser.submit(form, '/connect/caldav', { ...typed, password });
  const own = [await submit('canary-password'), await submit('rate_limited')].map(idOf);
  const claimed = [idOf(await stranger.get(path)), idOf(await stranger.submit(form, '/connect/caldav'))];
  server.clock.now += TWO_HOURS;
  claimed.push(idOf(await browser.get(path)));
  return { own, claimed };
}

onEachDatabase((name, openDatabase) => {
  describe(`failed requests that prove nothing, on ${name}`, () => {
    it('a refused start or a wrong secret is stored as claimed by the application that it names', async () => {
      const opened = await open(await openDatabase());
      const ids = [...(await failToStart(opened, 'acme')), ...(await failToAuthenticate(opened, 'acme'))];
      const { entries, rows } = await opened.stop();

      assert.deepEqual(entries.map(({ requestId }) => requestId).toSorted(), ids.toSorted());
      for (const { clientId, isClaimed, user, status, body, route } of entries) {
        assert.deepEqual([clientId, isClaimed, user], ['acme', true, undefined], `${route}`);
        assert.ok(status >= 400 && status < 500 && /"error"|"code"/.test(body ?? ''), `${route} ${status}`);
      }
      assert.doesNotMatch(rows, /canary/);
    });

    it('an application that does not exist is not stored', async () => {
      const opened = await open(await openDatabase());
      await failToStart(opened, 'canary-application');
      await failToAuthenticate(opened, 'canary-application');
      const { entries, rows } = await opened.stop();

      assert.equal(entries.length, 17);
      assert.ok(entries.every(({ clientId, isClaimed }) => clientId === undefined && !isClaimed));
      assert.doesNotMatch(rows, /canary/);
    });

    it('a started flow claims nothing', async () => {
      const opened = await open(await openDatabase(), { isHeard: () => true });
      await new Browser(opened).get('/authorize?client_id=acme&user_id=ada');
      const { entries } = await opened.stop();

      assert.deepEqual(entries.map(describeEntry), ['302 nobody']);
    });

    it('a Connect page belongs to its user in its own browser, and is claimed in another one or if it has expired', async () => {
      const opened = await open(await openDatabase());
      const { own, claimed } = await failToConnect(opened);
      const { entries, rows } = await opened.stop();
      const user = await opened.requestLog.userOf('acme', 'ada');

      const find = (ids: readonly string[]) =>
        ids.flatMap((id) => entries.filter(({ requestId }) => requestId === id));
      assert.deepEqual(find(own).map(describeEntry), ['422 acme', '429 acme']);
      assert.deepEqual(
        find(own).map((entry) => entry.user),
        [user, user],
      );
      const bodies = find(own).map(({ body }) => JSON.parse(body ?? '{}'));
      assert.equal(bodies[0].code, 'unauthorized');
      assert.match(bodies[1].message, /Too many attempts/);
      assert.deepEqual(find(claimed).map(describeEntry), Array(3).fill('400 claims acme'));
      assert.ok(find(claimed).every((entry) => entry.user === undefined));
      assert.doesNotMatch(rows, /canary/);
    });

    it('a developer finds these requests of their applications, marked as claimed, and no others', async () => {
      const opened = await open(await openDatabase());
      const { own, claimed } = await failToConnect(opened);
      claimed.push(...(await failToStart(opened, 'acme')), ...(await failToAuthenticate(opened, 'acme')));
      await opened.recorder.stop();
      const { developer, other } = await opened.developers();

      for (const id of [...own, ...claimed]) {
        assert.equal((await other.get(`${LIST}/${id}`)).status, 404, id);
        for (const path of [`${LIST}?request=${id}`, `${LIST}/${id}`]) {
          const { status, body } = await developer.get(path);
          assert.equal(status, 200);
          assert.equal(body.includes('<span class="chip">claimed</span>'), claimed.includes(id), path);
          assert.ok(body.includes(id));
          assert.ok(!(await other.get(`${LIST}?request=${id}`)).body.includes(`${LIST}/${id}`));
        }
      }
      assert.doesNotMatch((await other.get(`${LIST}?client=acme`)).body, /class="chip">claimed/);
      await opened.stop();
    });

    it('1,000 claimed requests a minute from one address, of many routes and codes, leave at most 60 entries', async () => {
      const opened = await open(await openDatabase());
      let count = 0;
      while (count < 1_000) {
        count += (await failToStart(opened, 'acme')).length;
        count += (await failToAuthenticate(opened, 'acme')).length;
      }
      const { entries } = await opened.stop();

      assert.equal(entries.length, 60);
      assert.ok(new Set(entries.map(({ route, status }) => `${route} ${status}`)).size >= 8);
      assert.ok(entries.every(({ repeated }) => repeated === 1));
    });
  });
});

const describeEntry = ({ status, clientId = 'nobody', isClaimed }: RequestEntry): string =>
  `${status} ${isClaimed ? 'claims ' : ''}${clientId}`;
