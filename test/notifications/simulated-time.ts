/** Time that passes as fast as its work is done: what is due is worked in order. */

export type SimulatedTime = {
  readonly now: () => number;
  /** Epoch milliseconds; not before now. */
  at(time: number, work: () => unknown): void;
  /** Works until then. */
  runUntil(end: number): Promise<void>;
};

type Due = { readonly time: number; readonly work: () => unknown };

export function simulatedTime(start: number): SimulatedTime {
  let now = start;
  /** A heap: none is later than those at twice its place and one or two more. */
  const heap: Due[] = [];
  const time = (index: number): number => heap[index]?.time ?? Number.POSITIVE_INFINITY;
  const swap = (one: number, other: number): void => {
    const [first, second] = [heap[one], heap[other]];
    if (first === undefined || second === undefined) return;
    heap[one] = second;
    heap[other] = first;
  };
  const rise = (): void => {
    for (let index = heap.length - 1; index > 0; ) {
      const above = (index - 1) >> 1;
      if (time(above) <= time(index)) return;
      swap(above, index);
      index = above;
    }
  };
  const sink = (): void => {
    for (let index = 0; ; ) {
      const left = 2 * index + 1;
      const below = time(left + 1) < time(left) ? left + 1 : left;
      if (time(index) <= time(below)) return;
      swap(index, below);
      index = below;
    }
  };
  const next = (): Due | undefined => {
    swap(0, heap.length - 1);
    const due = heap.pop();
    sink();
    return due;
  };

  return {
    now: () => now,
    at(due, work) {
      heap.push({ time: Math.max(due, now), work });
      rise();
    },
    async runUntil(end) {
      while (time(0) <= end) {
        const due = next();
        now = due?.time ?? now;
        await due?.work();
      }
      now = end;
    },
  };
}
