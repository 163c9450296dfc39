/** GET and DELETE /users/{user_id} with an application's own credentials, on the routes of the whole program. */
import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { readdir, readFile } from 'node:fs/promises';
import path from 'node:path';
import { after, before, beforeEach, describe, it } from 'node:test';

import type { FastifyInstance } from 'fastify';

import { createSealer } from '../../src/lib/sealing.ts';
import { auditLog } from '../../src/store/audit/audit-log.ts';
import { auditText } from '../harness/audit-text.ts';
import { type CalendarServer, link, openCalendarServer, START } from '../harness/calendar-server.ts';
import { openWholeApp } from '../harness/whole-app.ts';

const AT = new Date(START).toISOString();
const ODD_IDS = ['a b', 'a/b', 'a%2Fb', 'é😀', '?#&=+', '..a', 'ada@example.com', 'x'.repeat(512)];

const basic = (clientId: string, secret = clientId) =>
  `Basic ${Buffer.from(`${clientId}:${secret}`).toString('base64')}`;

describe('an application and its users', () => {
  const sealer = createSealer(randomBytes(32));
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
  beforeEach(async () => {
    await server.deps.users.deleteUser('acme', 'ada', { now: START, by: undefined });
    await server.deps.users.loadOrCreateUser('acme', 'ada', START);
  });

  const call = (
    method: 'GET' | 'DELETE',
    userId: string,
    authorization: string | undefined = basic('acme'),
  ) =>
    app.inject({
      method,
      url: `/users/${encodeURIComponent(userId)}`,
      headers: authorization === '' ? {} : { authorization },
    });

  const reconnect = (userId: string, payload: object, authorization = basic('acme')) =>
    app.inject({
      method: 'POST',
      url: `/users/${encodeURIComponent(userId)}/reconnect-links`,
      headers: authorization === '' ? {} : { authorization },
      payload,
    });

  it('an application is shown the accounts and living grants of its user, and no secret', async () => {
    const { accountKey } = await link(server);
    await server.token('read');

    const answer = await call('GET', 'ada');

    assert.equal(answer.statusCode, 200);
    assert.deepEqual(answer.json(), {
      user_id: 'ada',
      createdAt: AT,
      lastSeenAt: AT,
      accounts: [
        {
          provider: 'caldav',
          id: 'https://dav.example/ada/',
          display: 'ada@dav.example',
          linkedAt: AT,
          syncState: 'active',
          health: { state: 'active' },
        },
      ],
      grants: [{ scope: 'read', createdAt: AT, refreshedAt: AT }],
    });
    assert.ok(!answer.body.includes(accountKey));
    assert.equal(answer.headers['cache-control'], 'no-store');
  });

  it('an application creates a reconnect link for an account that its grant covers, and no entry of the audit log', async () => {
    await link(server);
    await server.token('read');

    const answer = await reconnect('ada', { provider: 'caldav', account: 'https://dav.example/ada/' });

    assert.equal(answer.statusCode, 201);
    const { url, expiresAt, ...rest } = answer.json();
    assert.match(url, /^https?:\/\/[^/]+\/reconnect\/[\w-]{100,}$/);
    assert.deepEqual([expiresAt, rest], [new Date(START + 7 * 86_400_000).toISOString(), {}]);
    const opened = await app.inject({ method: 'GET', url: new URL(url).pathname });
    assert.equal(opened.statusCode, 302);
    const entries = await auditLog(server.db).listEntries(
      { action: 'account.reconnect_link_created' },
      { limit: 9 },
    );
    assert.deepEqual(entries, []);
  });

  it('a reconnect link is refused for an unknown user, account or caller, and without a grant', async () => {
    await link(server);
    const account = { provider: 'caldav', account: 'https://dav.example/ada/' };
    const answers = [
      await reconnect('nobody', account),
      await reconnect('ada', { ...account, account: 'other' }),
      await reconnect('ada', { ...account, provider: 'google' }),
      await reconnect('ada', account),
      await reconnect('ada', { provider: 'caldav' }),
      await reconnect('ada', account, basic('other')),
      await reconnect('ada', account, ''),
    ];

    assert.deepEqual(
      answers.map((answer) => [answer.statusCode, answer.json().code ?? answer.json().error]),
      [
        [404, 'user_not_found'],
        [404, 'account_not_found'],
        [404, 'account_not_found'],
        [409, 'grant_required'],
        [400, 'invalid_request'],
        [404, 'account_not_found'],
        [401, 'invalid_client'],
      ],
    );
  });

  it('an application sees why an account of its user is unhealthy', async () => {
    const account = await link(server);
    const problem = { state: 'reauth_required', reason: 'password_refused', message: 'Refused' } as const;
    await server.deps.accounts.setHealth(account, problem, START);

    const [shown] = (await call('GET', 'ada')).json().accounts;

    assert.equal(shown.syncState, 'reauth_required');
    assert.deepEqual(shown.health, { state: 'reauth_required', reason: 'password_refused' });
  });

  it('an application is not shown what somebody is still connecting under the user’s id, and has it forgotten too', async () => {
    const transaction = { transactionId: 'still open', expiresAt: START + 1000 };
    await link(server, { transaction, accountId: 'https://dav.example/eve/' });

    const shown = (await call('GET', 'ada')).json().accounts;
    await call('DELETE', 'ada');

    assert.deepEqual(shown, []);
    const rows = await server.db.all("SELECT account_key FROM account WHERE client_id = 'acme'");
    assert.deepEqual(rows, []);
  });

  it('an application has a user forgotten: its accounts, its tokens and itself', async () => {
    await link(server);
    const token = await server.token();

    const answer = await call('DELETE', 'ada');

    const reading = await app.inject({ url: '/calendars', headers: { authorization: `Bearer ${token}` } });
    const { success, receipt, ...waiting } = answer.json();
    const had = { accounts: 1, grants: 1, calendars: 0, events: 0, changes: 0, deliveries: 0 };
    assert.deepEqual([answer.statusCode, success, receipt], [200, true, { deletedAt: AT, ...had }]);
    assert.deepEqual(waiting, { accessToEnd: 0, offDisk: true });
    assert.equal(reading.statusCode, 401);
    assert.deepEqual(await server.deps.accounts.listAccounts('acme', 'ada'), []);
    assert.equal((await call('GET', 'ada')).statusCode, 404);
    assert.ok(server.log.lines.some((line) => line.includes('"event":"users_forgotten"')));
    assert.ok(!server.log.lines.some((line) => line.includes('dav.example')));
  });

  it('the response to a deletion says when the deleted data is still on the disk', async () => {
    const busy = await openWholeApp(server, sealer, { clearLog: async () => false });
    const answer = await busy.app.inject({
      ...{ method: 'DELETE', url: '/users/ada' },
      headers: { authorization: basic('acme') },
    });
    await busy.app.close();
    assert.equal(answer.json().offDisk, false);
  });

  it('the audit log says that an application had its user deleted, and not who it was', async () => {
    await link(server);
    const deletions = () => auditLog(server.db).listEntries({ action: 'user.deleted' }, { limit: 200 });
    const earlier = await deletions();

    await call('DELETE', 'ada');
    await call('DELETE', 'ada');

    const [entry, ...others] = await deletions();
    assert.deepEqual(others, earlier);
    assert.deepEqual(
      [entry?.actor, entry?.address, entry?.clientId],
      [{ kind: 'system' }, '127.0.0.1', 'acme'],
    );
    assert.deepEqual([entry?.after, entry?.before?.accounts], [{ requested_by: 'application' }, 1]);
    assert.doesNotMatch(auditText({ ...entry }), /ada/);
  });

  it('an application is answered the same for a user that is forgotten already, or never was', async () => {
    await call('DELETE', 'ada');

    for (const userId of ['ada', 'nobody', 'a\0b', '\u0001', 'x'.repeat(1000)]) {
      const answer = await call('DELETE', userId);
      assert.deepEqual([answer.statusCode, answer.json()], [200, { success: true }], userId);
    }
  });

  it('a user that an application does not have is reported as user_not_found', async () => {
    for (const userId of ['nobody', 'Ada', 'ada ', 'a\0b', 'x'.repeat(1000)]) {
      const answer = await call('GET', userId);
      assert.equal(answer.statusCode, 404, userId);
      assert.equal(answer.json().code, 'user_not_found');
    }
  });

  it('an application neither sees nor forgets the user of another by the same id', async () => {
    await link(server);

    const seen = await call('GET', 'ada', basic('other'));
    await call('DELETE', 'ada', basic('other'));

    assert.deepEqual(seen.json().accounts, []);
    assert.equal((await call('GET', 'ada', basic('other'))).statusCode, 404);
    assert.equal((await call('GET', 'ada')).json().accounts.length, 1);
  });

  it('an application names a user by its percent-encoded id, whatever characters that has', async () => {
    for (const userId of ODD_IDS) {
      await server.deps.users.loadOrCreateUser('acme', userId, START);

      assert.equal((await call('GET', userId)).json().user_id, userId);
      await call('DELETE', userId);
      assert.equal((await call('GET', userId)).statusCode, 404);
    }
  });

  it('nobody but the application is answered: 401 with a challenge, and nothing is forgotten', async () => {
    const token = await server.token();
    const presented = ['', basic('acme', 'wrong'), basic('nobody'), 'Basic', 'Basic %%%', `Bearer ${token}`];
    for (const method of ['GET', 'DELETE'] as const) {
      for (const authorization of presented) {
        const answer = await call(method, 'ada', authorization);
        assert.equal(answer.statusCode, 401, `${method} ${authorization}`);
        assert.match(String(answer.headers['www-authenticate']), /^Basic realm=/);
        assert.equal(answer.json().error, 'invalid_client');
      }
    }
    assert.equal((await call('GET', 'ada')).statusCode, 200);
  });

  it('an application reaches its users at every mount', async () => {
    for (const prefix of ['', '/api', '/api/oauth']) {
      const answer = await app.inject({
        url: `${prefix}/users/ada`,
        headers: { authorization: basic('acme') },
      });
      assert.equal(answer.statusCode, 200, prefix);
    }
  });
});

