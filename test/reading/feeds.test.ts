/** A calendar by its address through the whole interface: it is read, its changes are reported, it is never written. */
import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';

import { createEgress, type Egress } from '../../src/lib/egress/egress.ts';
import { caldavProvider } from '../../src/providers/caldav/caldav-provider.ts';
import { type CalendarServer, get, link, openCalendarServer } from '../harness/calendar-server.ts';
import { FeedServer, SECRET } from '../servers/feed-server.ts';
import { calendarObject, vevent } from '../servers/icalendar.ts';

const MINUTE = 60_000;
const feed = (...events: string[]) => calendarObject('X-WR-CALNAME:Holidays\r\n', ...events);
const at = (hour: string) => [`DTSTART:20261120T${hour}0000Z`, `DTEND:20261120T${hour}3000Z`];

describe('a calendar by its address', () => {
  const feedServer = new FeedServer();
  let egress: Egress;
  let server: CalendarServer;
  let token: string;
  before(async () => {
    await feedServer.start();
    egress = createEgress({ privateNetwork: { mode: 'loopback' } });
    const clock = { now: Date.UTC(2026, 10, 15, 12) };
    const log = { debug() {}, info() {}, warn() {}, error() {} };
    const caldav = caldavProvider({ egress, log, now: () => clock.now, feedKey: Buffer.alloc(32, 1) });
    server = await openCalendarServer({ caldav, clock });
    feedServer.say(feed(vevent('one', 'One', ...at('09')), vevent('two', 'Two', ...at('11'))));
    const linked = await caldav.signIn.verifyAddress?.(feedServer.address);
    assert.ok(linked);
    await link(server, linked);
    await link(server, { ...linked, userId: 'ben' });
    token = await server.token();
  });
  after(async () => {
    await server?.close();
    await egress?.close();
    await feedServer.stop();
  });

  const ask = async (url: string, bearer = token) => {
    const answer = await get(server, url, bearer);
    return { status: answer.statusCode, text: answer.body, body: answer.json() };
  };
  const titles = async (bearer = token) => {
    const { body } = await ask('/events', bearer);
    return [body.errors, ...body.events.map(({ title }: { title: string }) => title)];
  };
  const calls = () => feedServer.calls.splice(0).length;

  it('a calendar by its address is one of CalDAV that can only be read, with its events', async () => {
    const { body, text } = await ask('/calendars');

    assert.equal(body.length, 1);
    const [{ provider, account, id, title, access }] = body;
    assert.deepEqual([provider, title, access], ['caldav', 'Holidays', 'read']);
    assert.equal(id, account);
    assert.deepEqual(await titles(), [undefined, 'One', 'Two']);
    const events = await ask('/events');
    assert.ok(!`${text}${events.text}`.includes(SECRET), 'its address is nowhere to be seen');
    const [event] = events.body.events;
    assert.ok(event.id.length < 100);
  });

  it('a calendar by its address is not asked for with every read, and reads do not wait for it', async () => {
    calls();
    for (let minute = 0; minute < 4; minute += 1) {
      server.clock.now += MINUTE;
      await titles();
    }
    assert.equal(calls(), 0);
    server.clock.now += 2 * MINUTE;
    await titles();
    assert.equal(calls(), 1);
  });

  it('changes report what changed in a calendar by its address, and nothing if it was only regenerated', async () => {
    const { body: first } = await ask('/events/changes?initial=true');
    server.clock.now += 10 * MINUTE;
    feedServer.say(
      feed(vevent('two', 'Two', ...at('11')), vevent('one', 'One', ...at('09'))).replaceAll(
        '20260101T',
        '20261115T',
      ),
    );
    const { body: same } = await ask(`/events/changes?cursor=${first.cursor}`);
    server.clock.now += 10 * MINUTE;
    feedServer.say(feed(vevent('two', 'Two!', ...at('11')), vevent('three', 'Three', ...at('13'))));
    const { body: changed } = await ask(`/events/changes?cursor=${same.cursor}`);

    assert.deepEqual(same.changes, []);
    const told = changed.changes.map(
      ({ changeType, event }: { changeType: string; event: { title?: string } }) =>
        `${changeType} ${event.title ?? ''}`.trim(),
    );
    assert.equal(told.length, 3);
    assert.ok(told.includes('created Three') && told.includes('updated Two!'), told.join());
  });

  it('a write to a calendar by its address is refused, and its server hears nothing of it', async () => {
    const [{ id: calendarId }] = (await ask('/calendars')).body;
    const { events } = (await ask('/events')).body;
    calls();
    const times = { start: '2026-11-21T09:00:00Z', end: '2026-11-21T10:00:00Z' };
    const named = { provider: 'caldav', calendarId };
    const ofEvent = { ...named, eventId: events[0].id };
    const writes = [
      ['POST', '/event', { ...named, title: 'x', ...times }],
      ['PUT', '/event', { ...ofEvent, title: 'x' }],
      ['POST', '/event/rsvp', { ...ofEvent, response: 'accepted' }],
      ['DELETE', '/event', ofEvent],
      ['PUT', '/calendars', { ...named, title: 'x' }],
      ['DELETE', '/calendars', named],
    ] as const;
    for (const [method, url, payload] of writes) {
      const headers = { authorization: `Bearer ${token}` };
      const answer = await server.app.inject({ method, url, headers, payload });

      assert.equal(answer.statusCode, 422, `${method} ${url} ${answer.body}`);
      assert.equal(answer.json().code, 'calendar_read_only', answer.body);
    }
    assert.equal(calls(), 0);
  });

  it('two users with the same calendar each read it, and disconnecting one leaves the other', async () => {
    const ben = await server.token('read', 'ben');

    assert.deepEqual(await titles(ben), [undefined, 'Two!', 'Three']);
    await server.app.inject({
      method: 'POST',
      url: '/disconnect?provider=caldav',
      headers: { authorization: `Bearer ${ben}` },
    });
    assert.equal((await get(server, '/calendars', ben)).body, '[]');
    assert.deepEqual(await titles(), [undefined, 'Two!', 'Three']);
  });

  it('an address that is gone is named beside what was read, and its user asked for another after three days', async () => {
    feedServer.answer = { status: 404 };
    server.clock.now += 24 * 60 * MINUTE;
    const first = (await ask('/events', await server.token())).body;
    server.clock.now += 72 * 60 * MINUTE;
    const last = (await ask('/events', await server.token())).body;

    assert.equal(first.errors[0].reason, 'calendar_gone');
    assert.equal(first.errors[0].actor, 'user');
    assert.deepEqual([last.errors[0].code, last.errors[0].reason], ['reauth_required', 'calendar_gone']);
    assert.ok(!JSON.stringify([first, last, server.log.lines]).includes(SECRET));
  });
});
