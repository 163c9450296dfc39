/** The exact sentences of errors that depend on the existing event and on its calendar's zone. */
import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import type { CalendarServer } from '../harness/calendar-server.ts';
import { EVENT, ID, openEventSite } from './event-site.ts';

/** Changes of the weekly series' first instance, each with its errors. */
const REFUSALS: readonly (readonly [object, Readonly<Record<string, string>>])[] = [
  [
    { allDay: true },
    {
      start: 'start must be given when allDay changes',
      end: 'end must be given when allDay changes',
    },
  ],
  [{ end: '2026-11-20T08:00:00Z' }, { end: 'end must not be before start' }],
  [
    { allDay: true, start: '2026-11-20', end: '2026-11-20' },
    { end: 'end must be after start: the end of an all-day event is exclusive' },
  ],
  [
    { recurrence: { frequency: 'DAILY' } },
    {
      recurrence: 'recurrence cannot be changed for a single occurrence: set updateMode to following or all',
    },
  ],
  [
    { updateMode: 'all', recurrence: { frequency: 'DAILY', until: '2020-01-01' } },
    { 'recurrence.until': 'recurrence.until must not be before start' },
  ],
  [
    { updateMode: 'all', start: '2026-11-21T09:00:00Z', end: '2026-11-21T10:00:00Z' },
    { start: 'start moves the series to another day: send recurrence as well' },
  ],
];

/** Recurrences of a new event, each with the field and sentence of its error. */
const RULES: readonly (readonly [object, string, string])[] = [
  [
    { frequency: 'HOURLY' },
    'recurrence.frequency',
    'recurrence.frequency must be one of DAILY, WEEKLY, MONTHLY, YEARLY',
  ],
  [
    { frequency: ' ' },
    'recurrence.frequency',
    'recurrence.frequency must be one of DAILY, WEEKLY, MONTHLY, YEARLY',
  ],
  [{}, 'recurrence.frequency', 'recurrence.frequency is missing'],
  [{ frequency: null, count: 3 }, 'recurrence.frequency', 'recurrence.frequency is missing'],
  [
    { frequency: 'weekly', byMonthDay: [3] },
    'recurrence.byMonthDay',
    'recurrence.byMonthDay cannot be used with WEEKLY',
  ],
];

/** Times whose order depends on the zone or on all-day, each with the start and end of the event. */
const ORDERS: readonly (readonly [object, string, string])[] = [
  [
    { start: '2026-11-20T15:00:00Z', end: '2026-11-20T10:30:00', timeZone: 'America/New_York' },
    '2026-11-20T15:00:00.000Z',
    '2026-11-20T15:30:00.000Z',
  ],
  [
    { start: '2026-11-20T09:00:00', end: '2026-11-20T08:30:00Z', timeZone: 'Europe/Berlin' },
    '2026-11-20T08:00:00.000Z',
    '2026-11-20T08:30:00.000Z',
  ],
  [
    { start: '2026-11-15T22:00:00-05:00', end: '2026-11-16T00:00:00Z', allDay: true },
    '2026-11-15T00:00:00.000Z',
    '2026-11-16T00:00:00.000Z',
  ],
];

/** Times of a timed event that ends before it starts. */
const REVERSED: readonly object[] = [
  { start: '2026-11-20T09:00:00Z', end: '2026-11-20T08:59:59Z' },
  { start: '2026-11-20T09:00:00', end: '2026-11-20T08:59:59' },
  { start: '2026-11-20T09:00:00', end: '2026-11-20T08:59:59Z' },
  { start: '2026-11-20T09:00:00', end: '2026-11-20T08:59:59', timeZone: 'America/New_York' },
  { start: '2026-11-20T09:00:00', end: '2026-11-20T09:30:00Z', timeZone: 'America/New_York' },
];

describe('a change that does not fit the event', () => {
  let server: CalendarServer;
  let token: string;
  before(async () => {
    ({ server, token } = await openEventSite());
  });
  after(() => server.close());

  const send = async (method: 'POST' | 'PUT', payload: object) => {
    const headers = { authorization: `Bearer ${token}` };
    const answer = await server.app.inject({ method, url: '/event', headers, payload });
    return { status: answer.statusCode, body: answer.json() };
  };

  it('is refused in the documented sentence, under the name of its field', async () => {
    const recurrence = { frequency: 'WEEKLY', byDay: ['FR'] };
    const series = await send('POST', { ...EVENT, recurrence });

    for (const [change, sentences] of REFUSALS) {
      const eventId = `${series.body.id}_20261120T090000Z`;
      const { body } = await send('PUT', { ...ID, eventId, ...change });

      const details = Object.fromEntries(Object.entries(sentences).map(([field, text]) => [field, [text]]));
      assert.deepEqual([body.code, body.details], ['invalid_request', details]);
      assert.equal(body.message, Object.values(sentences)[0]);
    }
  });

  it('times are in order as their zone and allDay say, on creation and on change', async () => {
    for (const [times, start, end] of ORDERS) {
      const created = await send('POST', { ...EVENT, ...times });
      assert.deepEqual([created.status, created.body.start, created.body.end], [200, start, end]);
      const eventId = (await send('POST', EVENT)).body.id;
      const changed = await send('PUT', { ...ID, eventId, ...times });
      assert.deepEqual([changed.status, changed.body.start, changed.body.end], [200, start, end]);
      // The event has the request's kind already.
      const again = await send('PUT', { ...ID, eventId, ...times, allDay: undefined });
      assert.deepEqual([again.status, again.body.start, again.body.end], [200, start, end]);
    }
  });

  it('times in the wrong order are refused in the documented sentence, on creation and on change', async () => {
    const recurrence = { frequency: 'WEEKLY' };
    const single = (await send('POST', EVENT)).body.id;
    const series = (await send('POST', { ...EVENT, recurrence })).body.id;
    const following = { eventId: `${series}_20261127T090000Z`, updateMode: 'following' };

    for (const times of REVERSED)
      for (const { status, body } of [
        await send('POST', { ...EVENT, ...times }),
        await send('POST', { ...EVENT, ...times, recurrence }),
        await send('PUT', { ...ID, eventId: single, ...times }),
        await send('PUT', { ...ID, eventId: series, ...times }),
        await send('PUT', { ...ID, ...following, ...times }),
      ])
        assert.deepEqual([status, body.details], [400, { end: ['end must not be before start'] }]);
  });

  it('a rule that nobody can follow is refused in the words of the interface, on creation and on change', async () => {
    const single = await send('POST', EVENT);

    for (const [recurrence, field, sentence] of RULES) {
      for (const { status, body } of [
        await send('POST', { ...EVENT, recurrence }),
        await send('PUT', { ...ID, eventId: single.body.id, recurrence }),
      ])
        assert.deepEqual([status, body.message, body.details], [400, sentence, { [field]: [sentence] }]);
    }
  });

  it('no rule is meant by null, by PHP’s empty list and by .NET’s object of nulls', async () => {
    for (const recurrence of [null, [], { frequency: null, interval: null, count: null }]) {
      const { status, body } = await send('POST', { ...EVENT, recurrence });
      assert.deepEqual([status, body.recurrence], [200, undefined], JSON.stringify(body));
    }
  });
});
