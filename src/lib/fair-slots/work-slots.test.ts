import assert from 'node:assert/strict';
import { test } from 'node:test';

import { SlotCounts } from './slot-counts.ts';
import type { SlotListener } from './slot-listener.ts';
import { WorkSlots } from './work-slots.ts';

/** Work of an owner at its own host. */
const work = (clientId: string, owner: string, due = 1, host = owner) => ({ clientId, owner, host, due });
const hundred = (clientId: string) =>
  Array.from({ length: 100 }, (_, n) => work(clientId, `${clientId}${n}`, 8));
const toClientIds = (picked: readonly { clientId: string }[]) =>
  Object.fromEntries(
    Object.entries(Object.groupBy(picked, (one) => one.clientId)).map(([id, all]) => [id, all?.length]),
  );

for (const [name, slots, most] of [
  ['delivery', 128, 64],
  ['resend', 16, 8],
] as const) {
  test(`beside three applications with 100 owners each, a quiet one gets a slot at once: ${name}`, () => {
    const counts = new WorkSlots(name, { slots, share: 1 / 2 });
    const hostile = ['a', 'b', 'c'].flatMap(hundred);
    counts.pick(hostile);
    assert.equal(counts.pick([...hostile, work('quiet', 'q')]).at(0)?.clientId, 'quiet');
  });

  test(`an application alone gets half of the slots: ${name}`, () => {
    assert.equal(new WorkSlots(name, { slots, share: 1 / 2 }).pick(hundred('a')).length, most);
  });
}

test('with all slots held, the next that becomes free goes to the application with the fewest', () => {
  const counts = new WorkSlots('test', { slots: 4 });
  const [first] = counts.pick(hundred('a'));
  assert.ok(first !== undefined);
  counts.remove(first);
  assert.deepEqual(toClientIds(counts.pick([...hundred('a'), work('quiet', 'q')])), { quiet: 1 });
});

test('an application’s owner with the fewest slots goes first', () => {
  const counts = new WorkSlots('test', { slots: 4 });
  counts.pick([work('a', 'anna', 3)]);
  assert.deepEqual(counts.pick([work('a', 'anna', 3), work('a', 'otto')])[0]?.owner, 'otto');
});

test('among equals, the one served longest ago goes first, whatever the order of the list', () => {
  const counts = new WorkSlots('test', { slots: 1 });
  const list = [work('a', 'anna'), work('b', 'bert')];
  const served = Array.from({ length: 4 }, () => {
    const [place] = counts.pick(list);
    if (place !== undefined) counts.remove(place);
    return place?.clientId;
  });
  assert.deepEqual(served, ['a', 'b', 'a', 'b']);
});

test('two kinds of work share the limit of an application at a host', () => {
  const shared = new SlotCounts({ ofClientAtHost: 16 });
  const first = new WorkSlots('first', { slots: 128 }, { shared });
  const second = new WorkSlots('second', { slots: 16 }, { shared });
  assert.equal(first.pick([work('a', 'anna', 12, 'x')]).length, 12);
  const picked = second.pick([work('a', 'otto', 8, 'x'), work('b', 'bert', 8, 'x')]);
  assert.deepEqual(toClientIds(picked), { a: 4, b: 8 });
  assert.deepEqual(first.full(), [{ clientId: 'a', owner: '', host: 'x' }]);
  for (const place of picked) second.remove(place);
  assert.deepEqual(first.full(), []);
});

test('a listener is notified of the load and of applications that got fewer slots than they had work due', () => {
  const lines: unknown[] = [];
  let load = () => ({ held: 0, waiting: 0 });
  const listener: SlotListener = {
    opened: (_, read) => (load = read),
    waited() {},
    refused() {},
    exhausted: (line) => lines.push(line),
  };
  new WorkSlots('test', { slots: 4, share: 1 / 2 }, { listener }).pick([
    work('a', 'anna', 5),
    work('b', 'bert'),
  ]);
  assert.deepEqual(lines, [{ work: 'test', clientId: 'a', held: 1, waiting: 4 }]);
  assert.deepEqual(load(), { held: 2, waiting: 4 });
});
