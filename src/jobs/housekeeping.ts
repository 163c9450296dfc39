import type { JobHandler, WorkerDeps } from './worker.ts';

/** The deletions of expired data by name. Each returns how many rows it deleted. */
export type Deletions = Readonly<Record<string, () => Promise<number>>>;

export type HousekeepingDeps = Pick<WorkerDeps, 'jobs' | 'log' | 'now'>;

const EVERY_MS = 10 * 60_000;

/** Returns the job that runs all deletions, one after the other, and then schedules itself again. */
export function deleteExpired(deletions: Deletions, { jobs, log, now }: HousekeepingDeps): JobHandler {
  return async (_key, signal) => {
    const deleted: Record<string, number> = {};
    for (const [name, deleteOld] of Object.entries(deletions)) {
      if (signal.aborted) return undefined;
      deleted[name] = await deleteOld();
    }
    log.debug({ event: 'housekeeping_done', deleted }, 'What outlived its use was deleted');
    await jobs.schedule('housekeeping', '', now() + EVERY_MS);
    return undefined;
  };
}
