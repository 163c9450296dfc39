/** GET /free-busy and POST /availability. */
import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';

import type { CalendarEvent } from '../../src/calendars/event.ts';
import { calendar, event, resource } from '../contract/mirror-rows.ts';
import { type CalendarServer, get, link, openCalendarServer } from '../harness/calendar-server.ts';

const allDay = (start: string, end: string): Partial<CalendarEvent> => ({
  start: { type: 'date', date: start },
  end: { type: 'date', date: end },
});
const invited = (email: string, status: 'accepted' | 'declined') => ({ attendees: [{ email, status }] });

describe('free and busy', () => {
  let server: CalendarServer;
  let token: string;
  before(async () => {
    server = await openCalendarServer();
    const { provider, apple } = server;
    provider.addCalendar(calendar('/work/'));
    provider.addCalendar(calendar('/home/'));
    provider.put(
      '/work/',
      resource('a', event('2026-12-01T09:00:00', { title: 'secret' })),
      resource('b', event('2026-12-01T09:30:00')),
      resource('free', event('2026-12-01T12:00:00', { availability: 'free' })),
      resource('cancelled', event('2026-12-01T13:00:00', { status: 'cancelled' })),
      resource('tentative', event('2026-12-01T14:00:00', { status: 'tentative' })),
      resource('declined', event('2026-12-01T15:00:00', invited('ADA@dav.example', 'declined'))),
      resource('others', event('2026-12-01T16:00:00', invited('grace@dav.example', 'declined'))),
      resource(
        'weekly',
        event('2026-11-25T18:00:00', { recurrence: { rrules: ['FREQ=WEEKLY'], rdates: [], exdates: [] } }),
      ),
    );
    provider.put('/home/', resource('day', event('2026-12-03T00:00:00', allDay('2026-12-03', '2026-12-04'))));
    apple.addCalendar(calendar('/ben/'));
    apple.put('/ben/', resource('c', event('2026-12-01T10:30:00')));
    await link(server);
    await link(server, { provider: 'apple', userId: 'ben', accountId: 'ben@icloud.example' });
    token = await server.token('free-busy');
  });
  after(() => server.close());

  const ask = async (query: string, bearer = token) => {
    const answer = await get(server, `/free-busy?${query}`, bearer);
    return { status: answer.statusCode, ...answer.json() };
  };
  const busy = async (query: string): Promise<string[]> =>
    (await ask(query)).busy.map(
      ({ start, end }: Record<string, string>) => `${start?.slice(5, 16)} ${end?.slice(5, 16)}`,
    );
  const basic = (client: string) => `Basic ${Buffer.from(`${client}:${client}`).toString('base64')}`;
  const find = async (payload: object, authorization = `Bearer ${token}`) => {
    const answer = await server.app.inject({
      method: 'POST',
      url: '/availability',
      headers: { authorization },
      payload,
    });
    return { status: answer.statusCode, ...answer.json() };
  };
  const day = { start: '2026-12-01T08:00:00Z', end: '2026-12-01T12:00:00Z', duration: 60 };
  const starts = ({ slots }: { slots: { start: string }[] }) => slots.map(({ start }) => start.slice(11, 16));

  it('busy times merge what blocks, of all calendars, series included', async () => {
    assert.deepEqual(await busy('start=2026-12-01&end=2026-12-03'), [
      '12-01T08:00 12-01T09:30',
      '12-01T13:00 12-01T14:00',
      '12-01T15:00 12-01T16:00',
      '12-02T17:00 12-02T18:00',
      '12-02T23:00 12-03T00:00',
    ]);
  });

  it('an all-day event blocks its days in the zone asked for, else in its calendar’s', async () => {
    const home = `calendarIds=${encodeURIComponent('{"caldav":["/home/"]}')}&start=2026-12-02&end=2026-12-05`;

    assert.deepEqual(await busy(home), ['12-02T23:00 12-03T23:00']);
    assert.deepEqual(await busy(`${home}&timeZone=America%2FNew_York`), ['12-03T05:00 12-04T05:00']);
  });

  it('busy times show nothing but times, to every scope', async () => {
    for (const scope of ['free-busy', 'read', 'read-write'] as const) {
      const answer = await ask('start=2026-12-01&end=2026-12-02', await server.token(scope));
      assert.deepEqual(Object.keys(answer).sort(), ['busy', 'end', 'start', 'status']);
      assert.ok(!JSON.stringify(answer).includes('secret'));
      for (const one of answer.busy) assert.deepEqual(Object.keys(one), ['start', 'end']);
    }
  });

  it('a request for busy times is refused with the fields that are missing or wrong', async () => {
    const fields = async (query: string) => {
      const { status, details } = await ask(query);
      assert.equal(status, 400);
      return Object.keys(details).sort();
    };

    assert.deepEqual(await fields(''), ['end', 'start']);
    assert.deepEqual(await fields('start=x&end=y&timeZone=Mars&calendarIds=z'), [
      'calendarIds',
      'end',
      'start',
      'timeZone',
    ]);
    assert.deepEqual(await fields('start=2026-12-02&end=2026-12-01'), ['start']);
    assert.deepEqual(await fields('start=2026-12-02&end=2028-12-01'), ['end']);
  });

  it('availability offers the slots in which the user is free', async () => {
    const answer = await find(day);

    assert.equal(answer.status, 200);
    assert.deepEqual(starts(answer), ['09:30', '10:00', '10:30', '11:00']);
    assert.deepEqual(Object.keys(answer).sort(), ['slots', 'status']);
    assert.deepEqual(starts(await find({ ...day, bufferBefore: 45, step: 15, limit: 2 })), [
      '10:15',
      '10:30',
    ]);
    const hours = [{ days: ['TU'], start: '11:30', end: '12:30', timeZone: 'Europe/Vienna' }];
    assert.deepEqual(starts(await find({ ...day, workingHours: hours })), ['10:30']);
  });

  it('availability offers nothing before now and the notice', async () => {
    const notice = (Date.parse('2026-12-01T10:20:00Z') - server.clock.now) / 60_000;

    assert.deepEqual(starts(await find({ ...day, minimumNotice: notice })), ['10:30', '11:00']);
    assert.deepEqual(starts(await find({ ...day, start: '2026-01-01', end: '2026-01-02' })), []);
  });

  it('availability finds what several users have in common, with client authentication alone', async () => {
    const both = { ...day, user_ids: ['ada', 'ben'] };
    assert.equal((await find(both, basic('acme'))).status, 404, 'nobody was given what ben has');
    await server.token('free-busy', 'ben');

    assert.deepEqual(starts(await find(both, basic('acme'))), ['10:30', '11:00']);
    assert.equal((await find(both)).status, 403);
    assert.equal((await find(day, basic('acme'))).status, 400);
    assert.equal((await find({ ...day, user_ids: ['ada'] })).status, 200);
    assert.equal((await find(both, `Basic ${Buffer.from('acme:wrong').toString('base64')}`)).status, 401);
    assert.equal((await find(both, 'Bearer nonsense')).status, 401);
  });

  it('availability does not take a user without an account, or another application’s, for free', async () => {
    for (const [client, user] of [
      ['acme', 'nobody'],
      ['other', 'ada'],
    ] as const) {
      const answer = await find({ ...day, user_ids: [user] }, basic(client));
      assert.deepEqual([answer.status, answer.code], [404, 'user_not_connected']);
    }
  });

  it('a request for availability is refused with every field that is wrong', async () => {
    const wrong: [string, object][] = [
      ['duration', { duration: undefined }],
      ['duration', { duration: '60' }],
      ['duration', { duration: 0 }],
      ['step', { step: 0 }],
      ['limit', { limit: 501 }],
      ['bufferBefore', { bufferBefore: -1 }],
      ['bufferAfter', { bufferAfter: 1.5 }],
      ['minimumNotice', { minimumNotice: [] }],
      ['start', { start: 7 }],
      ['end', { end: {} }],
      ['timeZone', { timeZone: 'Mars' }],
      ['calendarIds', { calendarIds: 'x' }],
      ['user_ids', { user_ids: [] }],
      ['user_ids', { user_ids: [1] }],
      ['workingHours[0]', { workingHours: ['x'] }],
      ['workingHours[0].start', { workingHours: [{ start: '9:00', end: '17:00' }] }],
      ['workingHours[0].days', { workingHours: [{ days: ['XX'], start: '09:00', end: '17:00' }] }],
    ];
    for (const [field, change] of wrong) {
      const { status, details } = await find({ ...day, ...change });
      assert.equal(status, 400, field);
      assert.deepEqual(Object.keys(details), [field]);
    }
    assert.equal((await find([])).status, 400);
    assert.equal(
      (await find({ ...day, step: null, workingHours: null, user_ids: null, other: 1 })).status,
      200,
    );
  });
});
