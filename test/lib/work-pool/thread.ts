/** The script of the pool under test. */
import { threadId } from 'node:worker_threads';

import { offerTasks } from '../../../src/lib/work-pool/offer-tasks.ts';

offerTasks({
  *count(to: number) {
    for (let i = 1; i <= to; i += 1) yield i;
  },
  *forever() {
    yield 'first';
    for (;;);
  },
  *hoard() {
    const kept: unknown[] = [];
    for (;;) kept.push(Array.from({ length: 10_000 }, (_, i) => `${i}`));
  },
  *fail() {
    yield 'first';
    throw new Error('of its own');
  },
  *size(input: ArrayBuffer) {
    yield input.byteLength;
  },
  *thread() {
    yield threadId;
  },
  // Counts from 1 to 8, each number when `turns[1]` has it; `turns[0]` says which number is next.
  *inTurns(turns: Int32Array) {
    for (let turn = 1; turn <= 8; turn += 1) {
      Atomics.store(turns, 0, turn);
      Atomics.notify(turns, 0);
      Atomics.wait(turns, 1, turn - 1);
      yield turn;
    }
  },
  // Uses no processor time, and says that it has begun.
  *block(begun: Int32Array) {
    yield 'first';
    Atomics.store(begun, 0, 1);
    Atomics.notify(begun, 0);
    Atomics.wait(begun, 1, 0);
  },
});
