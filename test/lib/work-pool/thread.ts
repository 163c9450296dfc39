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
  // Uses no processor time, and says that it has begun.
  *block(begun: Int32Array) {
    yield 'first';
    Atomics.store(begun, 0, 1);
    Atomics.notify(begun, 0);
    Atomics.wait(begun, 1, 0);
  },
});
