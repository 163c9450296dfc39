/** An account whose user let the application see no calendars (docs/wire.md 2.2, 3.2). */
import assert from 'node:assert/strict';
import { afterEach, beforeEach, describe, it } from 'node:test';

import { ProviderError } from '../../src/calendars/provider-error.ts';
import { calendar, event, resource } from '../contract/mirror-rows.ts';
import { type CalendarServer, get, link, openCalendarServer, START } from '../harness/calendar-server.ts';
import { APP, FakeRedirectProvider } from '../harness/fake-redirect-provider.ts';

describe('an account without the calendar permission', () => {
  const clock = { now: START };
  let server: CalendarServer;
  let google: FakeRedirectProvider;
  let token: string;
  beforeEach(async () => {
    clock.now = START;
    google = new FakeRedirectProvider('google', () => clock.now);
    server = await openCalendarServer({ clock, google: google.asProvider(), apps: { google: APP } });
    google.calendars.addCalendar(calendar('/g/'));
    google.calendars.put('/g/', resource('one', event('2026-11-10T09:00:00', { title: 'One' })));
    token = await server.token();
  });
  afterEach(() => server.close());

  const linkGoogle = (calendarPermission: boolean) =>
    link(server, {
      provider: 'google',
      accountId: 'ada@example.com',
      calendarPermission,
      credentials: google.issue(),
    });
  const connection = async () =>
    (await get(server, '/connection-status', token)).json().connections.google[0];
  const missing = () =>
    new ProviderError('permission_missing', 'No calendars', { reason: 'calendar_permission_missing' });

  it('an account without the calendar permission is active, as its credentials work; its user must act', async () => {
    await linkGoogle(false);

    const answer = await get(server, '/events', token);

    const { calendarPermissionGranted, syncState, syncStateUpdatedAt, health } = await connection();
    assert.deepEqual([calendarPermissionGranted, syncState, syncStateUpdatedAt], [false, 'active', null]);
    assert.deepEqual([health.reason, health.actor], ['calendar_permission_missing', 'user']);
    assert.deepEqual([answer.statusCode, answer.json().code], [403, 'calendar_permission_required']);
    assert.deepEqual(answer.json().accounts, [{ provider: 'google', account: 'ada@example.com' }]);
  });

  it('an account without the permission is not taken for well because its provider lists calendars to it all the same', async () => {
    const { accountKey } = await linkGoogle(false);
    google.calendars.failures.push({ call: 'changes', error: missing() });
    clock.now += 60_000;

    await server.deps.sync.syncNewCalendars(accountKey, clock.now);

    const { calendarPermissionGranted, health } = await connection();
    assert.deepEqual([calendarPermissionGranted, health.since], [false, new Date(START).toISOString()]);
  });

  it('an account without the permission is not taken for well by its list once something else was the matter too', async () => {
    const { accountKey } = await linkGoogle(false);
    const demanded = new ProviderError('unauthorized', 'Again', { reason: 'reauthentication_demanded' });
    google.calendars.failures.push({ call: 'list', error: demanded });
    await server.deps.sync.syncList(accountKey, clock.now);
    clock.now += 60_000;

    await server.deps.sync.syncList(accountKey, clock.now);

    const { calendarPermissionGranted, syncState, syncStateUpdatedAt, health } = await connection();
    assert.deepEqual([calendarPermissionGranted, health.state], [false, 'reauth_required']);
    assert.deepEqual(
      [syncState, syncStateUpdatedAt],
      ['reauth_required', new Date(START).toISOString()],
      'the credentials are refused too',
    );
  });

  it('an account that lacked the calendar permission is well again once its events can be read', async () => {
    const { accountKey } = await linkGoogle(false);

    await server.deps.sync.syncNewCalendars(accountKey, clock.now);

    const { calendarPermissionGranted, syncState } = await connection();
    assert.deepEqual([calendarPermissionGranted, syncState], [true, 'active']);
    assert.equal((await get(server, '/events', token)).json().events.length, 1);
  });

  it('an account without the calendar permission does not hide the events of others, and has an error', async () => {
    await linkGoogle(true);
    await link(server);
    google.calendars.failures.push({ call: 'changes', error: missing() });
    await get(server, '/events', token);

    const answer = (await get(server, '/events', token)).json();

    assert.deepEqual(
      answer.errors.map(({ provider, code, actor }: Record<string, string>) => [provider, code, actor]),
      [['google', 'calendar_permission_required', 'user']],
    );
  });
});
