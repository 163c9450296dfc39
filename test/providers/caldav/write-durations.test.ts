/** How long occurrences last after a change: by DURATION, over a clock change, and as a period of RDATE says. */
import assert from 'node:assert/strict';
import { afterEach, beforeEach, describe, it } from 'node:test';
import { toInstant } from '../../../src/lib/recurrence/event-instant.ts';
import type { EventTime } from '../../../src/lib/recurrence/event-time.ts';
import { berlin } from '../../contract/mirrored-writes.ts';
import { calendarObject } from '../../servers/icalendar.ts';
import { type WritingAccount, writingAccount } from '../../servers/writing-account.ts';

const eventOf = (...lines: readonly string[]): string =>
  ['BEGIN:VEVENT', 'UID:hike', 'DTSTAMP:20250101T000000Z', ...lines, 'END:VEVENT', ''].join('\r\n');
const newYork = (local: string): EventTime => ({ type: 'zoned', local, zone: 'America/New_York' });

const HOUR = 3_600_000;
const NEW_YORK = 'TZID=America/New_York';

describe('the length of occurrences', () => {
  let account: WritingAccount;
  beforeEach(async () => {
    account = await writingAccount();
  });
  afterEach(() => account.close());

  const hoursOf = (href: string, title: string): number => {
    const event = account.mirror.get(href)?.events.find((one) => one.title === title);
    assert.ok(event, `An event titled ${title}`);
    return (toInstant(event.end, 'UTC') - toInstant(event.start, 'UTC')) / HOUR;
  };

  it('an occurrence that is changed alone keeps the day and the hours of its series', async () => {
    const hike = eventOf(
      'DTSTART;TZID=Europe/Berlin:20261017T120000',
      'DURATION:P1DT2H',
      'RRULE:FREQ=WEEKLY;COUNT=3',
      'SUMMARY:Hike',
    );
    const href = await account.given('hike.ics', calendarObject(hike));

    await account.update(href, { title: 'Long night' }, berlin('2026-10-24T12:00:00'));

    const override = account.mirror.get(href)?.events.find(({ title }) => title === 'Long night');
    assert.deepEqual(override?.end, berlin('2026-10-25T14:00:00'));
  });

  it('an occurrence that ends when the clock has gone back keeps its length', async () => {
    const watch = eventOf(
      `DTSTART;${NEW_YORK}:20251026T003000`,
      `DTEND;${NEW_YORK}:20251026T023000`,
      'RRULE:FREQ=WEEKLY;COUNT=3',
      'SUMMARY:Watch',
    );
    const href = await account.given('watch.ics', calendarObject(watch));

    await account.update(href, { title: 'Night watch' }, newYork('2025-11-02T00:30:00'));

    assert.equal(hoursOf(href, 'Night watch'), 2);
    assert.ok(account.lines('watch.ics').includes('DTEND:20251102T063000Z'));
  });

  it('an exception keeps its DURATION when its series moves over a clock change', async () => {
    const master = eventOf(
      `DTSTART;${NEW_YORK}:20251025T220000`,
      'DURATION:PT24H',
      'RRULE:FREQ=WEEKLY;COUNT=3',
      'SUMMARY:Series',
    );
    const override = eventOf(
      `RECURRENCE-ID;${NEW_YORK}:20251101T220000`,
      `DTSTART;${NEW_YORK}:20251101T220000`,
      'DURATION:PT24H',
      'SUMMARY:Exception',
    );
    const href = await account.given('hike.ics', calendarObject(master, override));

    const moved = { start: newYork('2025-10-25T21:00:00'), end: newYork('2025-10-26T21:00:00') };
    await account.update(href, moved);

    assert.equal(hoursOf(href, 'Exception'), 24);
    const durations = account.lines('hike.ics').filter((line) => /^(DURATION|DTEND)/.test(line));
    assert.deepEqual(durations, ['DURATION:PT24H', 'DURATION:PT24H']);
  });

  it('an occurrence of an RDATE that is a period keeps the end of that period', async () => {
    const series = eventOf(
      `DTSTART;${NEW_YORK}:20251020T100000`,
      `DTEND;${NEW_YORK}:20251020T110000`,
      `RDATE;VALUE=PERIOD;${NEW_YORK}:20251027T100000/PT5H`,
      'SUMMARY:Series',
    );
    const href = await account.given('hike.ics', calendarObject(series));

    await account.update(href, { title: 'Long one' }, newYork('2025-10-27T10:00:00'));

    assert.equal(hoursOf(href, 'Long one'), 5);
  });
});
