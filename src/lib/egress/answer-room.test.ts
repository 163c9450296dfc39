import assert from 'node:assert/strict';
import { describe, it } from 'node:test';

import { type AnswerRoom, answerRoom, ROOM_LIMITS, type RoomLimits } from './answer-room.ts';

const LIMITS: RoomLimits = { freeEach: 10, freeInAll: 25, ofHost: 100, inAll: 200, forOldest: 40 };

/** A share of `host`, how much of `bytes` it has, and whether the last of them wait. */
function taking(room: AnswerRoom, host: string, ...bytes: readonly number[]) {
  const share = room.share(host);
  const state = { share, taken: 0, waits: false };
  for (const count of bytes) {
    assert.equal(state.waits, false, 'it waits already');
    const wait = share.take(count);
    state.waits = wait !== undefined;
    if (wait === undefined) state.taken += count;
    else
      void wait.then(() => {
        state.waits = false;
        state.taken += count;
      });
  }
  return state;
}
const turn = () => new Promise((resolve) => setImmediate(resolve));

describe('The room of answers', () => {
  it('is 16 MB of small answers, 32 MB of large ones and 16 MB of one host, with 10 MB for the oldest', () => {
    assert.deepEqual(ROOM_LIMITS, {
      ...{ freeEach: 256_000, freeInAll: 16_000_000 },
      ...{ ofHost: 16_000_000, inAll: 32_000_000, forOldest: 10_000_000 },
    });
  });

  it('has no limit for the oldest large answer', () => {
    assert.equal(taking(answerRoom(LIMITS), 'a', 11, 1_000, 5_000).waits, false);
  });

  it('counts an answer as small up to and including the limit of each', () => {
    const room = answerRoom(LIMITS);
    taking(room, 'oldest', 11, 1_000);

    assert.equal(taking(room, 'a', 10).waits, false);
    assert.equal(taking(room, 'b', 4, 6).waits, false);
    // They are 20 of 25.
    assert.equal(taking(room, 'c', 5).waits, false);
  });

  it('counts an answer as large if small ones have no more room, until one of them ends', () => {
    const room = answerRoom(LIMITS);
    const small = ['a', 'b'].map((host) => taking(room, host, 10));
    taking(room, 'c', 5);
    const oldest = taking(room, 'oldest', 1);
    const large = taking(room, 'd', 41);
    assert.equal(large.waits, true);
    large.share.release();
    oldest.share.release();

    small[0]?.share.release();
    taking(room, 'oldest', 11);

    assert.equal(taking(room, 'e', 10).waits, false);
    assert.equal(taking(room, 'f', 1, 40).waits, true);
  });

  it('counts nothing of a large answer as small once it is large', () => {
    const room = answerRoom(LIMITS);
    taking(room, 'oldest', 11);
    taking(room, 'a', 11, 1, 1, 1);

    // 160 are shared. The other host holds 14, this one may hold a quarter of the 146 that are left.
    assert.equal(taking(room, 'b', 36).waits, false);
    assert.equal(taking(room, 'c', 27).waits, false);
  });

  it('lets a host hold a quarter of what the others leave, but for the oldest answer', () => {
    for (const [bytes, waits] of [
      [40, false],
      [41, true],
    ] as const) {
      const room = answerRoom(LIMITS);
      taking(room, 'a', 11, 1_000);
      // The host of the oldest answer holds nothing else.
      assert.equal(taking(room, 'a', bytes).waits, waits);
      assert.equal(taking(room, 'b', waits ? 40 : 30).waits, false);
      assert.equal(taking(room, 'c', waits ? 31 : 23).waits, true);
    }
  });

  it('lets the answers of a host hold no more than its limit without the oldest of them', () => {
    const limits = { ...LIMITS, inAll: 4_000 };
    const room = answerRoom(limits);
    taking(room, 'oldest', 11);
    assert.equal(taking(room, 'a', 400, 100).waits, false);
    assert.equal(taking(room, 'a', 60).waits, false);
    assert.equal(taking(room, 'a', 11).waits, true);
    assert.equal(taking(room, 'b', 11).waits, false);
  });

  it('counts the oldest answer of a host that is still read', () => {
    for (const [bytes, waits] of [
      [55, false],
      [61, true],
    ] as const) {
      const room = answerRoom({ ...LIMITS, inAll: 4_000 });
      taking(room, 'oldest', 11);
      const first = taking(room, 'a', 50);
      taking(room, 'a', 60);
      first.share.release();

      assert.equal(taking(room, 'a', bytes).waits, waits);
    }
  });

  it('gives room that was freed to those that wait, in the order in which they became large', async () => {
    const room = answerRoom(LIMITS);
    const oldest = taking(room, 'oldest', 11);
    const [first, second, third] = ['a', 'b', 'c'].map((host) =>
      taking(room, host, 40 - (host === 'a' ? 0 : 10)),
    );
    const waiting = ['d', 'e', 'f'].map((host) => taking(room, host, 30));
    assert.deepEqual(
      [first, second, third].map((one) => one?.waits),
      [false, false, true],
    );
    assert.deepEqual(
      waiting.map(({ waits }) => waits),
      [true, true, true],
    );

    oldest.share.release();
    await turn();
    assert.deepEqual(
      [third, ...waiting].map((one) => one?.waits),
      [false, true, true, true],
    );
    assert.equal(third?.taken, 30);

    first?.share.release();
    await turn();
    assert.deepEqual(
      waiting.map(({ waits }) => waits),
      [false, true, true],
    );
  });

  it('counts what a waiter was given, and gives back all of it', async () => {
    const room = answerRoom(LIMITS);
    const oldest = taking(room, 'oldest', 11);
    const large = taking(room, 'a', 40);
    const waiting = taking(room, 'a', 11);
    assert.equal(waiting.waits, true);
    large.share.release();
    await turn();
    assert.equal(waiting.waits, false);
    const next = taking(room, 'b', 38);
    assert.equal(next.waits, true);
    waiting.share.release();
    await turn();

    assert.equal(next.waits, false);
    assert.equal(taking(room, 'c', 31).waits, true);
    for (const { share } of [next, oldest]) share.release();
    await turn();
    assert.equal(taking(room, 'd', 40).waits, false);
  });

  it('gives nothing back twice', () => {
    const room = answerRoom(LIMITS);
    taking(room, 'oldest', 11);
    const [one, small] = [taking(room, 'a', 11), taking(room, 'a', 5)];
    for (const { share } of [one, one, small, small]) share.release();
    for (const host of ['a', 'b']) taking(room, host, 10);
    taking(room, 'c', 5);

    assert.equal(taking(room, 'd', 40).waits, false);
    assert.equal(taking(room, 'd', 1).waits, true);
  });
});
