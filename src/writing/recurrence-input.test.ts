import assert from 'node:assert/strict';
import { describe, it } from 'node:test';

import { readBody } from '../http/fields.ts';
import { RECURRENCE } from './recurrence-input.ts';

const readRule = (recurrence: object) =>
  readBody({ recurrence }, { recurrence: RECURRENCE }).recurrence?.rule;

describe('the recurrence of a request', () => {
  it('can have one number in place of a list', () => {
    const rule = readRule({ frequency: 'YEARLY', byMonth: 3, byMonthDay: 15 });

    assert.equal(rule, 'FREQ=YEARLY;BYMONTH=3;BYMONTHDAY=15');
    assert.throws(() => readRule({ frequency: 'YEARLY', byMonth: 13 }), /recurrence\.byMonth must be/);
  });
});
