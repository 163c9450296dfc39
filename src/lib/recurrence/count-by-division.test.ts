import assert from 'node:assert/strict';
import { describe, it } from 'node:test';

import fc from 'fast-check';

import { DAY, parseLocal, toDayNumber } from './civil.ts';
import { expandRule, findLastTime, recurrenceBudget } from './expand-rule.ts';
import { computeSpan } from './place-of.ts';
import { parseRule } from './rule.ts';

const START = parseLocal('2020-01-01T08:30:00') ?? 0;
const END = START + 4000 * DAY;
const HOUR = 3_600_000;
const END_OF_9999 = toDayNumber(10_000, 1, 1) * DAY;

function parseValidRule(text: string) {
  const rule = parseRule(text);
  assert.ok(rule !== undefined, text);
  return rule;
}

const subset = <T>(values: readonly T[]) => fc.subarray([...values], { minLength: 1 });
const part = <T>(name: string, values: fc.Arbitrary<readonly T[]>) =>
  fc.option(
    values.map((list) => `;${name}=${list}`),
    { nil: '' },
  );
const rules = fc
  .tuple(
    fc.constantFrom('DAILY', 'WEEKLY', 'MONTHLY'),
    fc.integer({ min: 1, max: 4 }),
    fc.integer({ min: 1, max: 400 }),
    part('BYDAY', subset(['MO', 'TU', 'WE', 'TH', 'FR', 'SA', 'SU'])),
    part('BYHOUR', subset([3, 8, 20])),
    part('BYSETPOS', subset([1, 2, -1])),
    fc.constantFrom('', ';WKST=SU', ';BYMONTH=2,9'),
  )
  .map(
    ([freq, interval, count, ...parts]) =>
      `FREQ=${freq};INTERVAL=${interval};COUNT=${count}${parts.join('')}`,
  );

describe('COUNT', () => {
  it('gives the same times in any window as from the start on', () => {
    const window = fc.tuple(fc.nat(4000), fc.integer({ min: 1, max: 60 }));
    fc.assert(
      fc.property(rules, window, (text, [day, days]) => {
        const rule = parseValidRule(text);
        const [from, to] = [START + day * DAY, START + (day + days) * DAY];
        const budget = recurrenceBudget();
        const all = expandRule(rule, START, { from: START, to: END + 100 * DAY }, budget);

        const inWindow = all.filter((time) => time >= from && time < to);
        assert.deepEqual(expandRule(rule, START, { from, to }, budget), inWindow);
        // DTSTART counts even if the rule does not name it.
        const isWhole = all.length + (all[0] === START ? 0 : 1) === rule.count;
        if (isWhole && all.length > 0) {
          assert.equal(findLastTime(rule, START, budget), all.at(-1));
        }
      }),
      { numRuns: 500 },
    );
  });

  for (const text of [
    'FREQ=DAILY;COUNT=99999999;BYHOUR=3',
    'FREQ=DAILY;COUNT=99999999;BYDAY=MO,TU,WE,TH,FR;BYHOUR=3,5;BYMINUTE=1,2',
    'FREQ=WEEKLY;COUNT=99999999;BYDAY=MO,TH;BYHOUR=3;BYSETPOS=-1',
  ])
    it(`is not counted from the year 2 on if all periods are alike: ${text}`, () => {
      const start = parseLocal('0002-01-01T08:00:00') ?? 0;
      const budget = recurrenceBudget();
      const from = parseLocal('2026-11-01T00:00:00') ?? 0;

      const times = expandRule(parseValidRule(text), start, { from, to: from + 30 * DAY }, budget);

      assert.ok(times.length >= 4);
      assert.ok(budget.steps > recurrenceBudget().steps - 2000);
    });

  it('leaves one occurrence fewer if its rule does not name DTSTART', () => {
    const last = (text: string) => findLastTime(parseValidRule(text), START, recurrenceBudget(0, 1000));

    // A Wednesday at 8:30.
    assert.equal(last('FREQ=DAILY;BYHOUR=9;BYMINUTE=0;COUNT=1'), START);
    assert.equal(last('FREQ=DAILY;BYHOUR=9;BYMINUTE=0;COUNT=2'), START + HOUR / 2);
    assert.equal(last('FREQ=DAILY;BYHOUR=9;BYMINUTE=0;COUNT=400'), START + 398 * DAY + HOUR / 2);
    assert.equal(last('FREQ=WEEKLY;BYDAY=TH;COUNT=401'), START + DAY + 399 * 7 * DAY);
    assert.equal(last('FREQ=DAILY;INTERVAL=2;BYDAY=WE;COUNT=401'), START + 400 * 14 * DAY);
    assert.equal(last('FREQ=HOURLY;BYMINUTE=0;COUNT=401'), START + HOUR / 2 + 399 * HOUR);
  });

  it('ends the search for times when it is reached', () => {
    const rule = parseValidRule('FREQ=YEARLY;BYMONTH=1;BYMONTHDAY=1;COUNT=3');
    const budget = recurrenceBudget(0, 200);

    assert.equal(expandRule(rule, START, { from: START, to: END_OF_9999 }, budget).length, 3);
    const never = parseValidRule('FREQ=YEARLY;BYMONTH=1;BYMONTHDAY=1;BYYEARDAY=1,366;BYDAY=WE;COUNT=1');
    assert.deepEqual(expandRule(never, START, { from: START, to: END_OF_9999 }, budget), [START]);
  });

  it('gives no last time if that is after the year 9999', () => {
    const days = (END_OF_9999 - START) / DAY;
    const last = (text: string) => findLastTime(parseValidRule(text), START, recurrenceBudget(0, 1000));

    assert.equal(last(`FREQ=DAILY;COUNT=${Math.ceil(days)}`), START + Math.floor(days) * DAY);
    assert.equal(last(`FREQ=DAILY;COUNT=${Math.ceil(days) + 1}`), Number.POSITIVE_INFINITY);
    assert.equal(last('FREQ=DAILY;BYHOUR=3;BYSETPOS=2;COUNT=3'), Number.POSITIVE_INFINITY);
  });

  it('costs nothing for the span of a series that ends far in the future', () => {
    const time = (local: string) => ({ type: 'zoned', local, zone: 'Europe/Paris' }) as const;
    const start = time('2020-01-01T08:00:00');
    const recurrence = { rrules: ['FREQ=DAILY;COUNT=1000000;BYHOUR=8'], rdates: [], exdates: [] };
    const master = { start, end: time('2020-01-01T09:00:00'), recurrence, payload: '' };

    const { endsAt } = computeSpan({ master, overrides: [] }, 'UTC');

    const last = Date.parse('2020-01-01') + 999_999 * DAY;
    assert.ok(endsAt >= last && endsAt < last + 5 * DAY);
  });
});
