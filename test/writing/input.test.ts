/** The form of requests (docs/wire.md 1.8 to 1.11): each mistake is reported under its field's name. */
import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { type CalendarServer, get } from '../harness/calendar-server.ts';
import { EVENT, ID, type Method, openEventSite } from './event-site.ts';

const WEEKLY = { frequency: 'WEEKLY' };
const long = (length: number) => 'x'.repeat(length);

/** Field → values that are refused, told under that name. */
const WRONG: Readonly<Record<string, readonly unknown[]>> = {
  provider: [1, [], 'yahoo', ''],
  calendarId: [1, {}, [], '', long(2_001)],
  title: [1, true, ['a'], {}, long(1_001), 'a\0b', '\ud800'],
  start: [
    0,
    1_790_000_000_000,
    {},
    'tomorrow',
    '2026-13-01',
    '9999-12-31T23:59:59Z',
    '0000-01-01',
    '2026-02-30T09:00Z',
    '2026-11-20T25:00Z',
    long(101),
  ],
  end: [false, 'never', '2026-11-20T08:59:59Z', '2026-11-20T09:00:00+02:00'],
  description: [1, {}, long(100_001), 'a\u0007'],
  location: [[], long(1_001)],
  allDay: ['true', 1, 'yes', {}],
  timeZone: [1, 'Mars/Olympus', 'W. Europe Standard Time', long(101)],
  timezone: ['CET-ish/Nowhere'],
  color: [1, long(51)],
  attendees: [
    'a@b.example',
    { a: 1 },
    [1],
    ['nobody'],
    [{ name: 'No address' }],
    [{ email: 'a@b.example', status: 'maybe' }],
    [null],
    Array.from({ length: 1_001 }, (_, i) => `a${i}@b.example`),
  ],
  custom: ['text', 1, [1], { a: long(32_001) }, { 'a\0': 1 }, { a: '\ud800' }],
  conference: [
    1,
    ['https://a.example'],
    'not a url',
    'javascript:alert(1)',
    { url: 5 },
    { autoGenerate: 'yes' },
    `https://a.example/${long(2_000)}`,
  ],
  conferenceData: ['text', [1], { autoGenerate: 1 }, { url: 5 }, { url: 'javascript:alert(1)' }],
  availability: ['maybe', 1],
  privacy: ['secret', {}],
  status: ['done', false],
  recurrence: ['DAILY', 5, [1]],
};

/** Part of a recurrence → what is refused of it. */
const WRONG_RULES: Readonly<Record<string, readonly object[]>> = {
  frequency: [{ interval: 2 }, { frequency: 'HOURLY' }, { frequency: 1 }],
  interval: [0, -1, 1.5, '2', 1_001].map((interval) => ({ ...WEEKLY, interval })),
  count: [0, -1, 'many', 10_001].map((count) => ({ ...WEEKLY, count })),
  until: [
    { ...WEEKLY, until: 'someday' },
    { ...WEEKLY, count: 2, until: '20270101T000000Z' },
    { ...WEEKLY, until: '20200101T000000Z' },
    { ...WEEKLY, until: 5 },
  ],
  byDay: [
    { ...WEEKLY, byDay: ['XX'] },
    { ...WEEKLY, byDay: ['2MO'] },
    { ...WEEKLY, byDay: 'MO' },
    { frequency: 'MONTHLY', byDay: ['0MO'] },
  ],
  byMonthDay: [
    { frequency: 'MONTHLY', byMonthDay: [0] },
    { frequency: 'MONTHLY', byMonthDay: [32] },
    { ...WEEKLY, byMonthDay: [1] },
    { frequency: 'MONTHLY', byMonthDay: ['1'] },
  ],
  byMonth: [
    { frequency: 'YEARLY', byMonth: [13] },
    { frequency: 'YEARLY', byMonth: 0 },
    { frequency: 'YEARLY', byMonth: [[1]] },
  ],
};

