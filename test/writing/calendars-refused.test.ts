/** Writes to calendars that are refused, and those that are repeated. */
import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';

import { ProviderError } from '../../src/calendars/provider-error.ts';
import { type CalendarServer, get, link, openCalendarServer } from '../harness/calendar-server.ts';
import { ADA, openBench } from '../providers/provider-bench.ts';
import { FULL, type Listed, RGB, send } from './calendar-request.ts';

describe('a calendar that may not be written', () => {
  it('a calendar is refused at Google for want of the calendar permission, with what to do', async (t) => {
    const bench = await openBench('google');
    t.after(() => bench.close());
    await bench.link({ scope: 'read-write' });
    await bench.read();

    const { status, body } = await send(bench.server, 'POST', { provider: 'google', title: 'New' });

    assert.deepEqual([status, body.code], [403, 'calendar_permission_required']);
    assert.match(body.message, /auth\/calendar\b/);
    assert.deepEqual(body.accounts, [{ provider: 'google', account: 'ada@example.com' }]);
    assert.equal((await bench.read()).health.state, 'active');
  });

  it('a calendar is refused at Google when the user unticked it, and events are written all the same', async (t) => {
    const bench = await openBench('google', { asksForCalendars: true });
    t.after(() => bench.close());
    await bench.link({ scope: 'read-write', untick: [`${FULL}.calendars`] });
    await bench.read();

    const { status, body } = await send(bench.server, 'POST', { provider: 'google', title: 'New' });
    const event = { title: 'Lunch', start: '2027-03-01T10:00:00Z', end: '2027-03-01T11:00:00Z' };
    const made = await bench.server.app.inject({
      method: 'POST',
      url: '/event',
      headers: { authorization: `Bearer ${await bench.server.token()}` },
      payload: { provider: 'google', calendarId: bench.calendarId, ...event },
    });

    assert.deepEqual([status, body.code], [403, 'calendar_permission_required']);
    assert.equal(made.statusCode, 200, made.body);
    const { permission, health } = await bench.read();
    assert.deepEqual([permission, health.state], [true, 'active']);
  });

  it('a calendar is refused when the account was connected for reading', async (t) => {
    const bench = await openBench('microsoft');
    t.after(() => bench.close());
    await bench.link({ scope: 'read' });
    await bench.read();

    const { status, body } = await send(bench.server, 'POST', { provider: 'microsoft', title: 'New' });

    assert.deepEqual([status, body.code], [403, 'calendar_permission_required']);
    assert.equal(bench.requests('calendars.create'), 0);
  });

  for (const kind of ['google', 'microsoft'] as const) {
    it(`a calendar is not deleted when it is the main one at ${kind}`, async (t) => {
      const bench = await openBench(kind);
      t.after(() => bench.close());
      await bench.link({ scope: 'read-write', besides: kind === 'google' ? [FULL] : [] });
      await bench.read();
      const all = (await get(bench.server, '/calendars', await bench.server.token())).json();
      const { id } = all.find((one: { primary: boolean }) => one.primary);

      const { status, body } = await send(bench.server, 'DELETE', { provider: kind, calendarId: id });

      assert.deepEqual([status, body.code], [422, 'calendar_not_deletable']);
      assert.equal(bench.requests('calendars.delete'), 0);
    });
  }

  it('a calendar is not deleted at Google by an owner who is not its data owner, whom the refusal names', async (t) => {
    const bench = await openBench('google');
    t.after(() => bench.close());
    const dataOwner = 'grace@example.com';
    const shared = { title: 'Shared', timeZone: 'UTC', dataOwner };
    const calendarIds = (['owner', 'writer'] as const).map((role) =>
      bench.google().shareCalendar(ADA.email, { ...shared, role }),
    );
    await bench.link({ scope: 'read-write', besides: [FULL] });
    await bench.read();

    for (const calendarId of calendarIds) {
      const { status, body } = await send(bench.server, 'DELETE', { provider: 'google', calendarId });

      assert.deepEqual([status, body.code], [422, 'calendar_not_deletable']);
      assert.match(body.message, /data owner, grace@example\.com,/);
    }
  });

  it('a calendar is not deleted while Google is out of order, which is no refusal of the deletion', async (t) => {
    const bench = await openBench('google');
    t.after(() => bench.close());
    await bench.link({ scope: 'read-write', besides: [FULL] });
    await bench.read();
    bench.fault({ kind: 'status', status: 503 }, 'calendars.delete');

    const { calendarId } = bench;
    const { status, body } = await send(bench.server, 'DELETE', { provider: 'google', calendarId });

    assert.deepEqual([status, body.code], [503, 'provider_unavailable']);
  });

  for (const kind of ['google', 'microsoft', 'apple', 'caldav'] as const) {
    it(`a calendar is not there any more at ${kind}: a change is 404, a deletion is done`, async (t) => {
      const bench = await openBench(kind);
      t.after(() => bench.close());
      await bench.link({ scope: 'read-write', besides: kind === 'google' ? [FULL] : [] });
      const one = { title: 'One', timeZone: 'Europe/Paris' };
      const ids = [
        await bench.manual.addCalendar(ADA.email, one),
        await bench.manual.addCalendar(ADA.email, { ...one, title: 'Other' }),
      ];
      await bench.read();
      for (const id of ids) await bench.manual.removeCalendar(ADA.email, id);
      const [changed, deleted] = ids.map((calendarId) => ({ provider: kind, calendarId }));

      const deletion = await send(bench.server, 'DELETE', { ...deleted });
      const again = await send(bench.server, 'PUT', { ...changed, title: 'Late' });

      assert.deepEqual([deletion.status, again.status, again.body.code], [200, 404, 'calendar_not_found']);
    });
  }

  it('a calendar that is deleted between the list and the change is reported as not found', async (t) => {
    const bench = await openBench('google');
    t.after(() => bench.close());
    await bench.link({ scope: 'read-write', besides: [FULL] });
    const id = await bench.manual.addCalendar(ADA.email, { title: 'One', timeZone: 'Europe/Paris' });
    await bench.read();
    await bench.manual.removeCalendar(ADA.email, id);

    const { status, body } = await send(bench.server, 'PUT', {
      provider: 'google',
      calendarId: id,
      title: 'Late',
    });

    assert.deepEqual([status, body.code], [404, 'calendar_not_found']);
    const all: Listed[] = (await get(bench.server, '/calendars', await bench.server.token())).json();
    assert.ok(!all.some((calendar) => calendar.id === id));
  });

  for (const kind of ['apple', 'caldav'] as const) {
    it(`a calendar is made once at ${kind} when the first answer was lost and the request is repeated`, async (t) => {
      const bench = await openBench(kind);
      t.after(() => bench.close());
      await bench.link();
      await bench.read();
      const body = { provider: kind, title: 'Once', color: RGB.first };
      const key = { 'idempotency-key': 'lost' };

      bench.fault({ kind: 'lost_answer' }, 'MKCALENDAR', 1);
      const first = await send(bench.server, 'POST', body, key);
      bench.pass(60_000);
      const again = await send(bench.server, 'POST', body, key);

      assert.deepEqual([first.status, again.status], [503, 200], JSON.stringify(again.body));
      bench.pass(60_000);
      const all: Listed[] = (await get(bench.server, '/calendars', await bench.server.token())).json();
      const made = all.filter(({ title }) => title === 'Once');
      assert.deepEqual(
        made.map(({ id, color }) => [id, color]),
        [[again.body.id, RGB.first]],
      );
    });
  }

  it('a calendar is not made under a name that Outlook has already', async (t) => {
    const bench = await openBench('microsoft');
    t.after(() => bench.close());
    await bench.link({ scope: 'read-write' });
    await bench.read();

    const { status, body } = await send(bench.server, 'POST', { provider: 'microsoft', title: 'work' });

    assert.deepEqual([status, Object.keys(body.details)], [422, ['title']]);
  });
});

