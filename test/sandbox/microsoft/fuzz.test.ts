/** The sandbox's Microsoft responds to every request, and never with an internal error. */
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';

import fc from 'fast-check';

import { rounds } from '../../harness/rounds.ts';
import { openGraph, pathOf, WEEKLY } from './graph.ts';

const odd = fc.oneof(
  fc.constantFrom(
    '',
    ' ',
    '%',
    '%zz',
    '\u0000',
    '../..',
    "'",
    '"',
    '9999-12-31T23:59:59',
    '0000-00-00',
    '-1',
    '1e9',
    'null',
  ),
  fc.string({ maxLength: 30 }),
);
/** Mostly what makes sense, so that what is odd gets far. */
const mostly = <T, U>(sense: fc.Arbitrary<T>, other: fc.Arbitrary<U>): fc.Arbitrary<T | U> =>
  fc.oneof({ weight: 12, arbitrary: sense }, { weight: 1, arbitrary: other });

const anything = fc.jsonValue({ maxDepth: 1 });
const dates = ['2026-11-28', '2026-03-29', '1601-01-01', '4500-12-30', '2028-02-29'];
const zones = ['UTC', 'W. Europe Standard Time', 'Pacific/Kiritimati', 'Samoa Standard Time'];
const zone = mostly(fc.constantFrom(...zones), odd);
const clock = fc.constantFrom('T00:00:00', 'T02:30:00', 'T09:00:00.0000000', 'T23:59:59Z');
const dateTime = fc.tuple(fc.constantFrom(...dates), clock).map(([date, time]) => date + time);
const time = mostly(fc.record({ dateTime: mostly(dateTime, odd), timeZone: zone }), anything);
/** A start and an end that go together. */
const times = fc
  .tuple(fc.constantFrom(...dates), fc.constantFrom(...zones), fc.boolean())
  .map(([date, timeZone, isAllDay]) => {
    const next = new Date(Date.parse(date) + 86_400_000).toISOString().slice(0, 10);
    const at = (day: string, clockTime: string) => ({ dateTime: `${day}T${clockTime}`, timeZone });
    return isAllDay
      ? { isAllDay, start: at(date, '00:00:00'), end: at(next, '00:00:00') }
      : { isAllDay, start: at(date, '02:30:00'), end: at(date, '03:15:00') };
  });
const number = mostly(fc.integer({ min: 1, max: 31 }), fc.oneof(fc.double(), fc.constantFrom(-1, 1e308)));
const weekday = mostly(fc.constantFrom('monday', 'friday', 'sunday'), odd);
const types = ['daily', 'weekly', 'absoluteMonthly', 'relativeMonthly', 'absoluteYearly', 'relativeYearly'];
const pattern = fc.record(
  {
    type: mostly(fc.constantFrom(...types), odd),
    interval: number,
    dayOfMonth: number,
    month: mostly(fc.integer({ min: 1, max: 12 }), number),
    daysOfWeek: mostly(fc.array(weekday, { minLength: 1, maxLength: 4 }), anything),
    index: mostly(fc.constantFrom('first', 'last', null), odd),
    firstDayOfWeek: weekday,
  },
  { requiredKeys: ['type', 'interval', 'dayOfMonth', 'month', 'daysOfWeek'] },
);
const range = fc.record(
  {
    type: mostly(fc.constantFrom('noEnd', 'endDate', 'numbered'), odd),
    startDate: mostly(fc.constantFrom(...dates), odd),
    endDate: mostly(fc.constantFrom('4500-12-31', '9999-12-31'), odd),
    numberOfOccurrences: number,
    recurrenceTimeZone: zone,
  },
  { requiredKeys: ['type', 'startDate', 'endDate', 'numberOfOccurrences'] },
);
const recurrence = mostly(fc.record({ pattern, range }), anything);
const members = fc.record(
  {
    subject: mostly(odd, fc.constant(null)),
    start: time,
    end: time,
    isAllDay: fc.constantFrom(true, false, null),
    recurrence: mostly(recurrence, fc.constant(null)),
    body: mostly(fc.record({ content: odd, contentType: fc.constantFrom('text', 'html', null) }), anything),
    attendees: mostly(fc.constant([]), fc.array(fc.record({ emailAddress: fc.record({ address: odd }) }))),
    location: mostly(fc.constantFrom(null, {}, { displayName: null }), odd),
    isOnlineMeeting: mostly(fc.constantFrom(true, false, null), odd),
  },
  { requiredKeys: [] },
);
const together = fc.tuple(members, times).map(([odds, sense]) => ({ ...odds, ...sense }));
const eventBody = fc.oneof({ weight: 6, arbitrary: together }, members, fc.jsonValue());

