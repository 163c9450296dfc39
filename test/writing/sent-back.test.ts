/** A client that sends back the event it has read: the rule of its series changes only if the client changed it. */
import assert from 'node:assert/strict';
import { afterEach, beforeEach, describe, it } from 'node:test';

import { get } from '../harness/calendar-server.ts';
import { calendarObject } from '../servers/icalendar.ts';
import { text } from '../servers/odd-series.ts';
import { type OddSite, openOddSite } from './odd-site.ts';

const series = (...lines: readonly string[]): string =>
  calendarObject(
    text(
      'BEGIN:VEVENT',
      'UID:series',
      'DTSTAMP:20260101T000000Z',
      'DTSTART:20261130T090000Z',
      'DTEND:20261130T100000Z',
      'SUMMARY:Series',
      ...lines,
      'END:VEVENT',
    ),
  );
const LAST_WORKDAY = 'RRULE:FREQ=MONTHLY;BYDAY=MO,TU,WE,TH,FR;BYSETPOS=-1';
const RULE_LINE = /^(RRULE|RDATE|EXDATE)/;

/** The rules of series of which a request cannot express everything. */
const RULES: Readonly<Record<string, readonly string[]>> = {
  'a position': [LAST_WORKDAY],
  'two times a day': ['RRULE:FREQ=DAILY;BYHOUR=9,17;COUNT=8'],
  'a day from the end': ['RRULE:FREQ=MONTHLY;BYMONTHDAY=-1'],
  'weeks of the year': ['RRULE:FREQ=YEARLY;BYWEEKNO=49;BYDAY=MO;WKST=SU'],
  'days of the year': ['RRULE:FREQ=YEARLY;BYYEARDAY=-32'],
  'two rules': ['RRULE:FREQ=WEEKLY;COUNT=3', 'RRULE:FREQ=MONTHLY;COUNT=3'],
  'additional dates only': ['RDATE:20261203T090000Z,20261207T090000Z'],
  'additional and excluded dates': [
    'RRULE:FREQ=WEEKLY;COUNT=5',
    'RDATE:20261203T090000Z',
    'EXDATE:20261207T090000Z',
  ],
  'a frequency below a day': ['RRULE:FREQ=HOURLY;INTERVAL=30;COUNT=5'],
};

describe('a series that is sent back', () => {
  let at: OddSite;
  beforeEach(async () => {
    at = await openOddSite();
  });
  afterEach(() => at.close());

  /** Returns the series as a listing shows it. */
  async function master(lines: readonly string[]) {
    await at.given('a.ics', series(...lines));
    const url = '/events?start=2026-11-01&end=2027-03-01&singleEvents=false';
    const { events } = (await get(at.server, url, await at.server.token())).json();
    assert.equal(events.length, 1);
    return { ...events[0], eventId: events[0].id };
  }
  const ruleLines = () => (at.texts().get('a.ics') ?? []).filter((line) => RULE_LINE.test(line));

  for (const [name, lines] of Object.entries(RULES))
    it(`keeps its rule with ${name}`, async () => {
      const event = await master(lines);

      const { status, body } = await at.send('PUT', { ...event, title: 'Renamed' });

      assert.deepEqual([status, body.title], [200, 'Renamed'], JSON.stringify(body));
      assert.deepEqual(body.recurrence, event.recurrence);
      assert.deepEqual(ruleLines(), lines);
    });

  it('keeps its rule if a client has reordered members and lists, and wrote null for absent members', async () => {
    const event = await master([LAST_WORKDAY]);
    const { byDay, ...rest } = event.recurrence;
    const recurrence = { rDates: [], count: null, byDay: byDay.toReversed(), ...rest, surprise: 1 };

    const { status, body } = await at.send('PUT', { ...event, recurrence, title: 'Renamed' });

    assert.equal(status, 200, JSON.stringify(body));
    assert.deepEqual(ruleLines(), [LAST_WORKDAY]);
  });

  it('keeps its rule when it moves to another day, although the rule names days', async () => {
    const event = await master(['RRULE:FREQ=WEEKLY;BYDAY=MO;BYHOUR=9']);
    const times = { start: '2026-12-07T09:00:00Z', end: '2026-12-07T10:00:00Z' };

    const { status, body } = await at.send('PUT', { ...event, ...times });

    assert.equal(status, 200, JSON.stringify(body));
    assert.equal(body.start, '2026-12-07T09:00:00.000Z');
    assert.deepEqual(ruleLines(), ['RRULE:FREQ=WEEKLY;BYDAY=MO;BYHOUR=9']);
  });

  it('keeps its rule in both halves of a split', async () => {
    const event = await master(['RRULE:FREQ=WEEKLY;BYDAY=MO,WE;BYSETPOS=-1;COUNT=5']);
    const eventId = await at.idAt('2026-12-09');

    const { status, body } = await at.send('PUT', {
      ...{ provider: event.provider, calendarId: event.calendarId, eventId },
      ...{ recurrence: event.recurrence, title: 'Later', updateMode: 'following' },
    });

    assert.equal(status, 200, JSON.stringify(body));
    const { count, ...rest } = event.recurrence;
    assert.equal(count, 5);
    const { count: left, ...later } = body.recurrence;
    assert.deepEqual(later, rest);
    assert.ok(left < 5, `${left} occurrences are left`);
  });

  it('is refused with each member that cannot be written if its rule was changed', async () => {
    const lines = ['RRULE:FREQ=MONTHLY;BYDAY=MO;BYSETPOS=-1', 'RDATE:20261203T090000Z'];
    const event = await master(lines);

    const recurrence = { ...event.recurrence, interval: 2 };
    const { status, body } = await at.send('PUT', { ...event, recurrence });

    assert.deepEqual([status, body.code], [400, 'invalid_request']);
    assert.deepEqual(Object.keys(body.details), ['recurrence.bySetPos', 'recurrence.rDates']);
    assert.match(body.message, /^recurrence\.bySetPos cannot be set: /);
    assert.deepEqual(ruleLines(), lines);
  });

  it('keeps excluded occurrences and the first day of its weeks in a new rule', async () => {
    const event = await master(['RRULE:FREQ=WEEKLY;BYDAY=MO;WKST=SU', 'EXDATE:20261207T090000Z']);

    const recurrence = { ...event.recurrence, interval: 2 };
    const { status, body } = await at.send('PUT', { ...event, recurrence });

    assert.equal(status, 200, JSON.stringify(body));
    assert.deepEqual(ruleLines().sort(), [
      'EXDATE:20261207T090000Z',
      'RRULE:FREQ=WEEKLY;INTERVAL=2;BYDAY=MO;WKST=SU',
    ]);
    assert.deepEqual(body.recurrence, recurrence);
  });

  it('is refused with other excluded occurrences, which a rule cannot have', async () => {
    const event = await master(['RRULE:FREQ=WEEKLY', 'EXDATE:20261207T090000Z']);

    const recurrence = { ...event.recurrence, exDates: ['2026-12-14T09:00:00.000Z'] };
    const { status, body } = await at.send('PUT', { ...event, recurrence });

    assert.deepEqual([status, Object.keys(body.details)], [400, ['recurrence.exDates']]);
  });

  it('is not created again without what its rule cannot have', async () => {
    const { eventId: _, ...event } = await master([LAST_WORKDAY]);

    const { status, body } = await at.send('POST', event);

    assert.deepEqual([status, Object.keys(body.details)], [400, ['recurrence.bySetPos']]);
    assert.deepEqual(at.writes(), []);
  });
});
