/** The shares of applications in the works of a process, counted in slots. */
import assert from 'node:assert/strict';
import { describe, it, type TestContext } from 'node:test';

import type { SlotPlace } from '../../../src/lib/fair-slots/slot-counts.ts';
import { placeOfOwner, toSlotOwner } from '../../../src/lib/fair-slots/slot-owner.ts';
import { openReadTurns, type Turns } from '../../../src/reading/read-turns.ts';
import { syncSlots, TURN_WAIT_MS } from '../../../src/sync/run-sync.ts';

const HOST = 'calendar.example.com';
const OWNERS = 100;

type Enter = (clientId: string, userId: string, host?: string) => Promise<boolean>;

/** Enters `each` times for each of the application's users; returns how many slots it got. */
async function enterAll(enter: Enter, clientId: string, each: number): Promise<number> {
  let entered = 0;
  for (let user = 0; user < OWNERS; user += 1)
    for (let n = 0; n < each; n += 1) if (await enter(clientId, `user${user}`, HOST)) entered += 1;
  return entered;
}

/** Resolves to whether a slot was free at once. */
const entersSync = (): Enter => {
  const slots = syncSlots();
  return async (clientId, userId, host) => {
    const place: SlotPlace = placeOfOwner(toSlotOwner({ clientId, userId }), host);
    return atOnce(slots.enter(place).then((leave) => leave !== undefined));
  };
};

const entersTurns =
  (turns: Turns): Enter =>
  (clientId, userId) => {
    const { promise, resolve } = Promise.withResolvers<boolean>();
    turns.run({ clientId, userId }, () => new Promise(() => resolve(true))).catch(() => resolve(false));
    return atOnce(promise);
  };

const atOnce = (entering: Promise<boolean>): Promise<boolean> =>
  Promise.race([entering, settled().then(() => false)]);

const settled = () => new Promise((resolve) => setImmediate(resolve));

const WORKS: readonly { readonly work: string; readonly enter: () => Enter; readonly lone: number }[] = [
  { work: 'sync, at one host', enter: entersSync, lone: 32 },
  { work: 'long_poll', enter: () => entersTurns(openReadTurns(1_000).waits), lone: 500 },
  { work: 'heavy_read', enter: () => entersTurns(openReadTurns(1_000).heavyReads), lone: 4 },
];

for (const { work, enter: open, lone } of WORKS)
  describe(`the slots of ${work}`, () => {
    it('leave a quiet application one in its first call beside three hostile ones', async () => {
      const enter = open();
      for (const hostile of ['eve', 'mallory', 'trudy']) await enterAll(enter, hostile, 10);

      assert.equal(await enter('quiet', 'ada', HOST), true);
    });

    it(`give an application that is alone ${lone}`, async () => {
      assert.equal(await enterAll(open(), 'alone', 10), lone);
    });
  });

describe('the slots of syncs', () => {
  it('give a user four at one host and six in all', async () => {
    const enter = entersSync();
    const entered: boolean[] = [];
    for (const host of ['a', 'a', 'a', 'a', 'a', 'b', 'c', 'd'])
      entered.push(await enter('acme', 'ada', host));

    assert.deepEqual(entered, [true, true, true, true, false, true, true, false]);
  });

  it('have no limit of a host if the provider has its own limits', async () => {
    const enter = entersSync();
    for (let user = 0; user < OWNERS; user += 1) assert.equal(await enter('acme', `user${user}`, ''), true);
  });

  it('refuse a wait of five minutes, and the 501st of a user', async (t: TestContext) => {
    t.mock.timers.enable({ apis: ['setTimeout'] });
    const slots = syncSlots();
    const place = placeOfOwner('acme ada', HOST);
    for (let n = 0; n < 4; n += 1) await slots.enter(place);
    const waiting = Array.from({ length: 500 }, () => slots.enter(place));

    assert.equal(await slots.enter(place), undefined);
    t.mock.timers.tick(TURN_WAIT_MS);
    assert.deepEqual(new Set(await Promise.all(waiting)), new Set([undefined]));
  });
});

describe('the slots of medium reads, which have no share', () => {
  it('the next one that becomes free is a quiet application’s', async () => {
    const { wholeReads } = openReadTurns(1_000);
    const begun: string[] = [];
    const ends: (() => void)[] = [];
    const begin = (clientId: string, userId: string) =>
      void wholeReads.run({ clientId, userId }, () => {
        begun.push(clientId);
        return new Promise<void>((end) => ends.push(end));
      });
    for (let user = 0; user < OWNERS; user += 1)
      for (const hostile of ['eve', 'mallory', 'trudy']) begin(hostile, `user${user}`);
    begin('quiet', 'ada');
    await settled();
    ends[0]?.();
    await settled();

    assert.equal(begun.at(-1), 'quiet');
  });
});
