/** The script of the pool under test. */
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
});
