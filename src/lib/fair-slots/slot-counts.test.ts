import assert from 'node:assert/strict';
import { test } from 'node:test';

import { SlotCounts, type SlotPlace } from './slot-counts.ts';

const place = (clientId: string, owner = '', host = ''): SlotPlace => ({ clientId, owner, host });

/** Takes slots until no other is free, and returns how many. */
function takeAll(counts: SlotCounts, clientId: string, owner = '', host = ''): number {
  let count = 0;
  for (; counts.isFree(place(clientId, owner, host)); count += 1) counts.add(place(clientId, owner, host));
  return count;
}

test('an application takes its share of the slots that others leave free', () => {
  const counts = new SlotCounts({ slots: 128, share: 1 / 2 });
  assert.deepEqual(
    ['a', 'b', 'c', 'd'].map((clientId) => takeAll(counts, clientId)),
    [64, 32, 16, 8],
  );
});

test('an application always gets one slot while any is free', () => {
  const counts = new SlotCounts({ slots: 4, share: 1 / 2 });
  assert.deepEqual(
    ['a', 'b', 'c', 'd'].map((clientId) => takeAll(counts, clientId)),
    [2, 1, 1, 0],
  );
});

test('a share applies to each host separately', () => {
  const counts = new SlotCounts({ ofHost: 8, share: 1 / 2 });
  assert.equal(takeAll(counts, 'a', '', 'x'), 4);
  assert.equal(takeAll(counts, 'b', '', 'x'), 2);
  assert.equal(takeAll(counts, 'a', '', 'y'), 4);
});

test('an application at a host stays within its own limit', () => {
  const counts = new SlotCounts({ ofClientAtHost: 3 });
  assert.equal(takeAll(counts, 'a', '', 'x'), 3);
  assert.equal(takeAll(counts, 'b', '', 'x'), 3);
});

test('an owner stays within its limits, in all and at a host', () => {
  const counts = new SlotCounts({ ofOwner: 3, ofOwnerAtHost: 2 });
  assert.equal(takeAll(counts, 'a', 'a1', 'x'), 2);
  assert.equal(takeAll(counts, 'a', 'a1', 'y'), 1);
  assert.equal(takeAll(counts, 'a', 'a2', 'y'), 2);
});

test('a place without names is limited only by all slots', () => {
  const counts = new SlotCounts({ slots: 9, share: 1 / 3, ofOwner: 1, ofHost: 1 });
  assert.equal(takeAll(counts, ''), 9);
});

test('everything at its limit is listed until a slot is freed', () => {
  const held = [place('a', 'a1', 'x'), place('a', 'a2', 'x'), place('b', 'b1', 'x')];
  const counts = new SlotCounts({ slots: 9, ofOwner: 1, ofHost: 4, share: 1 / 2 }, held);
  assert.deepEqual(counts.full(), [
    place('', 'a1'),
    place('', 'a2'),
    place('', 'b1'),
    place('a', '', 'x'),
    place('b', '', 'x'),
  ]);
  for (const place of held) counts.remove(place);
  assert.deepEqual(counts.full(), []);
  assert.equal(counts.heldBy({}), 0);
});