describe('a request about a calendar', () => {
  let server: CalendarServer;
  before(async () => {
    server = await openCalendarServer();
    await link(server);
  });
  after(() => server.close());

  it('a request about a calendar names every field that is wrong', async () => {
    const { status, body } = await send(server, 'POST', {
      provider: 'fax',
      title: 7,
      color: 'a color',
      timeZone: 'Mars/Base',
      description: ['x'],
    });

    assert.deepEqual([status, body.code], [400, 'invalid_request']);
    const wrong = ['color', 'description', 'provider', 'timeZone', 'title'];
    assert.deepEqual(Object.keys(body.details).sort(), wrong);
  });

  it('a request about a calendar needs provider and title to make one, and provider and id to change or delete one', async () => {
    for (const [method, missing] of [
      ['POST', ['provider', 'title']],
      ['PUT', ['calendarId', 'provider']],
      ['DELETE', ['calendarId', 'provider']],
    ] as const) {
      const { status, body } = await send(server, method, { title: null });
      assert.deepEqual([status, Object.keys(body.details).sort()], [400, missing], method);
    }
    assert.equal((await send(server, 'POST', ['x'])).status, 400);
  });

  it('a request about a calendar that is not the user’s is answered 404', async () => {
    const elsewhere = { provider: 'caldav', calendarId: 'https://dav.example/ben/', title: 'Mine' };

    assert.equal((await send(server, 'PUT', elsewhere)).body.code, 'calendar_not_found');
    assert.equal((await send(server, 'DELETE', elsewhere)).body.code, 'calendar_not_found');
    const nobody = { provider: 'google', title: 'Mine' };
    assert.equal((await send(server, 'POST', nobody)).body.code, 'account_not_found');
  });

  it('a request about a calendar must say which of two accounts it is about', async () => {
    await link(server, { accountId: 'https://dav.example/ada-too/' });

    const vague = await send(server, 'POST', { provider: 'caldav', title: 'Where' });
    const account = 'https://dav.example/ada-too/';
    const clear = await send(server, 'POST', { provider: 'caldav', title: 'There', account });

    assert.deepEqual([vague.status, Object.keys(vague.body.details)], [400, ['account']]);
    assert.deepEqual([clear.status, clear.body.account], [200, account]);
  });

  it('a request about a calendar needs the scope read-write, at every mount', async () => {
    for (const scope of ['free-busy', 'read'] as const) {
      const headers = { authorization: `Bearer ${await server.token(scope)}` };
      for (const method of ['POST', 'PUT', 'DELETE'] as const) {
        for (const url of ['/calendars', '/api/calendars']) {
          const answer = await server.app.inject({ method, url, headers, payload: {} });
          assert.deepEqual([answer.statusCode, answer.json().code], [403, 'insufficient_scope']);
        }
      }
    }
    const anybody = await server.app.inject({ method: 'POST', url: '/calendars', payload: {} });
    assert.equal(anybody.statusCode, 401);
  });

  it('a calendar is deleted by the query as well', async () => {
    const made = await send(server, 'POST', {
      provider: 'caldav',
      title: 'Short-lived',
      account: 'https://dav.example/ada/',
    });
    const query = new URLSearchParams({ provider: 'caldav', calendarId: made.body.id });

    const answer = await server.app.inject({
      method: 'DELETE',
      url: `/calendars?${query}`,
      headers: { authorization: `Bearer ${await server.token()}` },
    });

    assert.deepEqual([answer.statusCode, answer.json().success], [200, true]);
    assert.equal(server.provider.calendars.has(made.body.id), false);
  });

  it('creating a calendar returns 503 when the list cannot be read back, and a job continues', async () => {
    server.provider.failures.push({ call: 'list', error: new ProviderError('unavailable', 'Down') });

    const account = 'https://dav.example/ada/';
    const { status, body } = await send(server, 'POST', { provider: 'caldav', title: 'Unseen', account });

    assert.deepEqual([status, body.code], [503, 'sync_in_progress']);
    assert.ok(server.provider.calls.includes('make Unseen'));
  });

  it('a request about a calendar does not wait for ever for a list that another run holds', async (t) => {
    const impatient = await openCalendarServer({ writing: { turnBound: 100 } });
    t.after(() => impatient.close());
    const { accountKey } = await link(impatient);
    const now = impatient.clock.now;
    await impatient.deps.mirror.leaseList({ key: accountKey, holder: 'dead' }, now, now + 90_000);

    const { status, body } = await send(impatient, 'POST', { provider: 'caldav', title: 'Late' });

    assert.deepEqual([status, body.code], [503, 'sync_in_progress']);
  });
});
