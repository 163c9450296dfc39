/**
 * GET /calendars, the connections, and what is to come, as docs/wire.md 1.4 to 1.6, 1.8, 1.12, 2.2 to 2.4 and
 * 3.2 state them.
 */
import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { codeIsWithdrawn, makeCode } from '../contract/calendar-rows.ts';
import { calendar } from '../contract/mirror-rows.ts';
import { type CalendarServer, get, link, openCalendarServer, START } from '../harness/calendar-server.ts';

describe('GET /calendars', () => {
  let server: CalendarServer;
  before(async () => {
    server = await openCalendarServer();
    server.provider.addCalendar(
      calendar('/b/', { primary: true, description: 'B', color: '#ff0000', timeZone: 'Asia/Tokyo' }),
    );
    server.provider.addCalendar(calendar('/a/'));
    server.apple.addCalendar(calendar('/apple/'));
    await link(server);
    await link(server, { provider: 'apple', accountId: 'ada@icloud.example' });
  });
  after(() => server.close());

  it('GET /calendars answers a bare array, grouped by provider, each in the order of its provider', async () => {
    const answer = await get(server, '/calendars', await server.token('read'));

    assert.equal(answer.statusCode, 200);
    assert.equal(answer.headers['content-type'], 'application/json; charset=utf-8');
    assert.deepEqual(answer.json(), [
      {
        provider: 'apple',
        account: 'ada@icloud.example',
        accountName: 'ada@dav.example',
        id: '/apple/',
        title: 'Calendar /apple/',
        timeZone: 'Europe/Paris',
        primary: true,
        access: 'write',
        original: { href: '/apple/' },
      },
      {
        provider: 'caldav',
        account: 'https://dav.example/ada/',
        accountName: 'ada@dav.example',
        id: '/b/',
        title: 'Calendar /b/',
        timeZone: 'Asia/Tokyo',
        color: '#ff0000',
        description: 'B',
        primary: true,
        access: 'write',
        original: { href: '/b/' },
      },
      {
        provider: 'caldav',
        account: 'https://dav.example/ada/',
        accountName: 'ada@dav.example',
        id: '/a/',
        title: 'Calendar /a/',
        timeZone: 'Europe/Paris',
        primary: false,
        access: 'write',
        original: { href: '/a/' },
      },
    ]);
  });

  it('GET /calendars is the same at both mounts, ignores parameters, and takes a JSON content type without a body', async () => {
    const token = await server.token('read');
    const plain = await get(server, '/calendars', token);

    const other = await server.app.inject({
      url: '/api/calendars?x=1',
      headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
    });

    assert.deepEqual(other.json(), plain.json());
  });

  it('GET /calendars is forbidden for scope free-busy, in the documented words', async () => {
    const answer = await get(server, '/calendars', await server.token('free-busy'));

    const message = 'Calendar list access is forbidden for free-busy scope';
    assert.equal(answer.statusCode, 403);
    assert.deepEqual([answer.json().error, answer.json().message], [message, message]);
  });

  it('GET /calendars is empty for a user without accounts, and no other user sees these', async () => {
    const ben = await get(server, '/calendars', await server.token('read', 'ben'));
    const other = await get(server, '/calendars', await server.token('read', 'ada', 'other'));

    assert.deepEqual([ben.json(), other.json()], [[], []]);
  });

  it('GET /calendars needs a token', async () => {
    assert.equal((await server.app.inject({ url: '/calendars' })).statusCode, 401);
  });

  it('GET /calendars says so when accounts are connected but none gave access to its calendars', async () => {
    const refused = {
      userId: 'ben',
      provider: 'google',
      accountId: 'ben@g.example',
      calendarPermission: false,
    } as const;
    await link(server, refused);

    for (const path of ['/calendars', '/events']) {
      const answer = await get(server, path, await server.token('read', 'ben'));

      assert.equal(answer.statusCode, 403);
      assert.deepEqual(answer.json(), {
        error: 'Forbidden',
        code: 'calendar_permission_required',
        message: 'No connected account has calendar access: send the user to /authorize to allow it',
        accounts: [{ provider: 'google', account: 'ben@g.example' }],
      });
    }
  });
});

