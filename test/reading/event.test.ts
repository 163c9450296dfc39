/** GET /event and GET /events/{id}: one event, as a listing shows it. */
import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';

import type { CalendarEvent } from '../../src/calendars/event.ts';
import { calendar, event, resource } from '../contract/mirror-rows.ts';
import { type CalendarServer, get, link, openCalendarServer } from '../harness/calendar-server.ts';

const zone = 'Europe/Paris';
const long = 'AAMk'.repeat(200);
const original = (local: string) => ({ recurrenceId: { type: 'zoned', local, zone } }) as const;

describe('one event', () => {
  let server: CalendarServer;
  let token: string;
  before(async () => {
    server = await openCalendarServer();
    const { provider } = server;
    provider.addCalendar(calendar('/work/', { primary: true }));
    provider.addCalendar(calendar('/home/'));
    provider.put(
      '/work/',
      resource('single', event('2026-11-10T09:00:00')),
      resource('both', event('2026-11-12T09:00:00')),
      resource(long, event('2026-12-29T09:00:00')),
      resource('like_20261105', event('2026-11-12T12:00:00', { title: 'Its own id' })),
      resource('gone', event('2026-11-12T09:00:00', { status: 'cancelled' })),
      resource(
        'weekly',
        event('2026-10-05T09:00:00', {
          title: 'Weekly',
          recurrence: { rrules: ['FREQ=WEEKLY'], rdates: [], exdates: [] },
        }),
        event('2027-02-03T15:00:00', { title: 'Moved far', ...original('2026-11-09T09:00:00') }),
        event('2026-11-16T09:00:00', { status: 'cancelled', ...original('2026-11-16T09:00:00') }),
        event('2026-12-08T11:00:00', {
          title: 'From now on',
          thisAndFuture: true,
          ...original('2026-12-07T09:00:00'),
        }),
      ),
      resource('days', {
        ...event('2026-11-15T00:00:00', { title: 'Days' }),
        start: { type: 'date', date: '2026-11-15' },
        end: { type: 'date', date: '2026-11-16' },
        recurrence: { rrules: ['FREQ=DAILY;COUNT=9'], rdates: [], exdates: [] },
      } satisfies CalendarEvent),
    );
    provider.put('/home/', resource('both', event('2026-11-12T09:00:00')));
    await link(server);
    token = await server.token('read');
  });
  after(() => server.close());

  const ask = async (url: string, bearer = token) => {
    const answer = await get(server, url, bearer);
    return { status: answer.statusCode, body: answer.json() };
  };
  const inWork = (id: string) => `/event?provider=caldav&calendarId=%2Fwork%2F&eventId=${id}`;

  it('is exactly what a listing says of it: a single event, a master and an instance', async () => {
    const query = 'start=2026-11-01&end=2026-11-26';
    const listed = [
      ...(await ask(`/events?${query}`)).body.events,
      ...(await ask(`/events?${query}&singleEvents=false`)).body.events,
    ].filter(({ calendarId }) => calendarId === '/work/');
    assert.ok(listed.length > 10);

    for (const expected of listed) {
      assert.deepEqual(await ask(inWork(expected.id)), { status: 200, body: expected });
    }
  });

  it('is found by its id alone, at both mounts', async () => {
    const { body } = await ask('/events/single');

    assert.equal(body.title, 'Meeting');
    assert.deepEqual((await ask('/api/events/single')).body, body);
    assert.equal((await ask('/events/like_20261105')).body.title, 'Its own id');
  });

  it('is found by an id of any length that a provider gives', async () => {
    const { status, body } = await ask(`/events/${long}`);

    assert.deepEqual([status, body.id], [200, long]);
  });

  it('is found in the main calendar under its alias', async () => {
    const { status, body } = await ask('/event?provider=caldav&calendarId=primary&eventId=single');

    assert.deepEqual([status, body.calendarId], [200, '/work/']);
  });

  it('is found wherever its instance was moved', async () => {
    const moved = await ask(inWork('weekly_20261109T080000Z'));
    const shifted = await ask(inWork('weekly_20261214T080000Z'));

    assert.deepEqual([moved.body.title, moved.body.start], ['Moved far', '2027-02-03T14:00:00.000Z']);
    assert.deepEqual([shifted.body.title, shifted.body.start], ['From now on', '2026-12-15T10:00:00.000Z']);
    assert.equal(shifted.body.recurringEventId, 'weekly');
  });

  it('is 404 where there is none, or it was cancelled', async () => {
    const ids = ['nothing', 'gone', 'weekly_20261116T080000Z', 'weekly_20261110T080000Z', 'single_20261110'];
    for (const id of [...ids, 'weekly_20261109T080001Z', '%F0%9F%98%80', '%00']) {
      const { status, body } = await ask(inWork(id));
      assert.deepEqual([status, body.code], [404, 'event_not_found'], id);
      assert.equal(typeof body.message, 'string');
    }
  });

  it('is 404 for a calendar that is not the user’s', async () => {
    const unknown = await ask('/event?provider=caldav&calendarId=x&eventId=single');
    const other = await ask('/event?provider=google&calendarId=%2Fwork%2F&eventId=single');
    const ben = await ask(inWork('single'), await server.token('read', 'ben'));

    for (const { status, body } of [unknown, other, ben])
      assert.deepEqual([status, body.code], [404, 'calendar_not_found']);
    assert.equal(
      (await ask('/events/single', await server.token('read', 'ben'))).body.code,
      'event_not_found',
    );
  });

  it('needs the calendar where several have the id', async () => {
    const { status, body } = await ask('/events/both');

    assert.deepEqual([status, body.code], [409, 'ambiguous_event']);
    assert.equal((await ask('/events/both?calendarId=%2Fhome%2F')).body.calendarId, '/home/');
  });

  it('names what is missing or wrong', async () => {
    const { status, body } = await ask('/event');

    assert.equal(status, 400);
    assert.deepEqual(Object.keys(body.details).sort(), ['calendarId', 'eventId', 'provider']);
    assert.deepEqual(Object.keys((await ask('/events/x?provider=outlook')).body.details), ['provider']);
  });

  it('shows scope free-busy no more than that it is busy', async () => {
    const { body } = await ask(inWork('single'), await server.token('free-busy'));

    assert.equal(body.title, 'Busy');
    assert.deepEqual(Object.keys(body).sort(), [
      'allDay',
      'availability',
      'calendarId',
      'end',
      'id',
      'provider',
      'start',
      'status',
      'title',
    ]);
    assert.notEqual(body.id, 'single');
  });

  it('needs a token', async () => {
    assert.equal((await ask(inWork('single'), 'nonsense')).status, 401);
  });
});
