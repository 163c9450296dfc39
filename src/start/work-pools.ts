/** The work pools: their limits and the script of their threads. */
import { availableParallelism } from 'node:os';
import path from 'node:path';

import type { SlotListener } from '../lib/fair-slots/slot-listener.ts';
import type { Log } from '../lib/log.ts';
import { type WorkPool, workPool } from '../lib/work-pool/work-pool.ts';

/** One pool for content from calendar servers, one for large reads: neither waits for the other. */
export type WorkPools = { readonly syncWork: WorkPool; readonly readWork: WorkPool };

/** The published package contains only `work-thread.js`. The repository starts `start-work-thread.js`. */
const WORK_THREAD = path.join(
  import.meta.dirname,
  path.extname(import.meta.filename) === '.ts' ? '../start-work-thread.js' : '../work-thread.js',
);
/** In megabytes; enough to process a server's response of 10 MB. */
const MOST_MEMORY = 64;
const IDLE_MS = 10_000;
/** The name of both pools' threads in slot metrics. */
const WORK_THREAD_SLOTS = 'work_thread';

export type WorkPoolsDeps = {
  readonly log?: Log;
  /** Called after a task waited for a thread, in seconds. */
  readonly workWaited?: ((pool: string, seconds: number) => void) | undefined;
  /** Called after unresponsive threads were replaced. */
  readonly workReplaced?: ((pool: string) => void) | undefined;
  readonly slots?: SlotListener;
};

/** Creates both pools without a thread. `script` is the file that their threads run. */
export function workPools(deps: WorkPoolsDeps = {}, script = WORK_THREAD): WorkPools {
  const { log, workWaited, workReplaced, slots } = deps;
  const mostThreads = Math.max(1, Math.min(2, Math.floor(availableParallelism() / 2)));
  const newPool = (name: string, waitMs: number) =>
    workPool({
      ...{ script, mostThreads, mostMemory: MOST_MEMORY, idleMs: IDLE_MS, waitMs },
      listener: {
        waited: (milliseconds) => workWaited?.(name, milliseconds / 1000),
        refused: () => slots?.refused(WORK_THREAD_SLOTS),
        replaced(load) {
          workReplaced?.(name);
          log?.error(
            { event: 'work_pool_replaced', pool: name, ...load },
            'Threads that sent nothing for a minute were replaced',
          );
        },
        notStarted: (err) =>
          log?.error({ event: 'work_thread_failed', err }, 'A work thread ended before it was ready'),
      },
    });
  // Published clients give up a read after 30 seconds.
  const pools = { syncWork: newPool('sync', 60_000), readWork: newPool('read', 10_000) };
  for (const pool of Object.values(pools))
    slots?.opened(WORK_THREAD_SLOTS, () => {
      const { running: held, waiting } = pool.load();
      return { held, waiting };
    });
  return pools;
}
