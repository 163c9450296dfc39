/** The memory of answers that are read at once, and the turns in which they are read. */
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';

import { type AnswerRoom, answerRoom, type RoomShare } from '../../../src/lib/egress/answer-room.ts';
import { pieceTurns } from '../../../src/lib/egress/piece-turns.ts';
import { receivedBytes } from '../../../src/lib/egress/received-bytes.ts';

const LIMITS = { freeEach: 2, inAll: 120, forOldest: 20 };
/** The first application may hold half of the space that is not reserved, and its first host a quarter of that. */
const OF_APPLICATION = 50;
const OF_HOST = 12.5;

/** Creates a share that has taken `bytes` one by one until one had to wait; `taken` grows as room becomes free. */
function reader(room: AnswerRoom, host: string, bytes: number, clientId = 'acme') {
  const share: RoomShare = room.share({ clientId, host });
  const state = { taken: 0, release: () => share.release() };
  const read = (): void => {
    while (state.taken < bytes) {
      const wait = share.take(1);
      if (wait !== undefined) {
        wait.then(() => {
          state.taken += 1;
          read();
        });
        return;
      }
      state.taken += 1;
    }
  };
  read();
  return state;
}

const turn = () => new Promise((resolve) => setImmediate(resolve));
const sum = (readers: readonly { taken: number }[]) => readers.reduce((total, { taken }) => total + taken, 0);

describe('Room for answers', () => {
  it('a small answer has room whatever others hold', () => {
    const room = answerRoom(LIMITS);
    for (let host = 0; host < 3; host += 1) reader(room, `evil-${host}`, 100);

    assert.equal(reader(room, 'good', 2).taken, 2);
  });

  it('answers of one host hold no more than a host may, and the oldest can be read to its end', () => {
    const room = answerRoom(LIMITS);

    const readers = Array.from({ length: 4 }, () => reader(room, 'one', 12));

    assert.equal(readers[0]?.taken, 12);
    assert.ok(sum(readers) <= 12 + OF_HOST + 4 * LIMITS.freeEach, String(sum(readers)));
  });

  for (const [holders, applications, most] of [
    ['all hosts of an application', 1, 12 + OF_APPLICATION],
    ['all applications', 6, LIMITS.inAll],
  ] as const)
    it(`answers of ${holders} hold no more than they may`, () => {
      const room = answerRoom(LIMITS);

      const readers = Array.from({ length: 96 }, (_, index) =>
        reader(room, `host-${index % 8}`, 12, `application-${index % applications}`),
      );

      assert.ok(sum(readers) <= most + 96 * LIMITS.freeEach, String(sum(readers)));
    });

  it('a host that comes late finds room beside those that hold all they can', () => {
    const room = answerRoom(LIMITS);
    for (let host = 0; host < 4; host += 1)
      for (let of = 0; of < 6; of += 1) reader(room, `evil-${host}`, 12);

    assert.ok(reader(room, 'good', 6).taken > LIMITS.freeEach);
  });

  it('every response completes as earlier ones are released, in their order', async () => {
    const room = answerRoom(LIMITS);
    const readers = Array.from({ length: 30 }, (_, index) => reader(room, `host-${index % 5}`, 12));
    const ended: number[] = [];

    for (const [index, one] of readers.entries()) {
      await turn();
      assert.equal(one.taken, 12, `answer ${index}`);
      one.release();
      ended.push(index);
    }

    assert.equal(ended.length, 30);
    assert.equal(reader(room, 'host-0', 12).taken, 12);
  });

  it('an answer that was given up while it waited leaves its place to the next', async () => {
    const room = answerRoom(LIMITS);
    const [first, second, third] = [1, 2, 3].map(() => reader(room, 'one', 14));
    second?.release();
    first?.release();

    await turn();

    assert.equal(third?.taken, 14);
  });
});

describe('Turns of small pieces', () => {
  it('so many pieces are read in one turn, and the others in the next ones, each answer once', async () => {
    const turns = pieceTurns(10);
    const wentOn: number[] = [];
    for (let piece = 0; piece < 10; piece += 1) assert.equal(turns.count(assert.fail), true);

    for (let answer = 0; answer < 3; answer += 1)
      assert.equal(
        turns.count(() => wentOn.push(answer)),
        false,
      );
    assert.deepEqual(wentOn, []);
    await turn();

    assert.deepEqual(wentOn, [0, 1, 2]);
    assert.equal(turns.count(assert.fail), true);
  });
});

describe('Turns of answers that go on', () => {
  it('take no more pieces together than one turn has, and each answer comes to its end', async () => {
    const turns = pieceTurns(3);
    let now = 0;
    const pieces: number[] = [];
    const read = (left: number): void => {
      pieces[now] = (pieces[now] ?? 0) + 1;
      if (turns.count(() => left > 1 && read(left - 1)) && left > 1) read(left - 1);
    };
    for (let answer = 0; answer < 4; answer += 1) read(4);
    for (; now < 20; now += 1) await turn();

    const total = pieces.reduce((sum, count) => sum + count, 0);
    assert.equal(total, 16);
    // The first turn begins all four. In each later one a piece that is too many pauses its answer.
    assert.ok(
      pieces.slice(1).every((count) => count <= 4),
      String(pieces),
    );
  });
});

describe('Bytes as they come', () => {
  it('pieces of every size make up the whole they came from', () => {
    const sent = Buffer.from(Array.from({ length: 300_000 }, (_, index) => index % 251));
    const received = receivedBytes();

    for (let at = 0, size = 1; at < sent.length; at += size, size = (size * 7 + 3) % 90_001)
      received.add(sent.subarray(at, at + size));

    assert.ok(received.whole().equals(sent));
    assert.equal(received.size(), sent.length);
    assert.ok(Buffer.concat(received.blocks()).equals(sent));
  });

  it('nothing that came is an empty whole', () => {
    assert.equal(receivedBytes().whole().length, 0);
  });
});
