/** Bodies nobody should send to the writing endpoints: each is answered in the documented shape, none by a fault. */
import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';

import fc from 'fast-check';
import type { CalendarServer } from '../harness/calendar-server.ts';
import { rounds } from '../harness/rounds.ts';
import { HOME, type Method, openEventSite } from './event-site.ts';

describe('bodies nobody should send', () => {
  let server: CalendarServer;
  let token: string;
  let eventIds: string[];
  before(async () => {
    ({ server, token } = await openEventSite());
    const created = await send('POST', '/event', {
      ...valid(),
      recurrence: { frequency: 'DAILY', count: 400 },
    });
    const single = await send('POST', '/event', valid());
    const { id } = JSON.parse(created.body);
    eventIds = [
      id,
      JSON.parse(single.body).id,
      `${id}_20261121T090000Z`,
      `${id}_20270101T090000Z`,
      `${id}_20261121`,
    ];
  });
  after(() => server.close());

  const send = (method: Method, url: string, body: unknown) =>
    server.app.inject({
      method,
      url,
      headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
      payload: JSON.stringify(body),
    });

  it('every body nobody should send is answered in the documented shape', async () => {
    const seed = Number(process.env.KALENDS_TEST_SEED ?? Math.floor(Math.random() * 2 ** 31));
    const statuses: Record<string, number> = {};
    const property = fc.asyncProperty(call, fc.nat(), async ([method, url], which) => {
      const [drawn] = fc.sample(body(eventIds), { numRuns: 1, seed: which });
      const answer = await send(method, url, drawn);
      statuses[answer.statusCode] = (statuses[answer.statusCode] ?? 0) + 1;
      const exchange = `${method} ${url} ${JSON.stringify(drawn)} → ${answer.statusCode} ${answer.body}`;
      assert.ok([200, 400, 404, 422].includes(answer.statusCode), exchange);
      const { message, details = {} } = answer.json();
      assert.ok(answer.statusCode === 200 || typeof message === 'string', exchange);
      assert.ok(
        Object.values(details).every((texts) => Array.isArray(texts)),
        exchange,
      );
    });

    await fc.assert(property, { seed, numRuns: rounds(400) });

    assert.ok((statuses[400] ?? 0) > 20, JSON.stringify(statuses));
    assert.equal((await send('POST', '/event', valid())).statusCode, 200, 'what is right is still taken');
    assert.deepEqual(
      server.log.lines.filter((line) => line.startsWith('error')),
      [],
      `seed ${seed}`,
    );
  });
});

const valid = () => ({
  provider: 'caldav',
  calendarId: HOME,
  title: 'Meeting',
  start: '2026-11-20T09:00:00Z',
  end: '2026-11-20T10:00:00Z',
});

const call = fc.constantFrom(
  ['POST', '/event'] as const,
  ['PUT', '/event'] as const,
  ['DELETE', '/event'] as const,
  ['POST', '/event/rsvp'] as const,
);

const date = fc.constantFrom(
  '2026-11-20T09:00:00Z',
  '2026-11-21',
  '2027-03-28T02:30',
  '0001-01-01T00:00:00',
  '9999-12-31T23:59:59Z',
  '2026-11-20T09:00:00.1234567+14:00',
  '2026-12-32',
  '',
);
const rule = fc.record(
  {
    frequency: fc.constantFrom('DAILY', 'weekly', 'MONTHLY', 'YEARLY', 'X', null),
    interval: fc.oneof(fc.integer(), fc.constant(1)),
    count: fc.oneof(fc.integer({ min: -1, max: 12_000 }), fc.string()),
    until: date,
    byDay: fc.oneof(fc.constant(['MO']), fc.array(fc.string({ maxLength: 3 }))),
    byMonthDay: fc.array(fc.integer({ min: -1, max: 33 }), { maxLength: 3 }),
    byMonth: fc.array(fc.integer({ min: 0, max: 13 }), { maxLength: 3 }),
  },
  { requiredKeys: [] },
);
const junk = fc.oneof(fc.jsonValue(), fc.string({ unit: 'binary' }), fc.constant(null));
const orJunk = <T>(arbitrary: fc.Arbitrary<T>) =>
  fc.oneof({ weight: 9, arbitrary }, { weight: 1, arbitrary: junk });

/** Draws a body whose fields are valid or, one time in ten, junk. */
const body = (ids: readonly string[]) =>
  fc
    .record(
      {
        title: orJunk(fc.string()),
        start: orJunk(date),
        end: orJunk(date),
        allDay: orJunk(fc.boolean()),
        timeZone: orJunk(fc.constantFrom('Europe/Paris', 'Asia/Kathmandu', 'UTC', 'Nowhere')),
        recurrence: orJunk(rule),
        attendees: orJunk(
          fc.array(fc.oneof(fc.emailAddress(), fc.record({ email: fc.emailAddress() })), { maxLength: 3 }),
        ),
        custom: orJunk(fc.dictionary(fc.string(), fc.jsonValue(), { maxKeys: 3 })),
        conference: orJunk(fc.webUrl()),
        updateMode: orJunk(fc.constantFrom('this', 'following', 'all')),
        deleteMode: orJunk(fc.constantFrom('this', 'following')),
        response: orJunk(fc.constantFrom('accepted', 'declined')),
        status: orJunk(fc.constantFrom('tentative', 'cancelled')),
        recurringEventId: orJunk(fc.constantFrom(...ids)),
      },
      { requiredKeys: [] },
    )
    .chain((members) =>
      fc.constantFrom(...ids).map((eventId) => ({ ...valid(), eventId, response: 'accepted', ...members })),
    );
