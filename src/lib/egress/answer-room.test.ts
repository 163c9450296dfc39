import assert from 'node:assert/strict';
import { describe, it } from 'node:test';

import { type AnswerRoom, answerRoom, ROOM_LIMITS, type RoomLimits } from './answer-room.ts';

const LIMITS: RoomLimits = { freeEach: 10, freeInAll: 25, ofHost: 100, inAll: 200, forOldest: 40 };

/** Takes `bytes` in a share of `host`. Returns how much it has and whether the last of them wait. */
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

describe('The memory of responses', () => {
  it('is 16 MB for small ones, 32 MB for large ones and 16 MB for each host, with 10 MB for the oldest', () => {
    assert.deepEqual(ROOM_LIMITS, {
      ...{ freeEach: 256_000, freeInAll: 16_000_000 },
      ...{ ofHost: 16_000_000, inAll: 32_000_000, forOldest: 10_000_000 },
    });
  });

  it('has no limit for the oldest large response', () => {
    assert.equal(taking(answerRoom(LIMITS), 'a', 11, 1_000, 5_000).waits, false);
  });

  it('counts a response as small up to its limit, inclusive', () => {
    const room = answerRoom(LIMITS);
    taking(room, 'oldest', 11, 1_000);

    assert.equal(taking(room, 'a', 10).waits, false);
    assert.equal(taking(room, 'b', 4, 6).waits, false);
    // Small responses hold 20 of 25 bytes.
    assert.equal(taking(room, 'c', 5).waits, false);
  });

  it('counts a small response as large while small ones have used up their space', () => {
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

  it('counts all further bytes of a large response as large', () => {
    const room = answerRoom(LIMITS);
    taking(room, 'oldest', 11);
    taking(room, 'a', 11, 1, 1, 1);

    // 160 are shared. The other host holds 14; this one may hold a quarter of the remaining 146.
    assert.equal(taking(room, 'b', 36).waits, false);
    assert.equal(taking(room, 'c', 27).waits, false);
  });

  it('lets a host hold a quarter of the space left by others, besides the oldest response', () => {
    for (const [bytes, waits] of [
      [40, false],
      [41, true],
    ] as const) {
      const room = answerRoom(LIMITS);
      taking(room, 'a', 11, 1_000);
      assert.equal(taking(room, 'a', bytes).waits, waits);
      assert.equal(taking(room, 'b', waits ? 40 : 30).waits, false);
      assert.equal(taking(room, 'c', waits ? 31 : 23).waits, true);
    }
  });

  it('limits the responses of a host besides its oldest', () => {
    const limits = { ...LIMITS, inAll: 4_000 };
    const room = answerRoom(limits);
    taking(room, 'oldest', 11);
    assert.equal(taking(room, 'a', 400, 100).waits, false);
    assert.equal(taking(room, 'a', 60).waits, false);
    assert.equal(taking(room, 'a', 11).waits, true);
    assert.equal(taking(room, 'b', 11).waits, false);
  });

  it('exempts the oldest response of a host that is still being read', () => {
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

  it('gives freed space to waiting responses in the order in which they became large', async () => {
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

  it('counts the bytes that a waiting response received, and releases all of them', async () => {
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

  it('releases a share only once', () => {
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
