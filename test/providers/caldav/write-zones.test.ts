/** Writing times in zones that no zone data knows: each TZID is described in its object, by the calendar's own component. */
import assert from 'node:assert/strict';
import { afterEach, beforeEach, describe, it } from 'node:test';

import type { CustomZone, EventTime } from '../../../src/lib/recurrence/event-time.ts';
import { berlin, draftOf, occurrences, rule } from '../../contract/mirrored-writes.ts';
import { calendarObject } from '../../servers/icalendar.ts';
import { ACME, ACME_ZONE, acmeException, acmeSeries, text } from '../../servers/odd-series.ts';
import { type WritingAccount, writingAccount } from '../../servers/writing-account.ts';

const ahead = (offset: number): CustomZone => ({
  tzid: 'Acme HQ Custom',
  observances: [
    { start: '1970-01-01T00:00:00', offsetFrom: offset, offsetTo: offset, rrules: [], rdates: [] },
  ],
});
const QUARTER_TO_THREE = ahead(9900);
const acme = (local: string, zone = QUARTER_TO_THREE): EventTime => ({ type: 'zoned', local, zone });
const DRAFT = draftOf({
  title: 'Once',
  start: acme('2026-11-16T09:00:00'),
  end: acme('2026-11-16T10:00:00'),
  recurrence: rule('FREQ=WEEKLY;UNTIL=20261130T061500Z'),
});

describe('times in a zone of the calendar’s own', () => {
  let account: WritingAccount;
  beforeEach(async () => {
    account = await writingAccount();
  });
  afterEach(() => account.close());

  const starts = (href: string) => occurrences(account.mirror, href).map(({ start }) => start);
  const has = (name: string, ...lines: readonly string[]) => {
    const written = account.lines(name);
    for (const line of lines) assert.ok(written.includes(line), `${line} in\n${written.join('\n')}`);
  };
  const zonesOf = (name: string) => account.lines(name).filter((line) => line.startsWith('TZID:'));

  it('are described in an event that is created in them', async () => {
    const { changed } = await account.create(DRAFT, 'a'.repeat(32));

    const [name = ''] = account.server.resources.keys();
    has(name, 'TZID:Acme HQ Custom', 'TZOFFSETTO:+0245', `DTSTART;${ACME}:20261116T090000`);
    has(name, 'RRULE:FREQ=WEEKLY;UNTIL=20261130T061500Z');
    assert.deepEqual(changed[0]?.events[0]?.start, DRAFT.start);
    // Nine o'clock there is a quarter past seven in Berlin.
    assert.deepEqual(starts(changed[0]?.href ?? ''), [
      '2026-11-16T07:15:00',
      '2026-11-23T07:15:00',
      '2026-11-30T07:15:00',
    ]);
  });

  it('stay as they are named and described when a series is changed, moved and ended', async () => {
    const href = await account.given('a.ics', acmeSeries(acmeException('SUMMARY:Special')));
    const zone = ACME_ZONE.trimEnd().split('\r\n');

    await account.update(href, { location: 'Roof' });
    await account.update(href, { start: acme('2026-11-16T09:30:00'), end: acme('2026-11-16T10:30:00') });
    await account.update(href, { recurrence: rule('FREQ=WEEKLY;UNTIL=20261207T064500Z') });

    has('a.ics', ...zone, `DTSTART;${ACME}:20261116T093000`, `RECURRENCE-ID;${ACME}:20261207T093000`);
    has('a.ics', 'RRULE:FREQ=WEEKLY;UNTIL=20261207T064500Z');
    assert.deepEqual(zonesOf('a.ics'), ['TZID:Acme HQ Custom']);
    assert.equal(starts(href).at(-1), '2026-12-07T07:45:00');
    assert.equal(starts(href).length, 4);
  });

  it('name an instance of the series where one is changed or deleted', async () => {
    const href = await account.given('a.ics', acmeSeries());

    await account.update(href, { title: 'Special' }, acme('2026-11-23T09:00:00'));
    await account.remove(href, acme('2026-11-30T09:00:00'));

    has('a.ics', `RECURRENCE-ID;${ACME}:20261123T090000`, `EXDATE;${ACME}:20261130T090000`);
    const shown = occurrences(account.mirror, href).map(
      ({ start, title }) => `${start.slice(5, 16)} ${title}`,
    );
    assert.deepEqual(shown, [
      '11-16T07:15 Weekly',
      '11-23T07:15 Special',
      '12-07T07:15 Weekly',
      '12-21T07:15 Weekly',
    ]);
  });

  it('get another name where the object has another zone of that name', async () => {
    const href = await account.given('a.ics', acmeSeries());
    const other = ahead(13_500);

    await account.update(href, {
      start: acme('2026-11-16T09:00:00', other),
      end: acme('2026-11-16T10:00:00', other),
    });

    has('a.ics', 'DTSTART;TZID=Acme HQ Custom 2:20261116T090000', 'TZOFFSETTO:+0345');
    assert.deepEqual(zonesOf('a.ics').sort(), ['TZID:Acme HQ Custom', 'TZID:Acme HQ Custom 2']);
    assert.equal(starts(href)[0], '2026-11-16T06:15:00');
  });

  it('are described once where the name has a comma', async () => {
    const name = 'Acme, HQ; Custom';
    const object = calendarObject(
      ACME_ZONE.replace('TZID:Acme HQ Custom', 'TZID:Acme\\, HQ\\; Custom'),
      text(
        'BEGIN:VEVENT',
        'UID:comma',
        'DTSTAMP:20260101T000000Z',
        `DTSTART;TZID="${name}":20261116T090000`,
        `DTEND;TZID="${name}":20261116T100000`,
        'SUMMARY:Comma',
        'END:VEVENT',
      ),
    );
    const href = await account.given('a.ics', object);

    await account.update(href, { title: 'Changed' });
    await account.update(href, { end: berlin('2026-11-16T09:00:00') });

    assert.deepEqual(
      zonesOf('a.ics').filter((line) => line.includes('Acme')),
      ['TZID:Acme\\, HQ\\; Custom'],
    );
    assert.deepEqual(starts(href), ['2026-11-16T07:15:00']);
  });

  it('keep a duration that says the new end too', async () => {
    const object = acmeSeries().replace(`DTEND;${ACME}:20261116T100000`, 'DURATION:PT1H');
    const href = await account.given('a.ics', object);

    await account.update(href, { start: acme('2026-11-16T09:30:00'), end: acme('2026-11-16T10:30:00') });
    has('a.ics', 'DURATION:PT1H', `DTSTART;${ACME}:20261116T093000`);

    await account.update(href, { end: acme('2026-11-16T11:00:00') });
    has('a.ics', `DTEND;${ACME}:20261116T110000`);
    assert.ok(!account.lines('a.ics').includes('DURATION:PT1H'));
  });
});
