import assert from 'node:assert/strict';
import { describe, it } from 'node:test';

import { type AnswerRoom, answerRoom, ROOM_LIMITS, type RoomLimits } from './answer-room.ts';

const LIMITS: RoomLimits = { freeEach: 10, inAll: 200, forOldest: 40 };

/** Takes `bytes` in a share of `host@application`. Returns how much it has and whether the last of them wait. */
function taking(room: AnswerRoom, place: string, ...bytes: readonly number[]) {
  const [host = '', clientId = 'acme'] = place.split('@');
  const share = room.share({ clientId, host });
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

/** Lets responses of a thousand hosts of an application take pieces of `size` bytes until all of them wait. */
function fill(room: AnswerRoom, clientId: string, size: number): void {
  for (let number = 0; number < 1_000; number += 1) {
    const share = room.share({ clientId, host: `host-${number}` });
    while (share.take(size) === undefined);
  }
}

describe('The memory of responses', () => {
  it('is 8 kB for each and 32 MB for the large ones, with 10 MB of it for the oldest', () => {
    assert.deepEqual(ROOM_LIMITS, { freeEach: 8_000, inAll: 32_000_000, forOldest: 10_000_000 });
  });

  it('has no limit for the oldest large response', () => {
    assert.equal(taking(answerRoom(LIMITS), 'a', 11, 1_000, 5_000).waits, false);
  });

  it('counts a response as small up to its limit, inclusive, whatever others hold', () => {
    const room = answerRoom(LIMITS);
    taking(room, 'oldest', 11);
    fill(room, 'acme', 1);

    assert.equal(taking(room, 'a', 10).waits, false);
    assert.equal(taking(room, 'a', 4, 6).waits, false);
    assert.equal(taking(room, 'b', 11).waits, true);
    assert.equal(taking(room, 'c', 10, 1).waits, true);
  });

  it('counts all further bytes of a large response as large', () => {
    const room = answerRoom(LIMITS);
    taking(room, 'oldest', 11);
    taking(room, 'a', 11, 1, 1, 1);

    // The application may hold 80, and its host `a` holds 14.
    assert.equal(taking(room, 'b', 17).waits, true);
    assert.equal(taking(room, 'c', 16).waits, false);
  });

  it('lets a host hold a quarter of what its application has left, besides the oldest response', () => {
    for (const [bytes, waits] of [
      [20, false],
      [21, true],
    ] as const) {
      const room = answerRoom(LIMITS);
      taking(room, 'a', 11, 1_000);
      assert.equal(taking(room, 'a', bytes).waits, waits);
      assert.equal(taking(room, 'b', waits ? 20 : 15).waits, false);
      assert.equal(taking(room, 'c', waits ? 16 : 12).waits, true);
    }
  });

  it('lets an application hold half of what others leave, besides the oldest response', () => {
    const room = answerRoom(LIMITS);
    taking(room, 'oldest', 1_000);
    taking(room, 'a', 20);

    assert.equal(taking(room, 'a@quiet', 18).waits, true);
    assert.equal(taking(room, 'a@quiet', 17).waits, false);
    assert.equal(taking(room, 'a', 1).waits, false);
    fill(room, 'acme', 1);

    assert.equal(taking(room, 'b@quiet', 10, 8).waits, true);
    assert.equal(taking(room, 'a@other', 10, 8).waits, false);
  });

  it('leaves space for another application, however many hosts of one hold their responses back', () => {
    const room = answerRoom();
    for (let index = 0; index < 64; index += 1) taking(room, `${index}@hostile`, 250_000);
    fill(room, 'hostile', 65_536);
    fill(room, 'hostile', 1_000);

    assert.equal(taking(room, 'a@quiet', ...Array(15).fill(65_536)).waits, false);
    assert.equal(taking(room, 'late@hostile', 8_000).waits, false);
  });

  it('gives freed space to waiting responses in the order in which they became large', async () => {
    const room = answerRoom(LIMITS);
    const oldest = taking(room, 'oldest', 11);
    const [first, second, third] = [taking(room, 'a', 20), taking(room, 'b', 15), taking(room, 'c', 12)];
    const waiting = ['d', 'e', 'f'].map((host) => taking(room, host, 15));
    const waits = () => [first, second, third, ...waiting].map((one) => one.waits);
    assert.deepEqual(waits(), [false, false, true, true, true, true]);

    oldest.share.release();
    await turn();
    assert.deepEqual(waits(), [false, false, false, true, true, true]);
    assert.equal(third.taken, 12);

    first.share.release();
    await turn();
    assert.deepEqual(waits(), [false, false, false, false, true, true]);
  });

  it('counts the bytes that a waiting response received, and releases all of them', async () => {
    const room = answerRoom(LIMITS);
    const oldest = taking(room, 'oldest', 11);
    const large = taking(room, 'a', 20);
    const waiting = taking(room, 'a', 11);
    assert.equal(waiting.waits, true);
    large.share.release();
    await turn();
    assert.equal(waiting.waits, false);
    const next = taking(room, 'b', 20);
    assert.equal(next.waits, true);
    waiting.share.release();
    await turn();

    assert.equal(next.waits, false);
    assert.equal(taking(room, 'c', 16).waits, true);
    for (const { share } of [next, oldest]) share.release();
    await turn();
    assert.equal(taking(room, 'd', 20).waits, false);
  });

  it('releases a share only once', () => {
    const room = answerRoom(LIMITS);
    taking(room, 'oldest', 11);
    const [one, small] = [taking(room, 'a', 11), taking(room, 'a', 5)];
    for (const { share } of [one, one, small, small]) share.release();

    assert.equal(taking(room, 'd', 20).waits, false);
    assert.equal(taking(room, 'd', 1, 10).waits, true);
  });
});
