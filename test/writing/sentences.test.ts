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

describe('a change that does not fit the event', () => {
  let server: CalendarServer;
  let token: string;
  before(async () => {
    ({ server, token } = await openEventSite());
  });
  after(() => server.close());

  it('is refused in the documented sentence, under the name of its field', async () => {
    const send = async (method: 'POST' | 'PUT', payload: object) => {
      const headers = { authorization: `Bearer ${token}` };
      return (await server.app.inject({ method, url: '/event', headers, payload })).json();
    };
    const series = await send('POST', { ...EVENT, recurrence: { frequency: 'WEEKLY', byDay: ['FR'] } });

    for (const [change, sentences] of REFUSALS) {
      const answer = await send('PUT', { ...ID, eventId: `${series.id}_20261120T090000Z`, ...change });

      const details = Object.fromEntries(Object.entries(sentences).map(([field, text]) => [field, [text]]));
      assert.deepEqual([answer.code, answer.details], ['invalid_request', details]);
      assert.equal(answer.message, Object.values(sentences)[0]);
    }
  });

  it('a rule that nobody can follow is refused in the words of the interface, on creation and on change', async () => {
    const send = async (method: 'POST' | 'PUT', payload: object) => {
      const headers = { authorization: `Bearer ${token}` };
      const answer = await server.app.inject({ method, url: '/event', headers, payload });
      return { status: answer.statusCode, body: answer.json() };
    };
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
      const headers = { authorization: `Bearer ${token}` };
      const payload = { ...EVENT, recurrence };
      const answer = await server.app.inject({ method: 'POST', url: '/event', headers, payload });
      assert.deepEqual([answer.statusCode, answer.json().recurrence], [200, undefined], answer.body);
    }
  });
});
