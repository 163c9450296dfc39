/** Calendars made, changed and deleted over HTTP on the sandbox's four providers, and on Radicale. */
import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';

import { get } from '../harness/calendar-server.ts';
import { counterpart } from '../harness/counterpart.ts';
import { CYRUS, startCyrus } from '../servers/cyrus.ts';
import { RADICALE, startRadicale } from '../servers/radicale.ts';
import { startXandikos, XANDIKOS } from '../servers/xandikos.ts';
import { type Listed, RGB, send } from './calendar-request.ts';
import { onSandbox, onServer, type WriteSite } from './write-site.ts';

/** Outlook has names for colours. */
const NAMES = { first: 'lightBlue', second: 'lightRed' };

for (const kind of ['google', 'microsoft', 'apple', 'caldav'] as const)
  calendarsOn(`the sandbox’s ${kind}`, () => onSandbox(kind, { asksForCalendars: true }), {});
calendarsOn('Radicale', () => onServer(startRadicale), counterpart('Radicale', RADICALE));
calendarsOn('Xandikos', () => onServer(startXandikos), counterpart('Xandikos', XANDIKOS));
calendarsOn('Cyrus', () => onServer(startCyrus), counterpart('Cyrus', CYRUS, { root: true }));

function calendarsOn(name: string, open: () => Promise<WriteSite>, options: { skip?: string | false }): void {
  describe(`calendars on ${name}`, options, () => {
    let at: WriteSite;
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
    /** Checks what a reader sees now, and again after the provider was asked. */
    async function assertListed(id: string, check: (calendar: Listed | undefined) => void): Promise<void> {
      check(await listed(id));
      at.pass();
      check(await listed(id));
    }

    it('a calendar is made, renamed, recoloured and deleted', async () => {
      const made = await sent('POST', { title: 'Lectures & more', color: colors().first });
      assert.equal(made.calendar.id, made.id);
      assert.deepEqual([made.title, made.access, made.provider], ['Lectures & more', 'write', at.provider]);
      assert.match(made.color, /^#[\da-f]{6}$/);
      if (at.provider !== 'microsoft') assert.equal(made.color, RGB.first);
      await assertListed(made.id, (calendar) => assert.equal(calendar?.title, 'Lectures & more'));

      const id = { calendarId: made.id };
      const renamed = await sent('PUT', { ...id, title: 'Seminars' });
      assert.deepEqual([renamed.title, renamed.color], ['Seminars', made.color]);
      const painted = await sent('PUT', { ...id, color: colors().second });
      assert.notEqual(painted.color, made.color);
      await assertListed(made.id, (calendar) =>
        assert.deepEqual([calendar?.title, calendar?.color], ['Seminars', painted.color]),
      );

      await sent('DELETE', id);
      await assertListed(made.id, (calendar) => assert.equal(calendar, undefined));
      assert.equal(
        (await send(at.server, 'PUT', { provider: at.provider, ...id, title: 'Late' })).status,
        404,
      );
    });

    it('a calendar keeps description and zone, or says that it cannot', async () => {
      const details = { title: 'Described', description: 'Who & why', timeZone: 'America/New_York' };
      if (at.provider === 'microsoft' || name === 'Xandikos') {
        const { status, body } = await send(at.server, 'POST', { provider: at.provider, ...details });
        assert.deepEqual([status, body.code], [422, 'field_not_supported_by_provider']);
        at.pass();
        const all: Listed[] = (await get(at.server, '/calendars', await at.server.token())).json();
        assert.ok(!all.some(({ title }) => title === 'Described'), 'nothing is left behind');
        return;
      }

      const made = await sent('POST', details);

      assert.deepEqual([made.description, made.timeZone], ['Who & why', 'America/New_York']);
      const { description } = await sent('PUT', { calendarId: made.id, description: '' });
      assert.equal(description, undefined);
      await assertListed(made.id, (calendar) =>
        assert.deepEqual([calendar?.description, calendar?.timeZone], [undefined, 'America/New_York']),
      );
    });

    it('two requests under one key make one calendar, ready for events', async () => {
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

    it('a colour that the provider does not have is refused, and no calendar is made', async () => {
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
