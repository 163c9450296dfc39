/** Calendars made, changed and deleted over HTTP on the sandbox's four providers, and on Radicale. */
import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';

import { ProviderError } from '../src/calendars/provider-error.ts';
import type { ProviderKind } from '../src/calendars/provider-kind.ts';
import { createEgress } from '../src/lib/egress/egress.ts';
import { caldavProvider } from '../src/providers/caldav/caldav-provider.ts';
import { type CalendarServer, get, link, openCalendarServer } from './calendar-server.ts';
import { counterpart } from './counterpart.ts';
import { ADA, openBench } from './provider-bench.ts';
import { CYRUS, startCyrus } from './servers/cyrus.ts';
import { USERS } from './servers/process.ts';
import { RADICALE, startRadicale } from './servers/radicale.ts';
import { recordingLog } from './servers/recording-log.ts';
import { startXandikos, XANDIKOS } from './servers/xandikos.ts';

const FULL = 'https://www.googleapis.com/auth/calendar';

type Place = {
  readonly provider: ProviderKind;
  readonly server: CalendarServer;
  /** Time passes, so that the next read asks the provider again. */
  pass(): void;
  close(): Promise<void>;
};

async function onSandbox(kind: ProviderKind): Promise<Place> {
  const bench = await openBench(kind);
  await bench.link({ scope: 'read-write', besides: kind === 'google' ? [FULL] : [] });
  await bench.read();
  const { server } = bench;
  return { provider: kind, server, pass: () => bench.pass(60_000), close: () => bench.close() };
}

async function onServer(start: typeof startRadicale): Promise<Place> {
  const running = await start(['work']);
  const egress = createEgress({ privateNetwork: { mode: 'loopback' } });
  const caldav = caldavProvider({ egress, log: recordingLog().log, now: Date.now });
  const server = await openCalendarServer({ caldav });
  const typed = { server: running.typed, username: 'ada', password: USERS.ada ?? '' };
  const { accountId, display, credentials } = await caldav.signIn.verify(typed);
  await link(server, { accountId, display, credentials });
  return {
    provider: 'caldav',
    server,
    pass() {
      server.clock.now += 60_000;
    },
    async close() {
      await server.close();
      await egress.close();
      await running.stop();
    },
  };
}

/** Colours as each provider takes them; Outlook has names. */
const RGB = { first: '#1a73e8', second: '#d50000' };
const NAMES = { first: 'lightBlue', second: 'lightRed' };

for (const kind of ['google', 'microsoft', 'apple', 'caldav'] as const)
  calendarsOn(`the sandbox’s ${kind}`, () => onSandbox(kind), {});
calendarsOn('Radicale', () => onServer(startRadicale), counterpart('Radicale', RADICALE));
calendarsOn('Xandikos', () => onServer(startXandikos), counterpart('Xandikos', XANDIKOS));
calendarsOn('Cyrus', () => onServer(startCyrus), counterpart('Cyrus', CYRUS, { root: true }));

type Listed = { id: string; title: string; color?: string; description?: string; timeZone: string };

async function send(
  server: CalendarServer,
  method: 'POST' | 'PUT' | 'DELETE',
  body: object,
  headers: Record<string, string> = {},
) {
  const authorization = `Bearer ${await server.token()}`;
  const answer = await server.app.inject({
    method,
    url: '/calendars',
    headers: { authorization, ...headers },
    payload: body,
  });
  return { status: answer.statusCode, body: answer.json() };
}

