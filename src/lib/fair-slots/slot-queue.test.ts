import assert from 'node:assert/strict';
import { type TestContext, test } from 'node:test';

import type { SlotListener } from './slot-listener.ts';
import { type QueueLimits, SlotQueue } from './slot-queue.ts';
import type { TurnPlace } from './waiting-turns.ts';

const place = (clientId: string, owner = clientId, host = ''): TurnPlace => ({ clientId, owner, host });

/** Opens a queue and logs the names of callers that entered or were refused, in order. */
function openQueue(limits: QueueLimits, listener?: SlotListener) {
  const queue = new SlotQueue('test', limits, listener);
  const leaves = new Map<string, () => void>();
  const log: string[] = [];
  return {
    log,
    async enter(name: string, at: TurnPlace, wait = {}) {
      void queue.enter(at, wait).then((leave) => {
        log.push(leave === undefined ? `${name} refused` : name);
        if (leave !== undefined) leaves.set(name, leave);
      });
      await settled();
    },
    async leave(name: string) {
      leaves.get(name)?.();
      await settled();
      return log.at(-1);
    },
  };
}

const settled = () => new Promise((resolve) => setImmediate(resolve));

test('a free slot goes to the application that holds the fewest', async () => {
  const { enter, leave } = openQueue({ slots: 3 });
  await enter('a1', place('a'));
  await enter('a2', place('a'));
  await enter('b1', place('b'));
  await enter('a3', place('a'));
  await enter('b2', place('b'));
  await enter('c1', place('c'));
  assert.equal(await leave('a1'), 'c1');
  assert.equal(await leave('a2'), 'a3');
});

test('an application’s owner that holds the fewest slots goes first', async () => {
  const { enter, leave } = openQueue({ slots: 2 });
  await enter('first', place('a', 'anna'));
  await enter('second', place('a', 'anna'));
  await enter('third', place('a', 'anna'));
  await enter('fourth', place('a', 'otto'));
  assert.equal(await leave('first'), 'fourth');
});

test('among equals, the one served longest ago goes first', async () => {
  const { enter, leave } = openQueue({ slots: 1 });
  await enter('a1', place('a'));
  await enter('a2', place('a'));
  await enter('b1', place('b'));
  await enter('b2', place('b'));
  assert.equal(await leave('a1'), 'b1');
  assert.equal(await leave('b1'), 'a2');
  assert.equal(await leave('a2'), 'b2');
});

test('one freed slot can admit several waiters', async () => {
  const { enter, leave, log } = openQueue({ ofOwner: 1, ofHost: 1 });
  await enter('a at x', place('a', 'a', 'x'));
  await enter('a at y', place('a', 'a', 'y'));
  await enter('b at x', place('b', 'b', 'x'));
  await leave('a at x');
  assert.deepEqual(log, ['a at x', 'b at x', 'a at y']);
});

test('an application waits while it holds its share of the slots', async () => {
  const { enter, leave, log } = openQueue({ slots: 8, share: 1 / 2 });
  for (const name of ['a1', 'a2', 'a3', 'a4', 'b1', 'b2', 'b3']) await enter(name, place(name[0] ?? ''));
  await leave('a1');
  assert.deepEqual(log, ['a1', 'a2', 'a3', 'a4', 'b1', 'b2']);
  assert.equal(await leave('a2'), 'b3');
});

test('a wait for a full host does not block other waits of its owner', async () => {
  const { enter, log } = openQueue({ ofHost: 1 });
  await enter('x1', place('a', 'a', 'x'));
  await enter('x2', place('a', 'a', 'x'));
  await enter('y1', place('a', 'a', 'y'));
  assert.deepEqual(log, ['x1', 'y1']);
});

test('networks below an owner take turns at each of their levels', async () => {
  const { enter, leave } = openQueue({ slots: 1 });
  const from = (...turns: string[]): TurnPlace => ({ clientId: '', owner: 'others', host: '', turns });
  await enter('a.a.1', from('a', 'a.a'));
  await enter('a.a.2', from('a', 'a.a'));
  await enter('a.b.1', from('a', 'a.b'));
  await enter('b.a.1', from('b', 'b.a'));
  assert.equal(await leave('a.a.1'), 'b.a.1');
  assert.equal(await leave('b.a.1'), 'a.b.1');
  assert.equal(await leave('a.b.1'), 'a.a.2');
});

test('if too many wait, the newest waiter of the network with the most is refused', async () => {
  const { enter, log } = openQueue({ slots: 1, waiting: 3 });
  const from = (...turns: string[]): TurnPlace => ({ clientId: '', owner: 'others', host: '', turns });
  for (const name of ['a0', 'a1', 'a2', 'b1']) await enter(name, from(name[0] ?? ''));
  await enter('b2', from('b'));
  await enter('a3', from('a'));
  assert.deepEqual(log, ['a0', 'b2 refused', 'a3 refused']);
});

