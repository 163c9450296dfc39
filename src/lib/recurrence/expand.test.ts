import assert from 'node:assert/strict';
import { describe, it } from 'node:test';

import {
  date,
  floating,
  instancesOf,
  override,
  type Rules,
  seriesOf,
  startsOf,
  utc,
  zoned,
} from '../../../test/lib/recurrence/series-samples.ts';
import { expand } from './expand.ts';
import { recurrenceBudget } from './expand-rule.ts';
import { computeSpan } from './place-of.ts';
import type { Series, SeriesOverride } from './series.ts';

describe('a window', () => {
  const single = seriesOf(utc('2026-11-02T09:00:00'), utc('2026-11-02T10:00:00'));

  it('contains events that overlap it, however little', () => {
    assert.deepEqual(startsOf(single, '2026-11-02T09:59:59Z/2026-11-03T00:00Z'), ['2026-11-02T09:00']);
    assert.deepEqual(startsOf(single, '2026-11-01T00:00Z/2026-11-02T09:00:01Z'), ['2026-11-02T09:00']);
  });

  it('does not contain an event that ends at its start or starts at its end', () => {
    assert.deepEqual(startsOf(single, '2026-11-02T10:00Z/2026-11-03T00:00Z'), []);
    assert.deepEqual(startsOf(single, '2026-11-01T00:00Z/2026-11-02T09:00Z'), []);
  });

  it('contains an event without length at its start, in one of two adjoining windows', () => {
    const moment = seriesOf(utc('2026-11-02T09:00:00'), utc('2026-11-02T09:00:00'));

    assert.deepEqual(startsOf(moment, '2026-11-02T09:00Z/2026-11-02T10:00Z'), ['2026-11-02T09:00']);
    assert.deepEqual(startsOf(moment, '2026-11-02T08:00Z/2026-11-02T09:00Z'), []);
  });

  it('contains a long instance that began long before it', () => {
    const month = seriesOf(date('2026-01-01'), date('2026-02-15'), { rrules: ['FREQ=MONTHLY'] });

    assert.deepEqual(startsOf(month, '2026-06-10T00:00Z/2026-06-11T00:00Z'), [
      '2026-05-01T00:00',
      '2026-06-01T00:00',
    ]);
  });
});

describe('clock changes', () => {
  it('leave a weekly meeting at its time of day', () => {
    const weekly = seriesOf(zoned('2026-10-19T09:00:00'), zoned('2026-10-19T10:00:00'), {
      rrules: ['FREQ=WEEKLY'],
    });

    assert.deepEqual(startsOf(weekly, '2026-10-19T00:00Z/2026-11-03T00:00Z'), [
      '2026-10-19T07:00',
      '2026-10-26T08:00',
      '2026-11-02T08:00',
    ]);
  });

  it('move only an instance in the gap, forward by the gap', () => {
    const nightly = seriesOf(zoned('2026-03-28T02:30:00'), zoned('2026-03-28T02:45:00'), {
      rrules: ['FREQ=DAILY'],
    });

    assert.deepEqual(startsOf(nightly, '2026-03-27T00:00Z/2026-03-31T00:00Z'), [
      '2026-03-28T01:30',
      '2026-03-29T01:30', // 03:30 in summer time: 02:30 did not exist
      '2026-03-30T00:30',
    ]);
  });

  it('move only a DTSTART in the gap, not its series', () => {
    const nightly = seriesOf(zoned('2026-03-29T02:30:00'), zoned('2026-03-29T03:30:00'), {
      rrules: ['FREQ=DAILY;COUNT=2'],
    });

    assert.deepEqual(startsOf(nightly, '2026-03-27T00:00Z/2026-03-31T00:00Z'), [
      '2026-03-29T01:30',
      '2026-03-30T00:30',
    ]);
  });

  it('use the first of two equal times', () => {
    const nightly = seriesOf(zoned('2026-10-25T02:30:00'), zoned('2026-10-25T02:45:00'));

    assert.deepEqual(startsOf(nightly, '2026-10-24T00:00Z/2026-10-26T00:00Z'), ['2026-10-25T00:30']);
  });

  it('change the length of whole days but not of hours', () => {
    const day = seriesOf(zoned('2026-03-28T12:00:00'), zoned('2026-03-29T12:00:00'));
    const night = seriesOf(zoned('2026-03-27T23:00:00'), zoned('2026-03-28T07:00:00'), {
      rrules: ['FREQ=DAILY;COUNT=2'],
    });

    const [long] = instancesOf(day, '2026-03-28T00:00Z/2026-03-30T00:00Z');
    const nights = instancesOf(night, '2026-03-27T00:00Z/2026-03-30T00:00Z');

    assert.equal(long && long.endsAt - long.startsAt, 23 * 3_600_000);
    assert.deepEqual(
      nights.map(({ startsAt, endsAt }) => (endsAt - startsAt) / 3_600_000),
      [8, 8],
    );
  });

  it('do not affect floating times, which are in the calendar’s zone', () => {
    const daily = seriesOf(floating('2026-11-01T09:00:00'), floating('2026-11-01T10:00:00'));

    assert.deepEqual(startsOf(daily, '2026-11-01T00:00Z/2026-11-02T00:00Z', 'America/New_York'), [
      '2026-11-01T14:00',
    ]);
  });
});