describe('requests that write', () => {
  let server: CalendarServer;
  let token: string;
  let eventId: string;
  before(async () => {
    ({ server, token } = await openEventSite());
    eventId = (await send('POST', EVENT)).body.id;
  });
  after(() => server.close());

  async function send(method: Method, body: unknown, url = '/event') {
    const headers = { authorization: `Bearer ${token}`, 'content-type': 'application/json' };
    const answer = await server.app.inject({ method, url, headers, payload: JSON.stringify(body) ?? '' });
    return { status: answer.statusCode, body: answer.json() };
  }
  async function refused(method: Method, body: unknown, field: string, url?: string) {
    const answer = await send(method, body, url);
    const exchange = `${JSON.stringify(body)?.slice(0, 200)} → ${JSON.stringify(answer.body)}`;
    assert.deepEqual([answer.status, answer.body.code], [400, 'invalid_request'], exchange);
    assert.ok(
      answer.body.details[field]?.every((text: unknown) => typeof text === 'string'),
      exchange,
    );
    assert.equal(typeof answer.body.message, 'string');
  }
  async function accepted(body: object, method: 'POST' | 'PUT' = 'POST') {
    const answer = await send(method, body);
    assert.equal(answer.status, 200, JSON.stringify(answer.body));
    return answer.body;
  }

  for (const [field, values] of Object.entries(WRONG)) {
    it(`a wrong ${field} is refused with 400 and its name, on creation and on change`, async () => {
      for (const value of values) {
        await refused('POST', { ...EVENT, [field]: value }, field);
        await refused('PUT', { ...EVENT, eventId, [field]: value }, field);
      }
    });
  }
  for (const [part, rules] of Object.entries(WRONG_RULES)) {
    it(`a wrong ${part} of a recurrence is refused`, async () => {
      for (const recurrence of rules) await refused('POST', { ...EVENT, recurrence }, `recurrence.${part}`);
    });
  }

  for (const field of ['provider', 'calendarId', 'title', 'start', 'end']) {
    it(`a creation without ${field} is refused: absent, null or empty`, async () => {
      for (const value of [undefined, null, '']) await refused('POST', { ...EVENT, [field]: value }, field);
    });
  }
  it('a change, a deletion or an answer has to say which event it is of', async () => {
    for (const id of [undefined, null, '', 7, long(2_001)]) {
      await refused('PUT', { ...ID, eventId: id, title: 'x' }, 'eventId');
      await refused('DELETE', { ...ID, eventId: id }, 'eventId');
      await refused('POST', { ...ID, eventId: id, response: 'accepted' }, 'eventId', '/event/rsvp');
    }
    await refused('PUT', { ...ID, eventId, updateMode: 'some' }, 'updateMode');
    await refused('DELETE', { ...ID, eventId, deleteMode: 1 }, 'deleteMode');
    await refused('POST', { ...ID, eventId }, 'response', '/event/rsvp');
    await refused('POST', { ...ID, eventId, response: 'perhaps' }, 'response', '/event/rsvp');
    await refused('POST', { ...ID, eventId, response: 'accepted', comment: 1 }, 'comment', '/event/rsvp');
  });

  it('reports all mistakes in a request at once', async () => {
    const { body } = await send('POST', {
      provider: 'x',
      start: 5,
      recurrence: { frequency: 'X', count: 0 },
    });

    const fields = [
      'calendarId',
      'end',
      'provider',
      'recurrence.count',
      'recurrence.frequency',
      'start',
      'title',
    ];
    assert.deepEqual(Object.keys(body.details).sort(), fields);
  });

  it('a body that is no object is refused, and PHP’s empty list is taken for one without fields', async () => {
    for (const body of ['text', 5, [1], true]) await refused('POST', body, 'body');
    for (const body of [[], {}, undefined, null]) await refused('POST', body, 'title');
  });

  it('nulls and unknown fields are ignored', async () => {
    const nulls = Object.fromEntries(
      [
        'description',
        'location',
        'attendees',
        'custom',
        'recurrence',
        'allDay',
        'timeZone',
        'color',
        'conference',
        'conferenceData',
        'status',
        'privacy',
        'availability',
      ].map((name) => [name, null]),
    );

    const body = await accepted({ ...EVENT, ...nulls, surprise: { deep: [1] }, __proto__x: 1 });

    assert.deepEqual([body.title, body.attendees, body.status], ['Meeting', [], 'confirmed']);
  });

  it('what published clients send is taken: guests as objects, empty lists for objects, conferences as objects', async () => {
    const body = await accepted({
      ...EVENT,
      provider: 'CalDAV',
      attendees: [
        'Grace@example.com',
        { email: 'grace@example.com' },
        { email: 'alan@example.com', name: 'Alan', status: null },
      ],
      custom: [],
      recurrence: [],
      conference: { url: 'https://meet.example/x', provider: 'zoom', autoGenerate: false, data: {} },
    });

    assert.deepEqual(
      body.attendees.map(({ email }: { email: string }) => email),
      ['Grace@example.com', 'alan@example.com'],
    );
    assert.equal(body.conference, 'https://meet.example/x');
  });

  it('what .NET cannot leave out is taken for absent on a change', async () => {
    const created = await accepted({ ...EVENT, title: 'Kept' });
    const unset = { title: '', start: '0001-01-01T00:00:00', end: '0001-01-01T00:00:00' };

    const body = await accepted({ ...ID, eventId: created.id, ...unset, location: 'New' }, 'PUT');

    assert.deepEqual([body.title, body.start, body.location], ['Kept', created.start, 'New']);
  });

  const DATES: readonly [string, string, string][] = [
    ['2026-11-15T00:00:00Z', '2026-11-16T00:00:00Z', 'as written in UTC'],
    ['2026-11-15', '2026-11-16', 'as dates'],
    ['2026-11-15T00:00:00+05:30', '2026-11-16T00:00:00+05:30', 'by the date part, whatever the offset'],
    ['2026-11-15T00:00:00-08:00', '2026-11-16T00:00:00-08:00', 'by the date part west of UTC'],
    ['2026-11-14T23:00:00.000Z', '2026-11-15T23:00:00.000Z', 'by midnight in the calendar’s zone'],
    ['2026-11-15T09:30:00Z', '2026-11-16T09:30:00Z', 'with times that do not matter'],
    ['2026-11-14T24:00+01:00[Europe/Paris]', '2026-11-15T24:00:00 UTC', 'with hour 24 as the next midnight'],
  ];
  for (const [start, end, how] of DATES) {
    it(`the dates of an all-day event are read ${how}`, async () => {
      const body = await accepted({ ...EVENT, allDay: true, start, end });

      assert.deepEqual(
        [body.allDay, body.start, body.end],
        [true, '2026-11-15T00:00:00.000Z', '2026-11-16T00:00:00.000Z'],
      );
    });
  }
  it('an all-day event whose exclusive end is its start is refused', async () => {
    await refused('POST', { ...EVENT, allDay: true, start: '2026-11-15', end: '2026-11-15' }, 'end');
  });

  it('a series keeps its time of day when the clocks change, in the calendar’s zone or the one named', async () => {
    for (const [timeZone, expected] of [
      [undefined, '2027-04-05T08:00:00.000Z'],
      ['America/New_York', '2027-04-05T08:00:00.000Z'],
      ['Asia/Tokyo', '2027-04-05T09:00:00.000Z'],
    ] as const) {
      const start = '2027-03-01T09:00:00Z';
      const { id } = await accepted({
        ...EVENT,
        title: `In ${timeZone}`,
        start,
        end: '2027-03-01T10:00:00Z',
        timeZone,
        recurrence: WEEKLY,
      });

      const listed = await get(server, '/events?start=2027-04-05&end=2027-04-06', token);

      const instance = listed
        .json()
        .events.find((event: { recurringEventId?: string }) => event.recurringEventId === id);
      assert.equal(instance?.start, expected);
    }
  });

  it('a time without an offset is read in the zone that is named, else as UTC', async () => {
    const local = { start: '2026-11-20T09:00', end: '2026-11-20T10:00' };

    assert.equal((await accepted({ ...EVENT, ...local })).start, '2026-11-20T09:00:00.000Z');
    assert.equal(
      (await accepted({ ...EVENT, ...local, timeZone: 'Asia/Tokyo' })).start,
      '2026-11-20T00:00:00.000Z',
    );
  });

  it('both hours that the clock shows twice are kept apart, for a single event', async () => {
    // 25 October 2026: 02:30 in Paris is 00:30Z and again 01:30Z.
    for (const start of ['2026-10-25T00:30:00.000Z', '2026-10-25T01:30:00.000Z']) {
      const body = await accepted({ ...EVENT, start, end: '2026-10-25T03:00:00Z' });
      assert.equal(body.start, start);
    }
  });

  it('a series begins at the first of two like hours, and an instance the clock skips moves by the gap', async () => {
    const twice = await accepted({
      ...EVENT,
      start: '2026-10-25T01:30:00Z',
      end: '2026-10-25T02:00:00Z',
      recurrence: { frequency: 'DAILY', count: 2 },
    });
    assert.equal(twice.start, '2026-10-25T00:30:00.000Z');

    // 28 March 2027: 02:30 does not come in Paris.
    const skipped = { start: '2027-03-28T02:30:00', end: '2027-03-28T03:30:00', timeZone: 'Europe/Paris' };
    const { id } = await accepted({ ...EVENT, ...skipped, recurrence: { frequency: 'DAILY', count: 2 } });
    const listed = await get(server, '/events?start=2027-03-28&end=2027-03-30', token);
    const moved = listed
      .json()
      .events.filter((event: { recurringEventId?: string }) => event.recurringEventId === id);
    assert.deepEqual(
      moved.map(({ start }: { start: string }) => start),
      ['2027-03-28T01:30:00.000Z', '2027-03-29T00:30:00.000Z'],
    );
  });

  it('a whole series moves by as much as the instance that names it', async () => {
    const series = {
      ...EVENT,
      title: 'Moved',
      start: '2026-11-02T09:00:00Z',
      end: '2026-11-02T10:00:00Z',
      recurrence: { frequency: 'DAILY', count: 4 },
    };
    const { id } = await accepted(series);
    await send('DELETE', { ...ID, eventId: `${id}_20261103T090000Z`, deleteMode: 'this' });
    const instance = `${id}_20261104T090000Z`;

    const body = await accepted(
      {
        ...ID,
        eventId: instance,
        updateMode: 'all',
        start: '2026-11-04T11:00:00Z',
        end: '2026-11-04T12:30:00Z',
      },
      'PUT',
    );

    assert.deepEqual(
      [body.id, body.start, body.end],
      [id, '2026-11-02T11:00:00.000Z', '2026-11-02T12:30:00.000Z'],
    );
    const listed = await get(server, '/events?start=2026-11-01&end=2026-11-10', token);
    const moved = listed.json().events.filter((event: { title: string }) => event.title === 'Moved');
    assert.deepEqual(
      moved.map(({ start }: { start: string }) => start.slice(8, 13)),
      ['02T11', '04T11', '05T11'],
    );
  });

  it('a change that a series or one of its instances does not allow is refused', async () => {
    const { id } = await accepted({ ...EVENT, recurrence: { frequency: 'WEEKLY', byDay: ['FR'] } });
    const instance = `${id}_20261127T090000Z`;

    await refused('PUT', { ...ID, eventId: id, updateMode: 'this', title: 'x' }, 'updateMode');
    await refused('PUT', { ...ID, eventId: instance, recurrence: WEEKLY }, 'recurrence');
    await refused(
      'PUT',
      { ...ID, eventId: instance, recurringEventId: 'another', title: 'x' },
      'recurringEventId',
    );
    await refused(
      'PUT',
      { ...ID, eventId: instance, updateMode: 'all', start: '2026-11-28T09:00Z', end: '2026-11-28T10:00Z' },
      'start',
    );
    await refused('PUT', { ...ID, eventId: id, allDay: true }, 'start');
    await refused('PUT', { ...ID, eventId, start: '2026-11-20T11:00:00Z' }, 'end');
    assert.equal((await send('PUT', { ...ID, eventId: `${id}_20261128T090000Z`, title: 'x' })).status, 404);
    const swapped = await accepted(
      { ...ID, eventId: id, recurringEventId: instance, updateMode: 'this', title: 'Own' },
      'PUT',
    );
    assert.deepEqual([swapped.title, swapped.recurringEventId ?? swapped.id], ['Own', id]);
  });

  it('an invitation is answered for the account’s own user', async () => {
    const created = await accepted({
      ...EVENT,
      title: 'Invited',
      attendees: [{ email: 'ada@dav.example', status: 'none' }],
    });

    const answer = await send('POST', { ...ID, eventId: created.id, response: 'accepted' }, '/event/rsvp');

    assert.equal(answer.status, 200, JSON.stringify(answer.body));
    assert.equal(answer.body.event.attendees[0].status, 'accepted');
  });
});
