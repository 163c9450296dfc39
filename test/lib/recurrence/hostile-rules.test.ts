/** Recurrence rules that somebody made to be slow to read. */
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';

import { parseRule } from '../../../src/lib/recurrence/rule.ts';
import { takesUnder } from '../../harness/processor-time.ts';

describe('a rule that is made to be slow', () => {
  for (const part of ['BYDAY=', 'BYDAY=1', 'BYMONTHDAY=', 'UNTIL=', 'INTERVAL='])
    it(`is read 20 times at once where ${part} has blanks`, () => {
      const rule = `FREQ=DAILY;${part}MO,`.padEnd(9990, ' ');
      const readings = () => {
        for (let count = 0; count < 20; count += 1) parseRule(`${rule}x`);
      };

      assert.ok(takesUnder(100, readings));
    });
});