describe('the connections of a user', () => {
  let server: CalendarServer;
  let token: string;
  before(async () => {
    server = await openCalendarServer();
    token = await server.token('free-busy');
  });
  after(() => server.close());

  const status = async () => (await get(server, '/connection-status', token)).json();
  const disconnect = (query: string, payload?: unknown) =>
    server.app.inject({
      method: 'POST',
      url: `/disconnect${query}`,
      headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
      ...(payload === undefined ? {} : { payload: JSON.stringify(payload) }),
    });
  const ids = async () => (await status()).connections.caldav.map(({ id }: { id: string }) => id);

  it('the connections of a user have four keys, whatever is connected', async () => {
    assert.deepEqual(await status(), {
      connections: { google: [], microsoft: [], apple: [], caldav: [] },
      limitReached: false,
    });
  });

  it('the connections of a user show each account with its state; one whose provider is down is active there', async () => {
    const caldav = await link(server, { accountId: 'a' });
    const google = {
      provider: 'google',
      accountId: 'g',
      grantedScopes: ['x'],
      calendarPermission: true,
    } as const;
    const refused = await link(server, google);
    const down = { state: 'degraded', reason: 'provider_unavailable', message: 'Down' } as const;
    await server.deps.accounts.setHealth(caldav, down, START);
    const revoked = { state: 'reauth_required', reason: 'access_revoked', message: 'Revoked' } as const;
    await server.deps.accounts.setHealth(refused, revoked, START + 1);

    const { connections } = await status();

    assert.deepEqual(connections.caldav, [
      {
        id: 'a',
        display: 'ada@dav.example',
        grantedScopes: [],
        calendarPermissionGranted: null,
        syncState: 'active',
        syncStateUpdatedAt: null,
        health: {
          state: 'degraded',
          reason: 'provider_unavailable',
          actor: 'nobody',
          message: 'Down',
          since: '2026-11-15T12:00:00.000Z',
        },
        updates: 'polling',
        lastSyncedAt: null,
        firstSync: { calendars: 0, calendarsRead: 0, events: 0, eventsExpected: null },
      },
    ]);
    assert.deepEqual(
      [connections.google[0].syncState, connections.google[0].syncStateUpdatedAt],
      ['reauth_required', '2026-11-15T12:00:00.001Z'],
    );
    assert.deepEqual(
      [connections.google[0].calendarPermissionGranted, connections.google[0].health.actor],
      [true, 'user'],
    );
    assert.equal((await get(server, '/api/connection-status', token)).statusCode, 200);
  });

  for (const [how, send] of [
    ['with an empty object as body', () => disconnect('?provider=caldav&account=x', {})],
    ['with an empty list as body', () => disconnect('?provider=caldav&account=x', [])],
    ['without a body', () => disconnect('?provider=caldav&account=x')],
    ['with both in the body', () => disconnect('', { provider: 'caldav', account: 'x', more: 1 })],
    ['with the query before the body', () => disconnect('?account=x&provider=CalDAV', { account: 'a' })],
    ['with null in the body', () => disconnect('?provider=caldav&account=x', { account: null })],
  ] as const) {
    it(`the named account is disconnected ${how}`, async () => {
      await link(server, { accountId: 'x' });

      const answer = await send();

      assert.equal(answer.statusCode, 200, answer.body);
      assert.equal(answer.json().success, true);
      assert.equal(typeof answer.json().message, 'string');
      assert.deepEqual(await ids(), ['a']);
    });
  }

  it('without an account all of a provider are disconnected, again and again with the same answer', async () => {
    await link(server, { accountId: 'b' });
    await makeCode(server.db, 'ada');

    const answers = [
      await disconnect('?provider=caldav'),
      await disconnect('?provider=caldav&account=unknown'),
    ];

    assert.deepEqual(
      answers.map(({ statusCode }) => statusCode),
      [200, 200],
    );
    assert.deepEqual(await ids(), []);
    assert.equal(await codeIsWithdrawn(server.db, 'ada'), false, 'the Google account is left');
    await disconnect('?provider=google');
    assert.equal(await codeIsWithdrawn(server.db, 'ada'), true);
  });

  it('the connections of a user are not touched by a request without a usable provider', async () => {
    for (const send of [
      () => disconnect(''),
      () => disconnect('?provider='),
      () => disconnect('?provider=outlook'),
      () => disconnect('', { provider: 5 }),
      () => disconnect('', { provider: ['caldav'] }),
      () => disconnect('', 'caldav'),
    ]) {
      const answer = await send();
      assert.equal(answer.statusCode, 400, answer.body);
      assert.equal(typeof answer.json().message, 'string');
      assert.ok(Array.isArray(answer.json().details.provider));
    }
    for (const account of [5, '']) {
      const answer = await disconnect('', { provider: 'caldav', account });
      assert.ok(Array.isArray(answer.json().details.account), 'never taken for all accounts');
    }
  });

  it('the connections are of the user alone: nobody else sees or disconnects them', async () => {
    await link(server, { accountId: 'mine' });
    const ben = await server.token('read-write', 'ben');

    const answer = await server.app.inject({
      method: 'POST',
      url: '/disconnect?provider=caldav&account=mine',
      headers: { authorization: `Bearer ${ben}` },
    });

    assert.equal(answer.statusCode, 200);
    assert.deepEqual(await ids(), ['mine']);
    assert.deepEqual((await get(server, '/connection-status', ben)).json().connections.caldav, []);
  });

  it('the connections need a token, before anything is said about the body', async () => {
    const answer = await server.app.inject({
      method: 'POST',
      url: '/disconnect',
      headers: { 'content-type': 'application/json' },
      payload: '{broken',
    });

    assert.equal(answer.statusCode, 401);
    assert.equal((await server.app.inject({ url: '/connection-status' })).statusCode, 401);
  });
});

describe('who may write, and what is to come', () => {
  let server: CalendarServer;
  before(async () => {
    server = await openCalendarServer();
  });
  after(() => server.close());

  const call = async (method: 'POST' | 'PUT' | 'DELETE', url: string, bearer?: string) =>
    server.app.inject({
      method,
      url,
      headers: {
        'content-type': 'application/json',
        ...(bearer ? { authorization: `Bearer ${bearer}` } : {}),
      },
      payload: '{"provider": broken',
    });

  for (const prefix of ['', '/api']) {
    for (const method of ['POST', 'PUT', 'DELETE'] as const) {
      it(`${method} ${prefix}/event answers 401, then 403, then what is wrong with the body`, async () => {
        const url = `${prefix}/event`;

        assert.equal((await call(method, url)).statusCode, 401);
        for (const scope of ['read', 'free-busy'] as const) {
          const answer = await call(method, url, await server.token(scope));
          assert.equal(answer.statusCode, 403);
          assert.equal(answer.json().error, 'Forbidden');
          assert.equal(answer.json().message, 'Write access denied for current scope');
        }
        const answer = await call(method, url, await server.token('read-write'));
        assert.equal(answer.statusCode, 400);
        assert.equal(answer.json().code, 'invalid_request');
        assert.equal(answer.json().message, 'The body is not valid JSON');
      });
    }
  }
});
