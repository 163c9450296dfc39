/** Writes that are still possible in a calendar that is too large. */
import assert from 'node:assert/strict';
import { afterEach, beforeEach, describe, it } from 'node:test';

import { calendar, event, resource } from '../contract/mirror-rows.ts';
import { type CalendarServer, get, link, openCalendarServer } from '../harness/calendar-server.ts';

describe('a calendar that is too large', () => {
  let server: CalendarServer;
  let token: string;
  beforeEach(async () => {
    server = await openCalendarServer({ quotas: { eventsPerCalendar: 2 } });
    server.provider.addCalendar(calendar('/a/', { title: 'Work' }));
    server.provider.put('/a/', resource('one', event('2026-11-17T09:00:00', { title: 'one' })));
    server.provider.put('/a/', resource('two', event('2026-11-18T09:00:00', { title: 'two' })));
    await link(server);
    token = await server.token();
    await get(server, '/events', token);
  });
  afterEach(() => server.close());

  const send = (method: 'POST' | 'PUT' | 'DELETE', payload: object) =>
    server.app.inject({ method, url: '/event', headers: { authorization: `Bearer ${token}` }, payload });
  const create = () =>
    send('POST', {
      provider: 'caldav',
      calendarId: '/a/',
      title: 'three',
      start: '2026-11-19T09:00:00Z',
      end: '2026-11-19T10:00:00Z',
    });
  const made = () => server.provider.calls.filter((call) => call.startsWith('create')).length;

  it('a calendar that becomes too large answers with the event that made it so, and takes no further one', async () => {
    const over = await create();
    server.clock.now += 11_000;
    await get(server, '/events', token);
    const madeBefore = made();
    const refused = await create();

    const { id, title, start } = over.json();
    assert.deepEqual([over.statusCode, title, start], [200, 'three', '2026-11-19T09:00:00.000Z']);
    assert.ok(id.length > 0);
    assert.deepEqual([refused.statusCode, refused.json().code], [422, 'calendar_too_large']);
    assert.match(refused.json().message, /“Work” has more than 2 events/);
    assert.equal(made(), madeBefore);
  });

  it('a calendar that is too large has its events changed and deleted, which makes room', async () => {
    await create();
    server.clock.now += 11_000;
    await get(server, '/events', token);

    const changed = await send('PUT', {
      provider: 'caldav',
      calendarId: '/a/',
      eventId: 'one',
      title: 'uno',
    });
    const deleted = await send('DELETE', { provider: 'caldav', calendarId: '/a/', eventId: 'one' });
    server.clock.now += 11_000;
    const { events, errors } = (await get(server, '/events', token)).json();

    assert.deepEqual([changed.statusCode, deleted.statusCode], [200, 200]);
    assert.deepEqual(
      events.map(({ title }: { title: string }) => title),
      ['two', 'three'],
    );
    assert.equal(errors, undefined);
  });
});