describe('Anything sent to the Microsoft sandbox', () => {
  it('anything sent to Graph as an event is taken or refused with a reason', async (t) => {
    const { graph, calendarId } = await openGraph(t);
    const master = (await graph('POST', `/me/calendars/${calendarId}/events`, { body: WEEKLY })).body;
    const window = 'startDateTime=2026-10-05T00:00:00Z&endDateTime=2026-10-20T00:00:00Z';
    const instances = (await graph('GET', `${pathOf(master)}/instances?${window}`)).body.value;
    // A collection's `value` is a list of objects.
    const occurrence = (instances as Record<string, unknown>[])[1];

    await fc.assert(
      fc.asyncProperty(eventBody, fc.nat(2), async (body, where) => {
        const path = [`/me/calendars/${calendarId}/events`, pathOf(master), pathOf(occurrence)][where] ?? '';
        const { status, body: reply } = await graph(where === 0 ? 'POST' : 'PATCH', path, { body });
        const view = await graph('GET', `/me/calendars/${calendarId}/calendarView?${window}&$top=1000`);

        assert.ok(status < 500, JSON.stringify(reply));
        assert.equal(view.status, 200);
      }),
      { numRuns: rounds(100) },
    );
  });

  it('anything sent to Graph as a query or a header is understood or refused', async (t) => {
    const { graph, calendarId } = await openGraph(t);
    const base = `/me/calendars/${calendarId}`;
    const names = [
      '$top',
      '$skip',
      '$select',
      '$expand',
      '$orderby',
      '$skiptoken',
      'startDateTime',
      'endDateTime',
    ];
    const header = fc.stringMatching(/^[ -~]{0,40}$/);

    await fc.assert(
      fc.asyncProperty(
        fc.constantFrom(
          '/events',
          '/calendarView',
          '/calendarView/delta',
          '/events/AAMk',
          '/events/AAMkAGI2%zz',
        ),
        fc.array(fc.tuple(fc.constantFrom(...names), odd), { maxLength: 3 }),
        header,
        async (path, query, prefer) => {
          const parameters = new URLSearchParams(query);
          const { status } = await graph('GET', `${base}${path}?${parameters}`, { headers: { prefer } });

          assert.ok(status < 500);
        },
      ),
      { numRuns: rounds(80) },
    );
  });

  it('anything sent as a form of the identity platform is understood or refused', async (t) => {
    const { sandbox } = await openGraph(t);
    const names = [
      'client_id',
      'redirect_uri',
      'request',
      'account',
      'decision',
      'grant_type',
      'code',
      'refresh_token',
    ];
    const paths = ['token', 'authorize', 'authorize/account', 'authorize/consent'];

    await fc.assert(
      fc.asyncProperty(
        fc.constantFrom(...paths),
        fc.array(fc.tuple(fc.constantFrom(...names), odd), { maxLength: 5 }),
        async (path, fields) => {
          const url = `${sandbox.origin}/common/oauth2/v2.0/${path}`;
          const posted = await fetch(url, {
            method: 'POST',
            body: new URLSearchParams(fields),
            redirect: 'manual',
          });
          const byGet = await fetch(`${url}?${new URLSearchParams(fields)}`, { redirect: 'manual' });

          assert.ok(posted.status < 500 && byGet.status < 500);
        },
      ),
      { numRuns: rounds(60) },
    );
  });
});
