import assert from 'node:assert/strict';
import { describe, it } from 'node:test';

import fc from 'fast-check';

import { DAY, parseLocal } from './civil.ts';
import { expandRule, lastTimeOf, recurrenceBudget } from './expand-rule.ts';
import { parseRule } from './rule.ts';
import { spanOf } from './span-of.ts';

const START = parseLocal('2020-01-01T08:30:00') ?? 0;
const END = START + 4000 * DAY;

function ruleOf(text: string) {
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
  it('COUNT names the same times in any window as from the start on', () => {
    const window = fc.tuple(fc.nat(4000), fc.integer({ min: 1, max: 60 }));
    fc.assert(
      fc.property(rules, window, (text, [day, days]) => {
        const rule = ruleOf(text);
        const [from, to] = [START + day * DAY, START + (day + days) * DAY];
        const budget = recurrenceBudget();
        const all = expandRule(rule, START, { from: START, to: END + 100 * DAY }, budget);

        const inWindow = all.filter((time) => time >= from && time < to);
        assert.deepEqual(expandRule(rule, START, { from, to }, budget), inWindow);
        if (all.length > 0 && (all.at(-1) ?? 0) < END) {
          const last = lastTimeOf(rule, START, budget);
          assert.ok(last >= (all.at(-1) ?? 0));
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
    it(`COUNT is not counted from the year 2 on where periods are alike: ${text}`, () => {
      const start = parseLocal('0002-01-01T08:00:00') ?? 0;
      const budget = recurrenceBudget();
      const from = parseLocal('2026-11-01T00:00:00') ?? 0;

      const times = expandRule(ruleOf(text), start, { from, to: from + 30 * DAY }, budget);

      assert.ok(times.length >= 4);
      assert.ok(budget.steps > recurrenceBudget().steps - 2000);
    });

  it('COUNT that ends far off costs the span of a series nothing', () => {
    const time = (local: string) => ({ type: 'zoned', local, zone: 'Europe/Paris' }) as const;
    const start = time('2020-01-01T08:00:00');
    const recurrence = { rrules: ['FREQ=DAILY;COUNT=1000000;BYHOUR=8'], rdates: [], exdates: [] };
    const master = { start, end: time('2020-01-01T09:00:00'), recurrence, payload: '' };

    const { endsAt } = spanOf({ master, overrides: [] }, 'UTC');

    const last = Date.parse('2020-01-01') + 999_999 * DAY;
    assert.ok(endsAt >= last && endsAt < last + 5 * DAY);
  });
});
