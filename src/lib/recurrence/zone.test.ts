import assert from 'node:assert/strict';
import { describe, it } from 'node:test';

import { DAY, formatLocal, parseLocal } from './civil.ts';
import type { CustomZone } from './event-time.ts';
import { ianaZone, instantOfLocal, localOfInstant, offsetAt, spanAt, temporalQuestions } from './zone.ts';

const HOUR = 3_600_000;
const local = (text: string): number => parseLocal(text) ?? Number.NaN;

/** Creates a zone whose offset changes once, from one to the other, in hours. */
const changing = (offsetFrom: number, offsetTo: number): CustomZone => ({
  tzid: `${offsetFrom} to ${offsetTo}`,
  observances: [
    {
      start: '2026-06-01T00:00:00',
      offsetFrom: offsetFrom * 3600,
      offsetTo: offsetTo * 3600,
      rrules: [],
      rdates: [],
    },
  ],
});

describe('a wall clock', () => {
  const ZONES = ['Europe/Brussels', 'America/St_Johns', 'Australia/Lord_Howe', 'Pacific/Apia', 'Asia/Tehran'];

  it('has the offsets of Temporal to the millisecond around each change', () => {
    for (const zone of [...ZONES, 'Africa/Casablanca', 'Etc/GMT+5']) {
      let at = Temporal.Instant.from('1890-01-01T00:00Z').toZonedDateTimeISO(zone);
      for (let changes = 0; changes < 60; changes += 1) {
        const next = at.getTimeZoneTransition('next');
        if (next === null) break;
        at = next;
        const change = at.epochMilliseconds;
        for (const time of [change - 1, change, change + 1]) {
          const { offsetNanoseconds } = Temporal.Instant.fromEpochMilliseconds(time).toZonedDateTimeISO(zone);
          assert.equal(offsetAt(zone, time), offsetNanoseconds / 1_000_000, `${zone} ${time}`);
          assert.equal(localOfInstant(zone, time), time + offsetNanoseconds / 1_000_000);
        }
        const span = spanAt(zone, change);
        assert.equal(span.from, change);
        assert.equal(spanAt(zone, change - 1).to, change);
      }
    }
  });

  // > If the local time described occurs more than once (when changing from daylight to standard time), the
  // > DATE-TIME value refers to the first occurrence of the referenced time. […] If the local time described does not
  // > occur (when changing from standard to daylight time), the DATE-TIME value is interpreted using the UTC offset
  // > before the gap in local times.
  it('uses the first of two equal times, and the offset before the gap for a skipped one (RFC 5545 §3.3.5)', () => {
    for (const zone of ZONES)
      for (const year of [2008, 2011, 2016])
        for (let day = Date.UTC(year, 0, 1); day < Date.UTC(year + 1, 0, 1); day += DAY) {
          const isNearChange = offsetAt(zone, day - DAY) !== offsetAt(zone, day + 2 * DAY);
          for (let quarter = 0; quarter < (isNearChange ? 96 : 1); quarter += 1) {
            const time = day + quarter * 15 * 60_000;
            const text = formatLocal(time);
            // Temporal's `compatible` is the same rule.
            const expected = Temporal.PlainDateTime.from(text).toZonedDateTime(zone, {
              disambiguation: 'compatible',
            });
            assert.equal(instantOfLocal(zone, time), expected.epochMilliseconds, `${zone} ${text}`);
          }
        }
  });

  it('may skip or repeat as much as two offsets differ, up to a day each', () => {
    const far = changing(-23, 23);
    const change = local('2026-06-01T00:00:00') + 23 * HOUR;

    assert.equal(instantOfLocal(far, local('2026-05-31T23:59:59')), change - 1000);
    assert.equal(instantOfLocal(far, local('2026-06-01T00:00:00')), change);
    assert.equal(instantOfLocal(far, local('2026-06-02T12:00:00')), change + 36 * HOUR);
    assert.equal(instantOfLocal(far, local('2026-06-02T22:00:00')), change);
    const back = changing(23, -23);
    const set = local('2026-06-01T00:00:00') - 23 * HOUR;
    assert.equal(instantOfLocal(back, local('2026-05-30T02:00:00')), set - 46 * HOUR);
    assert.equal(instantOfLocal(back, local('2026-05-31T23:00:00')), set - HOUR);
    assert.equal(instantOfLocal(back, local('2026-06-01T00:00:00')), set + 46 * HOUR);
  });

  it('is UTC in a custom zone without onsets', () => {
    assert.equal(offsetAt({ tzid: 'None', observances: [] }, 0), 0);
    assert.equal(offsetAt('UTC', 0), 0);
  });

  it('calls Temporal once for each span between two changes', () => {
    const zone = 'America/Chihuahua';
    const before = temporalQuestions();
    const winter = Date.UTC(2003, 11, 1);

    for (let day = 0; day < 30; day += 1) offsetAt(zone, winter + day * DAY);
    assert.equal(temporalQuestions() - before, 1);
    offsetAt(zone, winter + 200 * DAY);
    offsetAt(zone, winter);
    offsetAt(zone, winter + 201 * DAY);
    offsetAt('UTC', winter);
    assert.equal(temporalQuestions() - before, 2);
  });

  it('is always UTC in an unknown zone, which is looked up once', () => {
    const before = temporalQuestions();

    for (const at of [-1e15, 0, 1e15]) assert.equal(offsetAt('Mars/Olympus', at), 0);
    assert.equal(temporalQuestions() - before, 1);
  });

  it('caches a thousand spans of a zone, in any order', () => {
    const stretches = (zone: string) => {
      const spans = new Set<number>();
      for (let year = 1000; year > 0; year -= 1)
        for (const day of [20, 200]) spans.add(spanAt(zone, Date.UTC(2007 + year, 0, day)).from);
      return [...spans].sort((a, b) => a - b);
    };
    const zone = 'America/Regina';

    assert.deepEqual(stretches('America/Halifax').length, 2000);
    assert.equal(stretches(zone).length, 1);
    const before = temporalQuestions();
    spanAt('America/Halifax', Date.UTC(2008, 0, 20));
    spanAt('America/Halifax', Date.UTC(2500, 0, 20));
    assert.equal(temporalQuestions() - before, 0);
    spanAt('America/Halifax', Date.UTC(2900, 0, 20));
    assert.equal(temporalQuestions() - before, 1);
  });
});

describe('the name of a zone', () => {
  it('is found in any case, and as UTC under each of its names', () => {
    assert.equal(ianaZone('europe/BRUSSELS'), 'Europe/Brussels');
    assert.equal(ianaZone('America/Argentina/Buenos_Aires'), 'America/Argentina/Buenos_Aires');
    for (const name of ['UTC', 'z', 'gmt', 'Etc/UTC', 'etc/gmt', 'Zulu', 'ETC/ZULU', 'Universal', 'uct'])
      assert.equal(ianaZone(name), 'UTC', name);
    assert.equal(ianaZone('Etc/GMT+5'), 'Etc/GMT+5');
  });

  it('is undefined for an unknown zone and for a mere offset', () => {
    for (const name of ['', 'Mars/Olympus', '+01:00', '-05', 'Europe/Brussels ', '[UTC]'])
      assert.equal(ianaZone(name), undefined, name);
  });
});
