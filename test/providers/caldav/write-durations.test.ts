/** One occurrence of a series whose length is a DURATION, changed alone over a clock change. */
import assert from 'node:assert/strict';
import { afterEach, beforeEach, describe, it } from 'node:test';

import { berlin } from '../../contract/mirrored-writes.ts';
import { calendarObject } from '../../servers/icalendar.ts';
import { type WritingAccount, writingAccount } from '../../servers/writing-account.ts';

const HIKE = [
  'BEGIN:VEVENT',
  'UID:hike',
  'DTSTAMP:20260101T000000Z',
  'DTSTART;TZID=Europe/Berlin:20261017T120000',
  'DURATION:P1DT2H',
  'RRULE:FREQ=WEEKLY;COUNT=3',
  'SUMMARY:Hike',
  'END:VEVENT',
  '',
].join('\r\n');

describe('an occurrence of a series that lasts a day and hours', () => {
  let account: WritingAccount;
  beforeEach(async () => {
    account = await writingAccount();
  });
  afterEach(() => account.close());

  it('an occurrence that is changed alone keeps the day and the hours of its series', async () => {
    const href = await account.given('hike.ics', calendarObject(HIKE));

    await account.update(href, { title: 'Long night' }, berlin('2026-10-24T12:00:00'));

    const override = account.mirror.get(href)?.events.find(({ title }) => title === 'Long night');
    assert.deepEqual(override?.end, berlin('2026-10-25T14:00:00'));
  });
});
