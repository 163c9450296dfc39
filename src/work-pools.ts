/** The work pools of the program: their limits, and the script that their threads run. */
import { availableParallelism } from 'node:os';
import path from 'node:path';

import { type WorkPool, workPool } from './lib/work-pool/work-pool.ts';

/** Work on what calendar servers sent, and on reads that expand much: neither waits for the other. */
export type WorkPools = { readonly syncWork: WorkPool; readonly readWork: WorkPool };

/** Of the two, what is published has the second only, and the repository starts with the first. */
const WORK_THREAD = path.join(
  import.meta.dirname,
  path.extname(import.meta.filename) === '.ts' ? 'start-work-thread.js' : 'work-thread.js',
);
/** Megabytes: a server's answer of 10 MB and what is made of it fit. */
const MOST_MEMORY = 64;
const IDLE_MS = 10_000;

/** Both pools, without a thread yet. */
export function workPools(): WorkPools {
  const mostThreads = Math.max(1, Math.min(2, Math.floor(availableParallelism() / 2)));
  const pool = () => workPool({ script: WORK_THREAD, mostThreads, mostMemory: MOST_MEMORY, idleMs: IDLE_MS });
  return { syncWork: pool(), readWork: pool() };
}
