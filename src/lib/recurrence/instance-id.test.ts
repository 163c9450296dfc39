import assert from 'node:assert/strict';
import { describe, it } from 'node:test';

import { formatInstanceId, parseInstanceId } from './event-instant.ts';

describe('an instance id', () => {
  it('ends with the original start in UTC, or with its date', () => {
    const timed = formatInstanceId(
      'standup',
      { type: 'zoned', local: '2026-11-01T10:00:00', zone: 'Europe/Brussels' },
      'UTC',
    );
    const floating = formatInstanceId(
      'standup',
      { type: 'floating', local: '2026-11-01T09:00:00' },
      'America/New_York',
    );
    const allDay = formatInstanceId('holiday', { type: 'date', date: '2026-11-01' }, 'America/New_York');

    assert.deepEqual(
      [timed, floating, allDay],
      ['standup_20261101T090000Z', 'standup_20261101T140000Z', 'holiday_20261101'],
    );
  });

  it('is parsed into the main event’s id and the original start, whatever that id is', () => {
    assert.deepEqual(parseInstanceId('a_b_20261101T090000Z'), {
      masterId: 'a_b',
      originalStart: { type: 'zoned', local: '2026-11-01T09:00:00', zone: 'UTC' },
    });
    assert.deepEqual(parseInstanceId('x.ics_20261101')?.originalStart, { type: 'date', date: '2026-11-01' });
  });

  it('is invalid without a main event’s id or a real date', () => {
    for (const id of [
      'standup',
      '_20261101',
      'standup_20261301',
      'standup_20261101T250000Z',
      'standup_20261101T0900',
    ]) {
      assert.equal(parseInstanceId(id), undefined, id);
    }
  });
});
