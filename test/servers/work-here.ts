/** A work pool without threads: it runs tasks in the calling thread, and stops those with poisoned data. */
import type { WorkPool, WorkTask } from '../../src/lib/work-pool/work-pool.ts';
import { type StopReason, WorkStopped } from '../../src/lib/work-pool/work-stopped.ts';
import { DAV_TASKS } from '../../src/providers/caldav/dav-tasks.ts';

/** Marks calendar data that is not to be read to its end. */
export const poisonedBy = (reason: StopReason): string => `X-POISON:${reason}`;

export type WorkHere = WorkPool & {
  /** Names of the tasks that were run, since they were taken last. */
  takeTasks(): string[];
};

/** Each task takes `spentMs`, which its first part reports. Poisoned data ends the task in the part that has it. */
export function workHere(spentMs = 0): WorkHere {
  const tasks: string[] = [];
  return {
    async run<Part>({ name, input, transfer = [] }: WorkTask) {
      tasks.push(name);
      let ms = spentMs;
      const parts: Part[] = [];
      // As threads are given it: cloned, with bytes that are moved.
      const given = structuredClone(input, { transfer: [...transfer] });
      for await (const part of DAV_TASKS[name]?.(given as never) ?? []) {
        const answer = structuredClone(part);
        const [, reason] = /X-POISON:(\w+)/.exec(JSON.stringify(answer)) ?? [];
        if (reason !== undefined) return { parts, stopped: new WorkStopped(reason as StopReason) };
        const isPart = typeof answer === 'object' && answer !== null && 'ms' in answer;
        parts.push((isPart ? { ...answer, ms } : answer) as Part);
        ms = 0;
      }
      return { parts, stopped: undefined };
    },
    load: () => ({ threads: 0, running: 0, waiting: 0 }),
    close: async () => {},
    takeTasks: () => tasks.splice(0),
  };
}