describe('rules', () => {
  const hour = (rules: Rules) => seriesOf(zoned('2026-11-02T09:00:00'), zoned('2026-11-02T10:00:00'), rules);
  const november = '2026-11-01T00:00Z/2026-12-01T00:00Z';
  const days = (series: Series<string>) =>
    startsOf(series, november).map((text) => Number(text.slice(8, 10)));

  it('count occurrences before EXDATE removes some', () => {
    const exdates = [zoned('2026-11-03T09:00:00')];

    assert.deepEqual(days(hour({ rrules: ['FREQ=DAILY;COUNT=3'], exdates })), [2, 4]);
  });

  it('count and keep a DTSTART that they do not name', () => {
    assert.deepEqual(days(hour({ rrules: ['FREQ=WEEKLY;BYDAY=TU;COUNT=3'] })), [2, 3, 10]);
  });

  it('include an UNTIL in UTC', () => {
    assert.deepEqual(days(hour({ rrules: ['FREQ=DAILY;UNTIL=20261104T080000Z'] })), [2, 3, 4]);
    assert.deepEqual(days(hour({ rrules: ['FREQ=DAILY;UNTIL=20261104T075959Z'] })), [2, 3]);
  });

  it('include the whole day of a date UNTIL in a timed series', () => {
    assert.deepEqual(days(hour({ rrules: ['FREQ=DAILY;UNTIL=20261104'] })), [2, 3, 4]);
  });

  it('use the date of a time UNTIL in an all-day series', () => {
    const allDay = (until: string, zone = 'UTC') =>
      startsOf(
        seriesOf(date('2026-11-02'), date('2026-11-03'), { rrules: [`FREQ=DAILY;UNTIL=${until}`] }),
        november,
        zone,
      ).length;

    assert.equal(allDay('20261104T000000Z', 'America/New_York'), 3);
    assert.equal(allDay('20261103T230000Z', 'Europe/Brussels'), 3);
  });

  it('are combined if there are several', () => {
    assert.deepEqual(
      days(hour({ rrules: ['FREQ=DAILY;COUNT=2', 'FREQ=WEEKLY;BYDAY=MO,TU;COUNT=4'] })),
      [2, 3, 9, 10],
    );
  });

  it('skip months without a 31st and years without February 29', () => {
    const monthly = seriesOf(date('2026-01-31'), date('2026-02-01'), { rrules: ['FREQ=MONTHLY'] });
    const leap = seriesOf(date('2024-02-29'), date('2024-03-01'), { rrules: ['FREQ=YEARLY'] });

    assert.deepEqual(startsOf(monthly, '2026-02-01T00:00Z/2026-06-01T00:00Z'), [
      '2026-03-31T00:00',
      '2026-05-31T00:00',
    ]);
    assert.deepEqual(startsOf(leap, '2025-01-01T00:00Z/2033-01-01T00:00Z'), [
      '2028-02-29T00:00',
      '2032-02-29T00:00',
    ]);
  });

  it('for every second are ignored and reported', () => {
    const window = { start: Date.parse('2026-11-01'), end: Date.parse('2026-12-01') };

    const expansion = expand(hour({ rrules: ['FREQ=SECONDLY'] }), window, 'UTC', recurrenceBudget());

    assert.equal(expansion.instances.length, 1);
    assert.equal(expansion.unsupported, true);
  });

  it('have no occurrence on the whole day of a date EXDATE', () => {
    assert.deepEqual(
      days(hour({ rrules: ['FREQ=DAILY;BYHOUR=9,17;COUNT=5'], exdates: [date('2026-11-03')] })),
      [2, 2, 4],
    );
  });

  it('have no occurrence at an EXDATE in another zone', () => {
    assert.deepEqual(
      days(hour({ rrules: ['FREQ=DAILY;COUNT=2'], exdates: [utc('2026-11-03T08:00:00')] })),
      [2],
    );
  });

  it('are extended by RDATEs, without length if they end before they start', () => {
    const rdates = [
      { start: zoned('2026-11-20T14:00:00'), end: date('2026-11-20') },
      { start: zoned('2026-11-25T14:00:00'), end: zoned('2020-01-01T00:00:00') },
    ];
    const series = hour({ rdates });
    const span = computeSpan(series, 'Europe/Brussels');

    const [, ...added] = instancesOf(series, november);

    assert.deepEqual(
      added.map(({ startsAt, endsAt }) => [new Date(startsAt).toISOString().slice(8, 13), endsAt - startsAt]),
      [
        ['20T13', 0],
        ['25T13', 0],
      ],
    );
    assert.ok(added.every(({ startsAt, endsAt }) => startsAt >= span.startsAt && endsAt <= span.endsAt));
  });

  it('are extended by RDATEs, which may have their own end', () => {
    const rdates = [
      { start: zoned('2026-11-20T14:00:00'), end: zoned('2026-11-20T17:00:00') },
      { start: date('2026-11-25') },
    ];

    const instances = instancesOf(hour({ rdates }), november);

    assert.deepEqual(
      instances.map(({ startsAt, endsAt }) => [
        new Date(startsAt).toISOString().slice(8, 13),
        (endsAt - startsAt) / 3_600_000,
      ]),
      [
        ['02T08', 1],
        ['20T13', 3],
        ['25T08', 1],
      ],
    );
  });
});