describe('the disk after an application deleted a user', () => {
  let server: CalendarServer;
  let app: FastifyInstance;
  let folder: string;
  before(async () => {
    const sealer = createSealer(randomBytes(32));
    server = await openCalendarServer({ sealer });
    ({ app } = await openWholeApp(server, sealer, { clearLog: () => server.db.clearLog() }));
    const [main] = await server.db.all<{ file: string }>('SELECT file FROM pragma_database_list');
    folder = path.dirname(main?.file ?? '');
  });
  after(async () => {
    await app.close();
    await server.close();
  });
  beforeEach(async () => {
    await server.deps.users.loadOrCreateUser('acme', 'ada', START);
    await link(server, { accountId: 'https://dav.example/canary/' });
  });

  const isOnDisk = async () => {
    const files = await readdir(folder);
    const contents = await Promise.all(files.map((name) => readFile(path.join(folder, name))));
    return contents.some((bytes) => bytes.includes('canary'));
  };
  const deleteAda = () =>
    app.inject({ method: 'DELETE', url: '/users/ada', headers: { authorization: basic('acme') } });

  it('a deleted user has left the database’s files when the response comes', async () => {
    const before = await isOnDisk();

    const answer = await deleteAda();

    assert.deepEqual([before, await isOnDisk()], [true, false]);
    assert.equal(answer.json().offDisk, true);
  });

  it('the deletion of a user that does not exist does not wait for the disk', async () => {
    await server.deps.users.deleteUser('acme', 'ada', { now: START, by: undefined });

    assert.deepEqual((await deleteAda()).json(), { success: true });

    assert.equal(await isOnDisk(), true);
  });
});
