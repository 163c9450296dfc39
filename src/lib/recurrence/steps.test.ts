/** The cost of work in steps of a budget, on which the limits of hostile rules depend. */
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { EventTime } from './event-time.ts';
import { expand } from './expand.ts';
import { recurrenceBudget } from './expand-rule.ts';
import type { Series } from './series.ts';
import { costOfZone, temporalQuestions } from './zone.ts';

const WINDOW = { start: Date.parse('2027-01-01'), end: Date.parse('2027-03-01') };
const on = (local: string): EventTime => ({ type: 'zoned', local, zone: 'UTC' });

function seriesWith(rrule: string): Series<string> {
  const recurrence = {
    rrules: [rrule],
    rdates: [{ start: on('2027-01-05T10:00:00'), end: on('2027-01-05T11:00:00') }],
    exdates: [on('2027-01-07T09:00:00')],
  };
  const [start, end] = [on('2026-11-02T09:00:00'), on('2026-11-02T10:00:00')];
  const moved = { recurrenceId: on('2027-02-01T09:00:00'), start, end, cancelled: false, payload: 'moved' };
  const later = { ...moved, recurrenceId: on('2027-02-03T09:00:00'), thisAndFuture: true };
  return { master: { start, end, recurrence, payload: 'master' }, overrides: [moved, later] };
}

const cases: readonly (readonly [rrule: string, steps: number])[] = [
  ['FREQ=DAILY', 15770],
  ['FREQ=DAILY;BYDAY=MO,TU;COUNT=500', 6065],
  ['FREQ=WEEKLY;BYDAY=MO,WE;BYSETPOS=1', 2849],
  ['FREQ=MONTHLY;BYMONTHDAY=-1;BYHOUR=9,17', 1731],
  ['FREQ=YEARLY;BYWEEKNO=2,-50', 1783],
  ['FREQ=YEARLY;BYYEARDAY=40', 2927],
  ['FREQ=HOURLY;INTERVAL=6;BYDAY=MO', 9518],
  ['FREQ=MINUTELY;INTERVAL=30;COUNT=100000', 685302],
  ['RSCALE=HEBREW;FREQ=MONTHLY;BYDAY=1MO', 3719],
  ['RSCALE=CHINESE;FREQ=YEARLY;BYMONTH=1;BYMONTHDAY=1', 1244],
  ['RSCALE=PERSIAN;FREQ=YEARLY;BYYEARDAY=1,-1', 1338],
  ['RSCALE=ETHIOPIC;FREQ=DAILY;BYMONTHDAY=7', 31184],
  ['SKIP=FORWARD;FREQ=MONTHLY;BYMONTHDAY=31', 2632],
  ['FREQ=YEARLY', 648],
  ['FREQ=YEARLY;BYMONTH=1,2;BYDAY=-1FR', 921],
  ['FREQ=YEARLY;BYDAY=3MO', 1112],
  ['FREQ=MONTHLY;BYDAY=MO,TU,WE,TH,FR;BYSETPOS=-1,1', 1857],
  ['FREQ=DAILY;BYMONTH=1;BYHOUR=8,9,10;BYMINUTE=0,30', 10111],
  ['FREQ=DAILY;BYSECOND=0,1,2,3', 56758],
  ['FREQ=WEEKLY;COUNT=1000;BYDAY=MO,SU', 4767],
  ['FREQ=MONTHLY;COUNT=100', 1247],
  ['FREQ=HOURLY;INTERVAL=1000', 993],
  ['FREQ=HOURLY;INTERVAL=0;BYHOUR=8', 29514],
  ['FREQ=MINUTELY;INTERVAL=720;BYMINUTE=0,1', 29451],
  ['freq=daily;byhour=7,8', 29378],
];

describe('the steps of an expansion', () => {
  for (const [rrule, steps] of cases)
    it(`are ${steps} for ${rrule}`, () => {
      const series = seriesWith(rrule);
      const budget = recurrenceBudget();

      expand(series, WINDOW, 'UTC', budget);

      assert.equal(Math.round(recurrenceBudget().steps - budget.steps), steps);
    });

  it('are 300 for each call to Temporal, one for each offset span of a zone', () => {
    const inZone = (local: string): EventTime => ({ type: 'zoned', local, zone: 'America/Asuncion' });
    const times = { start: inZone('2026-11-02T09:00:00'), end: inZone('2026-11-02T10:30:00') };
    const recurrence = {
      rrules: ['FREQ=MONTHLY'],
      rdates: [{ start: inZone('2003-07-05T10:00:00'), end: inZone('2003-12-05T11:00:00') }],
      exdates: [inZone('1995-01-07T09:00:00')],
    };
    const moved = { recurrenceId: inZone('1999-06-01T09:00:00'), ...times, cancelled: false, payload: '' };
    const later = { ...moved, recurrenceId: inZone('1997-01-02T09:00:00'), thisAndFuture: true };
    const spend = () => {
      const [budget, asked] = [recurrenceBudget(), temporalQuestions()];
      const master = { ...times, recurrence, payload: '' };
      expand({ master, overrides: [moved, later] }, WINDOW, 'UTC', budget);
      return { steps: recurrenceBudget().steps - budget.steps, questions: temporalQuestions() - asked };
    };

    const [first, second] = [spend(), spend()];

    assert.ok(first.questions >= 5);
    assert.equal(second.questions, 0);
    assert.equal(first.steps - second.steps, 300 * first.questions);
  });

  it('are 300 for each call about an override without a main event', () => {
    const inZone = (local: string): EventTime => ({ type: 'zoned', local, zone: 'America/Cuiaba' });
    const times = { start: inZone('2026-11-02T09:00:00'), end: inZone('2026-11-02T10:30:00') };
    const override = { recurrenceId: inZone('1999-06-01T09:00:00'), ...times, cancelled: false, payload: '' };
    const spend = () => {
      const [budget, asked] = [recurrenceBudget(), temporalQuestions()];
      expand({ overrides: [override] }, WINDOW, 'UTC', budget);
      return { steps: recurrenceBudget().steps - budget.steps, questions: temporalQuestions() - asked };
    };

    const [first, second] = [spend(), spend()];

    assert.ok(first.questions >= 2);
    assert.equal(first.steps - second.steps, 300 * first.questions);
  });

  it('include those of a custom zone at its first use', () => {
    const zone = {
      tzid: 'Own',
      observances: [
        {
          start: '2001-01-01T00:00:00',
          offsetFrom: 60,
          offsetTo: 120,
          rrules: ['FREQ=YEARLY;COUNT=9'],
          rdates: [],
        },
      ],
    };
    const inZone: EventTime = { type: 'zoned', local: '2027-02-01T09:00:00', zone };
    const spend = () => {
      const budget = recurrenceBudget();
      expand({ master: { start: inZone, end: inZone, payload: '' }, overrides: [] }, WINDOW, 'UTC', budget);
      return recurrenceBudget().steps - budget.steps;
    };

    const [first, second] = [spend(), spend()];

    const text = Math.ceil(JSON.stringify(zone.observances).length / 20);
    assert.equal(first - second, costOfZone(zone) + text);
  });
});