describe('overrides', () => {
  const weekly = (...overrides: SeriesOverride<string>[]) =>
    seriesOf(zoned('2026-11-02T09:00:00'), zoned('2026-11-02T10:00:00'), {
      rrules: ['FREQ=WEEKLY;COUNT=4'],
      overrides,
    });
  const all = '2026-10-01T00:00Z/2027-01-01T00:00Z';

  it('replace the instance that they name, in whatever zone', () => {
    const moved = override(
      utc('2026-11-09T08:00:00'),
      zoned('2026-11-10T09:00:00'),
      zoned('2026-11-10T09:30:00'),
    );

    const instances = instancesOf(weekly(moved), all);

    assert.deepEqual(
      instances.map(({ payload }) => payload),
      ['master', 'override', 'master', 'master'],
    );
    assert.deepEqual(instances[1]?.originalStart, zoned('2026-11-09T09:00:00'));
    assert.equal(instances[1]?.isOverride, true);
  });

  it('move into and out of a window', () => {
    const moved = override(
      zoned('2026-11-09T09:00:00'),
      zoned('2026-12-24T09:00:00'),
      zoned('2026-12-24T10:00:00'),
    );

    assert.deepEqual(startsOf(weekly(moved), '2026-11-09T00:00Z/2026-11-10T00:00Z'), []);
    assert.deepEqual(startsOf(weekly(moved), '2026-12-24T00:00Z/2026-12-25T00:00Z'), ['2026-12-24T08:00']);
  });

  it('remove an instance if they are cancelled', () => {
    const cancelledOverride = {
      ...override(zoned('2026-11-09T09:00:00'), zoned('2026-11-09T09:00:00'), zoned('2026-11-09T10:00:00')),
      cancelled: true,
    };

    assert.equal(startsOf(weekly(cancelledOverride), all).length, 3);
  });

  it('occur without a main event', () => {
    const lone = override(
      zoned('2026-11-09T09:00:00'),
      zoned('2026-11-10T09:00:00'),
      zoned('2026-11-10T10:00:00'),
    );

    assert.deepEqual(startsOf({ overrides: [lone] }, all), ['2026-11-10T08:00']);
  });

  it('for this and future move later instances and change their length', () => {
    const future = {
      ...override(zoned('2026-11-16T09:00:00'), zoned('2026-11-17T11:00:00'), zoned('2026-11-17T13:00:00')),
      thisAndFuture: true,
    };

    const instances = instancesOf(weekly(future), all);

    assert.deepEqual(
      instances.map(({ startsAt, endsAt, payload }) => [
        new Date(startsAt).toISOString().slice(5, 13),
        (endsAt - startsAt) / 3_600_000,
        payload,
      ]),
      [
        ['11-02T08', 1, 'master'],
        ['11-09T08', 1, 'master'],
        ['11-17T10', 2, 'override'],
        ['11-24T10', 2, 'override'],
      ],
    );
  });
});