test('an owner’s waiters over its limits are refused, in all and at a host', async () => {
  const { enter, log } = openQueue({ ofOwner: 0, waiting: 2, waitingAtHost: 1 });
  await enter('x1', place('a', 'a', 'x'));
  await enter('x2', place('a', 'a', 'x'));
  await enter('y1', place('a', 'a', 'y'));
  await enter('z1', place('a', 'a', 'z'));
  assert.deepEqual(log, ['x2 refused', 'z1 refused']);
});

test('a waiter that started does not count as waiting', async () => {
  const queue = new SlotQueue('test', { slots: 1, waiting: 1 });
  const leave = await queue.enter(place('a'));
  const second = queue.enter(place('a'));
  leave?.();
  const third = queue.enter(place('a'));
  (await second)?.();
  assert.notEqual(await third, undefined);
});

test('an owner that frees a slot can enter at another host where it waits', async () => {
  const { enter, leave } = openQueue({ ofOwner: 2, ofHost: 1 });
  await enter('x', place('a', 'a', 'x'));
  await enter('y', place('a', 'a', 'y'));
  await enter('z', place('a', 'a', 'z'));
  assert.equal(await leave('x'), 'z');
});

test('a wait for one host does not search the waiters for other hosts', async () => {
  const { enter, leave, log } = openQueue({ ofHost: 1 });
  await enter('x1', place('a', 'a', 'x'));
  await enter('y1', place('b', 'b', 'y'));
  await enter('x2', place('c', 'c', 'x'));
  await enter('y2', place('c', 'c', 'y'));
  await leave('y1');
  assert.deepEqual(log, ['x1', 'y1', 'y2']);
});

test('a wait ends after its deadline and is removed from the queue', async (t: TestContext) => {
  t.mock.timers.enable({ apis: ['setTimeout'] });
  const { enter, leave, log } = openQueue({ slots: 1, waitMs: 1_000 });
  await enter('a1', place('a'));
  await enter('a2', place('a'));
  t.mock.timers.tick(999);
  await settled();
  assert.deepEqual(log, ['a1']);
  t.mock.timers.tick(1);
  assert.equal(await leave('a1'), 'a2 refused');
});

test('an aborted wait fails with the reason of its signal', async () => {
  const queue = new SlotQueue('test', { slots: 1 });
  const leave = await queue.enter(place('a'));
  const end = new AbortController();
  const waiting = queue.enter(place('a'), { signal: end.signal });
  end.abort(new Error('gone'));
  await assert.rejects(waiting, /gone/);
  leave?.();
  assert.notEqual(await queue.enter(place('b')), undefined);
  await assert.rejects(queue.enter(place('b'), { signal: end.signal }), /gone/);
});

test('a listener is notified of loads, waits, refusals, and applications that hold their share', async () => {
  const heard: unknown[] = [];
  let load = () => ({ held: 0, waiting: 0 });
  const { enter } = openQueue(
    { slots: 3, share: 2 / 3, waiting: 1, ofOwner: 1 },
    {
      opened: (_, read) => (load = read),
      waited: (work) => heard.push(`${work} waited`),
      refused: (work) => heard.push(`${work} refused`),
      exhausted: (line) => heard.push(line),
    },
  );
  await enter('a1', place('a', 'anna'));
  await enter('a2', place('a', 'anna'));
  await enter('a3', place('a', 'otto'));
  await enter('a4', place('a', 'otto'));
  await enter('a5', place('a', 'otto'));
  assert.deepEqual(load(), { held: 2, waiting: 2 });
  const line = { work: 'test', clientId: 'a', held: 2 };
  assert.deepEqual(heard, [
    ...['test waited', 'test waited'],
    { ...line, waiting: 1 },
    { ...line, waiting: 2 },
    'test refused',
  ]);
});

test('a freed slot admits a waiter for another host if its application held its share of all slots', async () => {
  const { enter, leave, log } = openQueue({ slots: 4, share: 1 / 2 });
  await enter('x', place('a', 'a', 'x'));
  await enter('y', place('a', 'a', 'y'));
  await enter('z', place('a', 'a', 'z'));
  assert.deepEqual(log, ['x', 'y']);
  assert.equal(await leave('x'), 'z');
});

test('a freed slot admits another application at another host if all slots were held', async () => {
  const { enter, leave, log } = openQueue({ slots: 2 });
  await enter('x', place('a', 'a', 'x'));
  await enter('y', place('b', 'b', 'y'));
  await enter('z', place('c', 'c', 'z'));
  assert.deepEqual(log, ['x', 'y']);
  assert.equal(await leave('y'), 'z');
});
