import assert from 'node:assert/strict';
import { describe, it } from 'node:test';

import { parseRecurrence } from './recurrence-lines.ts';

describe('recurrence lines', () => {
  it('give rules, dates and exceptions, each in its own type and zone', () => {
    const lines = [
      'RRULE:FREQ=WEEKLY;BYDAY=MO',
      'EXDATE;TZID=Europe/Paris:20261102T090000,20261109T090000',
      'EXDATE:20261116T080000Z',
      'RDATE;VALUE=DATE:20261203',
    ];

    assert.deepEqual(parseRecurrence(lines, 'Asia/Tokyo'), {
      rrules: ['FREQ=WEEKLY;BYDAY=MO'],
      rdates: [{ start: { type: 'date', date: '2026-12-03' } }],
      exdates: [
        { type: 'zoned', local: '2026-11-02T09:00:00', zone: 'Europe/Paris' },
        { type: 'zoned', local: '2026-11-09T09:00:00', zone: 'Europe/Paris' },
        { type: 'zoned', local: '2026-11-16T08:00:00', zone: 'UTC' },
      ],
    });
  });

  it('are in the given zone if they have no zone or an unknown one', () => {
    const { exdates } = parseRecurrence(
      ['EXDATE:20261102T090000', 'EXDATE;TZID=Mars/Base:20261103T090000'],
      'Asia/Tokyo',
    );

    assert.deepEqual(
      exdates.map((date) => date.type === 'zoned' && date.zone),
      ['Asia/Tokyo', 'Asia/Tokyo'],
    );
  });

  it('are ignored if they are invalid', () => {
    assert.deepEqual(parseRecurrence(['', 'EXRULE:FREQ=DAILY', 'EXDATE:soon', 'RRULE', 'RRULE:'], 'UTC'), {
      rrules: [],
      rdates: [],
      exdates: [],
    });
  });
});
