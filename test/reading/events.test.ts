/** GET /events as docs/wire.md 1.7, 2.5 and 3.2 state it. */
import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';

import type { CalendarEvent } from '../../src/calendars/event.ts';
import { calendar, event, resource } from '../contract/mirror-rows.ts';
import { type CalendarServer, get, link, openCalendarServer } from '../harness/calendar-server.ts';

type Answer = {
  events: Record<string, unknown>[];
  pageSize: number;
  nextPageToken?: string;
  errors?: Record<string, string>[];
};

const recurrence = (rule: string) => ({ rrules: [rule], rdates: [], exdates: [] });
const zone = 'Europe/Paris';

describe('GET /events', () => {
  let server: CalendarServer;
  let token: string;
  before(async () => {
    server = await openCalendarServer();
    const { provider } = server;
    provider.addCalendar(calendar('/work/'));
    provider.addCalendar(calendar('/home/'));
    provider.put(
      '/work/',
      resource('single', event('2026-11-10T09:00:00', { location: 'Room 1', description: 'About it' })),
      resource(
        'weekly',
        event('2026-10-05T09:00:00', { recurrence: recurrence('FREQ=WEEKLY'), title: 'Weekly' }),
        event('2026-11-10T15:00:00', {
          title: 'Weekly, moved',
          recurrenceId: { type: 'zoned', local: '2026-11-09T09:00:00', zone },
        }),
        event('2026-11-16T09:00:00', {
          status: 'cancelled',
          recurrenceId: { type: 'zoned', local: '2026-11-16T09:00:00', zone },
        }),
      ),
      resource('gone', event('2026-11-11T09:00:00', { status: 'cancelled' })),
    );
    provider.put(
      '/home/',
      resource('trip', {
        ...event('2026-11-15T00:00:00', { title: 'Trip' }),
        start: { type: 'date', date: '2026-11-15' },
        end: { type: 'date', date: '2026-11-17' },
      } satisfies CalendarEvent),
    );
    await link(server);
    token = await server.token();
  });
  after(() => server.close());

  const list = async (query = '', bearer = token) => {
    const answer = await get(server, `/events${query}`, bearer);
    assert.equal(answer.statusCode, 200, answer.body);
    return answer.json<Answer>();
  };
  const titles = ({ events }: Answer) => events.map(({ title, start }) => [title, start]);
  const refused = async (query: string, field: string) => {
    const answer = await get(server, `/events${query}`, token);
    const body = answer.json();
    assert.equal(answer.statusCode, 400, answer.body);
    assert.equal(typeof body.message, 'string');
    assert.equal(typeof body.code, 'string');
    assert.ok(Array.isArray(body.details[field]), answer.body);
  };

  it('GET /events lists the current month in UTC by default, sorted by start, cancelled ones left out', async () => {
    assert.deepEqual(titles(await list()), [
      ['Weekly', '2026-11-02T08:00:00.000Z'],
      ['Meeting', '2026-11-10T08:00:00.000Z'],
      ['Weekly, moved', '2026-11-10T14:00:00.000Z'],
      ['Trip', '2026-11-15T00:00:00.000Z'],
      ['Weekly', '2026-11-23T08:00:00.000Z'],
      ['Weekly', '2026-11-30T08:00:00.000Z'],
    ]);
  });

  it('GET /events is the same at every mount', async () => {
    const answer = await get(server, '/api/events', token);

    assert.deepEqual(answer.json(), await list());
    assert.equal(answer.headers['content-type'], 'application/json; charset=utf-8');
  });

  it('every field of a single event has its documented type', async () => {
    const { events, pageSize, ...rest } = await list('?start=2026-11-10T00:00:00Z&end=2026-11-10T12:00:00Z');

    assert.equal(pageSize, 250);
    assert.deepEqual(rest, {});
    assert.deepEqual(events, [
      {
        provider: 'caldav',
        account: 'https://dav.example/ada/',
        accountName: 'ada@dav.example',
        calendarId: '/work/',
        id: 'single',
        start: '2026-11-10T08:00:00.000Z',
        end: '2026-11-10T09:00:00.000Z',
        title: 'Meeting',
        description: 'About it',
        allDay: false,
        timeZone: 'Europe/Paris',
        etag: '"1"',
        location: 'Room 1',
        attendees: [],
        availability: 'busy',
        privacy: 'public',
        status: 'confirmed',
        original: { name: 'single' },
      },
    ]);
  });

  it('instances name their master, and keep the clock of a series over a DST change', async () => {
    const { events } = await list('?start=2026-10-19&end=2026-11-03');

    assert.deepEqual(
      events.map(({ id, recurringEventId, start }) => [id, recurringEventId, start]),
      [
        ['weekly_20261019T070000Z', 'weekly', '2026-10-19T07:00:00.000Z'],
        ['weekly_20261026T080000Z', 'weekly', '2026-10-26T08:00:00.000Z'],
        ['weekly_20261102T080000Z', 'weekly', '2026-11-02T08:00:00.000Z'],
      ],
    );
  });

  it('a moved instance is named by its original start', async () => {
    const { events } = await list('?start=2026-11-10T14:00:00Z&end=2026-11-10T15:00:00Z');

    assert.deepEqual(
      events.map(({ id, title }) => [id, title]),
      [['weekly_20261109T080000Z', 'Weekly, moved']],
    );
  });

  it('all-day events are from midnight UTC to midnight UTC, the end exclusive', async () => {
    const { events } = await list('?start=2026-11-16&end=2026-11-16T01:00:00Z');

    assert.deepEqual(
      events.map(({ id, allDay, start, end }) => [id, allDay, start, end]),
      [['trip', true, '2026-11-15T00:00:00.000Z', '2026-11-17T00:00:00.000Z']],
    );
  });

  it('all-day events have their dates, and timed ones their zone', async () => {
    const { events } = await list('?start=2026-11-14&end=2026-11-24');

    assert.deepEqual(
      events.map(({ id, startDate, endDate, timeZone }) => [id, startDate, endDate, timeZone]),
      [
        ['trip', '2026-11-15', '2026-11-17', undefined],
        ['weekly_20261123T080000Z', undefined, undefined, zone],
      ],
    );
  });

  it('a series has its rules on its master alone, and one version on all of it', async () => {
    const masters = await list('?singleEvents=false&start=2026-11-02&end=2026-11-03');
    const instances = await list('?start=2026-11-02&end=2026-11-11');

    assert.deepEqual(
      masters.events.map(({ recurrence: rules }) => rules),
      [{ frequency: 'WEEKLY', interval: 1 }],
    );
    const [first, , moved] = instances.events;
    assert.equal(first?.recurrence, undefined);
    assert.equal(moved?.title, 'Weekly, moved');
    assert.equal(moved?.etag, masters.events[0]?.etag);
    assert.equal(first?.etag, moved?.etag);
  });

  it('singleEvents=false lists masters unexpanded, only those with an instance in the window', async () => {
    const month = titles(await list('?singleEvents=false'));
    const between = await list('?singleEvents=false&start=2026-11-03&end=2026-11-09');

    assert.deepEqual(month, [
      ['Weekly', '2026-10-05T07:00:00.000Z'],
      ['Meeting', '2026-11-10T08:00:00.000Z'],
      ['Trip', '2026-11-15T00:00:00.000Z'],
    ]);
    assert.deepEqual(between.events, []);
  });

  const sameDay = '&end=2026-11-02T12:00:00Z';
  for (const start of [
    '2026-11-02T00:00:00.000Z',
    '2026-11-02T00:00:00Z',
    '2026-11-02T01:00:00+01:00',
    '2026-11-02T01:00:00%2B01:00',
    '2026-11-02T00:00',
    '2026-11-02T00:00:00.123456789Z',
    '2026-11-02',
  ]) {
    it(`GET /events reads start=${start}`, async () => {
      assert.deepEqual(titles(await list(`?start=${start}${sameDay}`)), [
        ['Weekly', '2026-11-02T08:00:00.000Z'],
      ]);
    });
  }

  for (const [query, field] of [
    ['?start=tomorrow', 'start'],
    ['?end=2026-02-30', 'end'],
    ['?start=2026-11-02&end=2026-11-02', 'start'],
    ['?start=2026-11-03&end=2026-11-02', 'start'],
    ['?start=1000-01-01&end=3000-01-01', 'end'],
    ['?pageSize=-1', 'pageSize'],
    ['?pageSize=many', 'pageSize'],
    ['?pageSize=1.5', 'pageSize'],
    ['?calendarIds=work', 'calendarIds'],
    ['?calendarIds=5', 'calendarIds'],
    ['?calendarIds=%7B%22caldav%22:5%7D', 'calendarIds'],
    ['?calendarIds=%5B1%5D', 'calendarIds'],
    ['?singleEvents=maybe', 'singleEvents'],
    ['?nextPageToken=xyz', 'nextPageToken'],
    [`?nextPageToken=${'A'.repeat(60)}`, 'nextPageToken'],
  ] as const) {
    it(`GET /events refuses ${query} and names ${field}`, () => refused(query, field));
  }

  it('GET /events reports all errors in a request at once', async () => {
    const answer = await get(server, '/events?start=x&end=y&pageSize=z', token);

    assert.deepEqual(Object.keys(answer.json().details), ['start', 'end', 'pageSize']);
  });

  it('an empty parameter is taken for an absent one and the first of a repeated one counts', async () => {
    const plain = await list();

    assert.deepEqual(
      await list('?start=&end=&pageSize=&calendarIds=&nextPageToken=&singleEvents=&x=1'),
      plain,
    );
    assert.deepEqual((await list('?pageSize=0')).pageSize, 250);
    assert.deepEqual((await list('?pageSize=2&pageSize=3')).pageSize, 2);
    assert.deepEqual((await list('?pageSize=5000')).pageSize, 1000);
  });

  const ids = (value: unknown) => `?calendarIds=${encodeURIComponent(JSON.stringify(value))}`;
  const chosen = async (value: unknown) =>
    [...new Set((await list(ids(value))).events.map(({ calendarId }) => calendarId))].sort();

  it('GET /events lists the calendars that calendarIds names, as an object or as a list', async () => {
    assert.deepEqual(await chosen({ caldav: ['/home/'] }), ['/home/']);
    assert.deepEqual(await chosen(['/home/']), ['/home/']);
    assert.deepEqual(await chosen({ google: [], caldav: ['/home/', 'unknown'] }), ['/home/']);
    assert.deepEqual(await chosen({ google: ['/home/'] }), []);
    assert.deepEqual(await chosen(['unknown']), []);
  });

  it('GET /events reads a list with gaps, which PHP sends as an object of its positions', async () => {
    assert.deepEqual(await chosen({ 0: 'unknown', 2: '/home/' }), ['/home/']);
    assert.deepEqual(await chosen({ caldav: { 1: '/home/' } }), ['/home/']);
    assert.deepEqual(await chosen({ 0: '/home/', google: '/home/' }), []);
  });

  it('GET /events lists all calendars when calendarIds names none', async () => {
    for (const value of [{}, [], null, { caldav: [] }, { caldav: {} }]) {
      assert.deepEqual(await chosen(value), ['/home/', '/work/'], JSON.stringify(value));
    }
  });

  it('GET /events needs a token', async () => {
    const answer = await server.app.inject({ url: '/events' });

    assert.equal(answer.statusCode, 401);
    assert.equal(answer.headers['www-authenticate'], 'Bearer');
    assert.equal(typeof answer.json().message, 'string');
  });

  it('GET /events shows no event of another user or application', async () => {
    assert.deepEqual((await list('', await server.token('read', 'ben'))).events, []);
    assert.deepEqual((await list('', await server.token('read', 'ada', 'other'))).events, []);
    assert.deepEqual((await list(ids(['/home/']), await server.token('read', 'ben'))).events, []);
  });

  it('GET /events shows scope free-busy nothing but when, under an id that no provider knows', async () => {
    const { events } = await list('', await server.token('free-busy'));

    assert.equal(events.length, 6);
    for (const listed of events) {
      assert.deepEqual(Object.keys(listed).sort(), [
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
      assert.equal(listed.title, 'Busy');
      assert.match(String(listed.id), /^[\w-]{22}$/);
    }
    assert.equal(new Set(events.map(({ id }) => id)).size, 6);
    const again = await list('', await server.token('free-busy'));
    assert.deepEqual(again.events, events, 'ids stay the same');
  });
});
