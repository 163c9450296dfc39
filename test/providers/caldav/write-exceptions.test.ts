/** An unrelated change keeps the exceptions of a series: its EXDATEs with overrides, and its EXRULE. */
import assert from 'node:assert/strict';
import { afterEach, beforeEach, describe, it } from 'node:test';
import { UnsupportedByProvider } from '../../../src/calendars/provider-error.ts';
import type { EventTime } from '../../../src/lib/recurrence/event-time.ts';
import { rule } from '../../contract/mirrored-writes.ts';
import { calendarObject } from '../../servers/icalendar.ts';
import { type WritingAccount, writingAccount } from '../../servers/writing-account.ts';

const eventOf = (...lines: readonly string[]): string =>
  ['BEGIN:VEVENT', 'UID:series', 'DTSTAMP:20260101T000000Z', ...lines, 'END:VEVENT', ''].join('\r\n');
const utc = (local: string): EventTime => ({ type: 'zoned', local, zone: 'UTC' });

const DAILY = [
  'DTSTART:20260105T090000Z',
  'DTEND:20260105T100000Z',
  'RRULE:FREQ=DAILY;COUNT=5',
  'SUMMARY:Series',
];

describe('the exceptions of a series that is changed', () => {
  let account: WritingAccount;
  beforeEach(async () => {
    account = await writingAccount();
  });
  afterEach(() => account.close());

  const titles = (href: string) => account.mirror.get(href)?.events.map(({ title }) => title);

  describe('an override beside an EXDATE of the same revision', () => {
    let href: string;
    beforeEach(async () => {
      const override = eventOf(
        'SEQUENCE:1',
        'RECURRENCE-ID:20260107T090000Z',
        'DTSTART:20260107T120000Z',
        'DTEND:20260107T130000Z',
        'SUMMARY:Exception',
      );
      const master = eventOf(...DAILY, 'SEQUENCE:1', 'EXDATE:20260107T090000Z');
      href = await account.given('a.ics', calendarObject(master, override));
    });

    it('takes place when the series has another title', async () => {
      await account.update(href, { title: 'Renamed' });
      await account.update(href, { title: 'Renamed again' });

      assert.deepEqual(titles(href), ['Renamed again', 'Exception']);
    });

    it('takes place when another occurrence is deleted', async () => {
      await account.remove(href, utc('2026-01-06T09:00:00'));
      await account.remove(href, utc('2026-01-08T09:00:00'));

      assert.deepEqual(titles(href), ['Series', 'Exception']);
    });

    it('is gone when it is deleted itself', async () => {
      await account.remove(href, utc('2026-01-07T09:00:00'));

      assert.deepEqual(titles(href), ['Series']);
    });
  });

  describe('an override without a DTSTART', () => {
    const occurrence = utc('2026-01-07T09:00:00');
    const times = () => account.lines('a.ics').filter((line) => /20260107/.test(line));
    let href: string;
    beforeEach(async () => {
      const override = eventOf('RECURRENCE-ID:20260107T090000Z', 'SUMMARY:Exception');
      href = await account.given('a.ics', calendarObject(eventOf(...DAILY), override));
    });

    it('gets one with a new title', async () => {
      await account.update(href, { title: 'Renamed' }, occurrence);

      assert.deepEqual(titles(href), ['Series', 'Renamed']);
      const stated = ['RECURRENCE-ID:20260107T090000Z', 'DTSTART:20260107T090000Z', 'DTEND:20260107T100000Z'];
      assert.deepEqual(times(), stated);
    });

    it('gets one with a new end, which may be its start', async () => {
      await account.update(href, { end: occurrence }, occurrence);

      assert.deepEqual(times(), ['RECURRENCE-ID:20260107T090000Z', 'DTSTART:20260107T090000Z']);
      assert.ok(account.lines('a.ics').includes('DURATION:PT0S'));
    });

    it('gets one when its series moves or has a new place', async () => {
      await account.update(href, { location: 'Garden' });
      assert.ok(times().includes('DTSTART:20260107T090000Z'));

      await account.update(href, { start: utc('2026-01-05T11:00:00'), end: utc('2026-01-05T13:00:00') });
      const moved = ['RECURRENCE-ID:20260107T110000Z', 'DTSTART:20260107T110000Z', 'DTEND:20260107T130000Z'];
      assert.deepEqual(times(), moved);
    });
  });

  describe('EXRULE', () => {
    const EXRULE = 'EXRULE:FREQ=WEEKLY;BYDAY=FR';
    let href: string;
    beforeEach(async () => {
      href = await account.given('a.ics', calendarObject(eventOf(...DAILY, EXRULE)));
    });
    const hasExrule = () => account.lines('a.ics').includes(EXRULE);

    it('is not lost with a move: that is refused', async () => {
      const moved = { start: utc('2026-01-05T10:00:00'), end: utc('2026-01-05T11:00:00') };
      await assert.rejects(
        account.update(href, moved),
        (error) =>
          error instanceof UnsupportedByProvider &&
          error.reason === 'field_not_supported_by_provider' &&
          error.field === 'start',
      );

      assert.ok(hasExrule());
      assert.deepEqual(
        account.server.calls.filter(({ kind }) => kind === 'PUT'),
        [],
      );
    });

    it('stays with another title, another length and another occurrence', async () => {
      await account.update(href, { title: 'Renamed', end: utc('2026-01-05T11:00:00') });
      await account.update(href, { title: 'Alone' }, utc('2026-01-06T09:00:00'));

      assert.ok(hasExrule());
    });

    it('goes when the series gets a new recurrence', async () => {
      await account.update(href, {
        recurrence: rule('FREQ=DAILY;COUNT=3'),
        start: utc('2026-01-05T10:00:00'),
      });

      assert.ok(!hasExrule());
    });
  });
});
