/** Random series, from the text of their calendar to their instances, against a model that walks every day. */
import assert from 'node:assert/strict';
import { test } from 'node:test';

import fc from 'fast-check';
import { instancesOf, isIn } from '../../../sandbox/core/occurrences.ts';
import { DAY } from '../../../sandbox/core/rule-times.ts';
import { rounds, scale } from '../../harness/rounds.ts';
import { ourInstances } from './our-instances.ts';
import { calendarText, HORIZON, randomEvents } from './random-events.ts';

/** 100,000 in `npm run soak`. */
const ROUNDS = rounds(scale() < 20 ? 400 : 5_000);
const seed = Number(process.env.KALENDS_TEST_SEED ?? 5545);

const windows = fc.tuple(fc.integer({ min: -60, max: 500 }), fc.constantFrom(1, 30, 300));

test(`a series has the instances that a walk over all its days finds, for ${ROUNDS} series`, () => {
  fc.assert(
    fc.property(randomEvents({ overrides: true }), windows, (event, [first, days]) => {
      const from = event.series.start.local + first * DAY;
      const window = { start: from, end: from + days * DAY };
      // 45 days: how far one that holds for all later instances moves them, and their length.
      const expected = instancesOf(
        event.series,
        Math.min(window.end + 45 * DAY, event.series.start.local + HORIZON),
      );

      const { instances, span } = ourInstances(event, window);

      assert.deepEqual(
        instances,
        expected.filter((instance) => isIn(instance, window.start, window.end)),
        calendarText(event),
      );
      assert.equal(new Set(instances.map(({ originalAt }) => originalAt)).size, instances.length);
      for (const { startsAt, endsAt } of instances)
        assert.ok(startsAt >= span.startsAt && endsAt <= span.endsAt, 'its span holds each instance');
    }),
    { numRuns: ROUNDS, seed },
  );
});