function calendarsOn(name: string, open: () => Promise<Place>, options: { skip?: string | false }): void {
  describe(`calendars on ${name}`, options, () => {
    let at: Place;
    before(async () => {
      at = await open();
    });
    after(() => at?.close());

    const colors = () => (at.provider === 'microsoft' ? NAMES : RGB);
    async function sent(method: 'POST' | 'PUT' | 'DELETE', body: object) {
      const answer = await send(at.server, method, { provider: at.provider, ...body });
      assert.equal(answer.status, 200, JSON.stringify(answer.body));
      assert.equal(answer.body.success, true);
      return answer.body;
    }
    async function listed(id: string): Promise<Listed | undefined> {
      const all: Listed[] = (await get(at.server, '/calendars', await at.server.token())).json();
      return all.find((one) => one.id === id);
    }
    /** What a reader sees now, and the same once the provider was asked again. */
    async function seen(id: string, check: (calendar: Listed | undefined) => void): Promise<void> {
      check(await listed(id));
      at.pass();
      check(await listed(id));
    }

    it('makes, renames, recolours and deletes a calendar', async () => {
      const made = await sent('POST', { title: 'Lectures & more', color: colors().first });
      assert.equal(made.calendar.id, made.id);
      assert.deepEqual([made.title, made.access, made.provider], ['Lectures & more', 'write', at.provider]);
      assert.match(made.color, /^#[\da-f]{6}$/);
      if (at.provider !== 'microsoft') assert.equal(made.color, RGB.first);
      await seen(made.id, (calendar) => assert.equal(calendar?.title, 'Lectures & more'));

      const id = { calendarId: made.id };
      const renamed = await sent('PUT', { ...id, title: 'Seminars' });
      assert.deepEqual([renamed.title, renamed.color], ['Seminars', made.color]);
      const painted = await sent('PUT', { ...id, color: colors().second });
      assert.notEqual(painted.color, made.color);
      await seen(made.id, (calendar) =>
        assert.deepEqual([calendar?.title, calendar?.color], ['Seminars', painted.color]),
      );

      await sent('DELETE', id);
      await seen(made.id, (calendar) => assert.equal(calendar, undefined));
      assert.equal(
        (await send(at.server, 'PUT', { provider: at.provider, ...id, title: 'Late' })).status,
        404,
      );
    });

    it('keeps description and zone, or says that it cannot', async () => {
      const words = { title: 'Described', description: 'Who & why', timeZone: 'America/New_York' };
      if (at.provider === 'microsoft' || name === 'Xandikos') {
        const { status, body } = await send(at.server, 'POST', { provider: at.provider, ...words });
        assert.deepEqual([status, body.code], [422, 'field_not_supported_by_provider']);
        at.pass();
        const all: Listed[] = (await get(at.server, '/calendars', await at.server.token())).json();
        assert.ok(!all.some(({ title }) => title === 'Described'), 'nothing is left behind');
        return;
      }

      const made = await sent('POST', words);

      assert.deepEqual([made.description, made.timeZone], ['Who & why', 'America/New_York']);
      const { description } = await sent('PUT', { calendarId: made.id, description: '' });
      assert.equal(description, undefined);
      await seen(made.id, (calendar) =>
        assert.deepEqual([calendar?.description, calendar?.timeZone], [undefined, 'America/New_York']),
      );
    });

    it('makes one calendar of two requests under one key, ready for events', async () => {
      const body = { provider: at.provider, title: 'Keyed' };
      const first = await send(at.server, 'POST', body, { 'idempotency-key': 'k' });
      const second = await send(at.server, 'POST', body, { 'idempotency-key': 'k' });

      assert.deepEqual(second, first);
      const all: Listed[] = (await get(at.server, '/calendars', await at.server.token())).json();
      assert.equal(all.filter(({ title }) => title === 'Keyed').length, 1);
      const event = { title: 'First', start: '2027-01-01T09:00:00Z', end: '2027-01-01T10:00:00Z' };
      const answer = await at.server.app.inject({
        method: 'POST',
        url: '/event',
        headers: { authorization: `Bearer ${await at.server.token()}` },
        payload: { provider: at.provider, calendarId: first.body.id, ...event },
      });
      assert.equal(answer.statusCode, 200, answer.body);
    });

    it('refuses a colour that the provider does not have, and makes nothing', async () => {
      const color = at.provider === 'microsoft' ? '#123456' : 'lightBlue';

      const { status, body } = await send(at.server, 'POST', {
        provider: at.provider,
        title: 'Painted',
        color,
      });

      assert.deepEqual([status, body.code], [422, 'field_not_supported_by_provider'], JSON.stringify(body));
      assert.ok(body.details.color);
      at.pass();
      const all: Listed[] = (await get(at.server, '/calendars', await at.server.token())).json();
      assert.ok(!all.some(({ title }) => title === 'Painted'));
    });
  });
}

describe('a calendar that may not be written', () => {
  it('is refused at Google for want of the calendar permission, with what to do', async () => {
    const bench = await openBench('google');
    try {
      await bench.link({ scope: 'read-write' });
      await bench.read();

      const { status, body } = await send(bench.server, 'POST', { provider: 'google', title: 'New' });

      assert.deepEqual([status, body.code], [403, 'calendar_permission_required']);
      assert.match(body.message, /auth\/calendar\b/);
      assert.deepEqual(body.accounts, [{ provider: 'google', account: 'ada@example.com' }]);
      assert.equal((await bench.read()).health.state, 'active');
    } finally {
      await bench.close();
    }
  });

  it('is refused when the account was connected for reading', async () => {
    const bench = await openBench('microsoft');
    try {
      await bench.link({ scope: 'read' });
      await bench.read();

      const { status, body } = await send(bench.server, 'POST', { provider: 'microsoft', title: 'New' });

      assert.deepEqual([status, body.code], [403, 'calendar_permission_required']);
      assert.equal(bench.requests('calendars.create'), 0);
    } finally {
      await bench.close();
    }
  });

  for (const kind of ['google', 'microsoft'] as const) {
    it(`is not deleted when it is the main one at ${kind}`, async () => {
      const bench = await openBench(kind);
      try {
        await bench.link({ scope: 'read-write', besides: kind === 'google' ? [FULL] : [] });
        await bench.read();
        const all = (await get(bench.server, '/calendars', await bench.server.token())).json();
        const { id } = all.find((one: { primary: boolean }) => one.primary);

        const { status, body } = await send(bench.server, 'DELETE', { provider: kind, calendarId: id });

        assert.deepEqual([status, body.code], [422, 'calendar_not_deletable']);
        assert.equal(bench.requests('calendars.delete'), 0);
      } finally {
        await bench.close();
      }
    });
  }

  for (const kind of ['google', 'microsoft', 'apple', 'caldav'] as const) {
    it(`is not there any more at ${kind}: a change is 404, a deletion is done`, async () => {
      const bench = await openBench(kind);
      try {
        await bench.link({ scope: 'read-write', besides: kind === 'google' ? [FULL] : [] });
        const one = { title: 'One', timeZone: 'Europe/Paris' };
        const ids = [
          await bench.hand.addCalendar(ADA.email, one),
          await bench.hand.addCalendar(ADA.email, { ...one, title: 'Other' }),
        ];
        await bench.read();
        for (const id of ids) await bench.hand.removeCalendar(ADA.email, id);
        const [changed, deleted] = ids.map((calendarId) => ({ provider: kind, calendarId }));

        const deletion = await send(bench.server, 'DELETE', { ...deleted });
        const again = await send(bench.server, 'PUT', { ...changed, title: 'Late' });

        assert.deepEqual([deletion.status, again.status, again.body.code], [200, 404, 'calendar_not_found']);
      } finally {
        await bench.close();
      }
    });
  }

  it('is told as gone when it goes between the list and the change', async () => {
    const bench = await openBench('google');
    try {
      await bench.link({ scope: 'read-write', besides: [FULL] });
      const id = await bench.hand.addCalendar(ADA.email, { title: 'One', timeZone: 'Europe/Paris' });
      await bench.read();
      await bench.hand.removeCalendar(ADA.email, id);

      const { status, body } = await send(bench.server, 'PUT', {
        provider: 'google',
        calendarId: id,
        title: 'Late',
      });

      assert.deepEqual([status, body.code], [404, 'calendar_not_found']);
      const all: Listed[] = (await get(bench.server, '/calendars', await bench.server.token())).json();
      assert.ok(!all.some((calendar) => calendar.id === id));
    } finally {
      await bench.close();
    }
  });

  for (const kind of ['apple', 'caldav'] as const) {
    it(`is made once at ${kind} when the first answer was lost and the request is repeated`, async () => {
      const bench = await openBench(kind);
      try {
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
      } finally {
        await bench.close();
      }
    });
  }

  it('is not made under a name that Outlook has already', async () => {
    const bench = await openBench('microsoft');
    try {
      await bench.link({ scope: 'read-write' });
      await bench.read();

      const { status, body } = await send(bench.server, 'POST', { provider: 'microsoft', title: 'work' });

      assert.deepEqual([status, Object.keys(body.details)], [422, ['title']]);
    } finally {
      await bench.close();
    }
  });
});

describe('a request about a calendar', () => {
  let server: CalendarServer;
  before(async () => {
    server = await openCalendarServer();
    await link(server);
  });
  after(() => server.close());

  it('names every field that is wrong', async () => {
    const { status, body } = await send(server, 'POST', {
      provider: 'fax',
      title: 7,
      color: 'a colour',
      timeZone: 'Mars/Base',
      description: ['x'],
    });

    assert.deepEqual([status, body.code], [400, 'invalid_request']);
    const wrong = ['color', 'description', 'provider', 'timeZone', 'title'];
    assert.deepEqual(Object.keys(body.details).sort(), wrong);
  });

  it('needs provider and title to make one, and provider and id to change or delete one', async () => {
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

  it('is answered 404 about what is not the user’s', async () => {
    const elsewhere = { provider: 'caldav', calendarId: 'https://dav.example/ben/', title: 'Mine' };

    assert.equal((await send(server, 'PUT', elsewhere)).body.code, 'calendar_not_found');
    assert.equal((await send(server, 'DELETE', elsewhere)).body.code, 'calendar_not_found');
    const nobody = { provider: 'google', title: 'Mine' };
    assert.equal((await send(server, 'POST', nobody)).body.code, 'account_not_found');
  });

  it('must say which of two accounts it is about', async () => {
    await link(server, { accountId: 'https://dav.example/ada-too/' });

    const vague = await send(server, 'POST', { provider: 'caldav', title: 'Where' });
    const account = 'https://dav.example/ada-too/';
    const clear = await send(server, 'POST', { provider: 'caldav', title: 'There', account });

    assert.deepEqual([vague.status, Object.keys(vague.body.details)], [400, ['account']]);
    assert.deepEqual([clear.status, clear.body.account], [200, account]);
  });

  it('needs the scope read-write, at every mount', async () => {
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

  it('deletes by the query as well', async () => {
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

  it('is answered 503 with the calendar made when the list cannot be read back, and a job goes on', async () => {
    server.provider.failures.push({ call: 'list', error: new ProviderError('unavailable', 'Down') });

    const account = 'https://dav.example/ada/';
    const { status, body } = await send(server, 'POST', { provider: 'caldav', title: 'Unseen', account });

    assert.deepEqual([status, body.code], [503, 'sync_in_progress']);
    assert.ok(server.provider.calls.includes('make Unseen'));
  });

  it('does not wait for ever for a list that another run holds', async () => {
    const impatient = await openCalendarServer({ writing: { turnBound: 100 } });
    try {
      const { accountKey } = await link(impatient);
      const now = impatient.clock.now;
      await impatient.deps.mirror.leaseList({ key: accountKey, holder: 'dead' }, now, now + 90_000);

      const { status, body } = await send(impatient, 'POST', { provider: 'caldav', title: 'Late' });

      assert.deepEqual([status, body.code], [503, 'sync_in_progress']);
    } finally {
      await impatient.close();
    }
  });
});
