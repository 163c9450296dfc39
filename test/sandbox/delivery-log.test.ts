/** Deliveries that the sandbox's application keeps, and the one that it takes for the result of a move. */
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';

import { deliveryLog, type LoggedDelivery } from '../../sandbox/demo/delivery-log.ts';

const NOON = Date.UTC(2026, 10, 23, 12);
const MOVE = { provider: 'google', calendarId: 'c', title: 'Lunch', start: NOON, at: 1_000 };

const delivery = (id: string, at: number, start = NOON, calendarId = 'c') => ({
  id,
  at,
  raw: '{}',
  payload: {
    provider: 'google',
    userId: 'ada',
    calendarId,
    events: [{ title: 'Lunch', start: new Date(start).toISOString() }],
    metadata: {},
  },
});
const afterOf = (logged: LoggedDelivery | undefined) => (logged?.verified ? logged.afterMs : 'not verified');

describe('the log of deliveries', () => {
  it('the log has the last fifty, the newest first, and no more than five that were refused', () => {
    const log = deliveryLog();
    for (let count = 0; count < 60; count += 1) log.accept(delivery(`m${count}`, count));
    for (let count = 0; count < 60; count += 1) log.refuse({ at: 100, reason: 'missing_headers', bytes: 1 });

    const numbers = log.list().map(({ number }) => number);

    assert.equal(numbers.length, 55);
    assert.deepEqual(numbers.slice(0, 6), [120, 119, 118, 117, 116, 60]);
    assert.equal(numbers.at(-1), 11);
  });

  it('the log says how long after a move its delivery came, once', () => {
    const log = deliveryLog();
    log.expect(MOVE);
    log.accept(delivery('m1', 1_320));
    log.accept(delivery('m2', 1_400));

    const [second, first] = log.list();

    assert.equal(afterOf(first), 320);
    assert.equal(afterOf(second), undefined);
  });

  it('the log takes a delivery of another start or calendar for no answer to a move', () => {
    const log = deliveryLog();
    log.expect(MOVE);
    log.accept(delivery('m1', 1_320, NOON + 60_000));
    log.accept(delivery('m2', 1_330, NOON, 'other'));

    assert.deepEqual(log.list().map(afterOf), [undefined, undefined]);
  });

  it('the log takes a delivery of an event’s last state for the answer to its last move, and to those before', () => {
    const log = deliveryLog();
    log.expect(MOVE);
    log.expect({ ...MOVE, start: NOON + 60_000, at: 1_500 });
    log.accept(delivery('m1', 1_800, NOON + 60_000));
    log.accept(delivery('m2', 1_900));

    assert.deepEqual(log.list().map(afterOf), [undefined, 300]);
  });

  it('the log marks what came before, and tells who listens until that is ended', () => {
    const log = deliveryLog();
    const heard: LoggedDelivery[] = [];
    const stop = log.subscribe((one) => heard.push(one));
    log.accept(delivery('m1', 1));
    log.accept(delivery('m1', 2));
    stop();
    log.accept(delivery('m2', 3));

    assert.deepEqual(
      heard.map((one) => one.verified && one.repeated),
      [false, true],
    );
  });
});
