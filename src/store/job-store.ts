/** JobStore in SQL; held to test/contract/job-store.contract.ts on both databases. */
import type { JobKind, JobStore } from '../jobs/job-store.ts';
import type { Database } from './drivers/database.ts';
import { scheduleJob } from './job-rows.ts';

type JobRow = { kind: JobKind; key: string; attempts: number };

/** `jobScheduled` is called when a job was committed, so that this process' worker looks at once. */
export function jobStore(db: Database, jobScheduled = () => {}): JobStore {
  return {
    async schedule(kind, key, runAt) {
      await db.transaction((tx) => scheduleJob(tx, { kind, key }, runAt));
      jobScheduled();
    },

    take({ holder, limit, now, leaseUntil }) {
      return db.transaction(async (tx) => {
        const due = await tx.all<JobRow>(
          `SELECT kind, key, attempts FROM job WHERE run_at <= :now ORDER BY run_at LIMIT :limit ${db.dialect.skipLocked}`,
          { now, limit },
        );
        for (const { kind, key } of due) {
          // The end of the lease is when the job is due again, should its holder die.
          await tx.all(
            `UPDATE job SET run_at = :leaseUntil, lease_holder = :holder, attempts = attempts + 1
              WHERE kind = :kind AND key = :key`,
            { kind, key, holder, leaseUntil },
          );
        }
        return due.map(({ kind, key, attempts }) => ({ kind, key, attempts }));
      });
    },

    async nextRunAt() {
      const row = await db.get<{ at: number | null }>('SELECT MIN(run_at) AS at FROM job');
      return row?.at ?? undefined;
    },

    async finish({ kind, key }, holder) {
      await db.transaction(async (tx) => {
        const deleted = await tx.all(
          `DELETE FROM job WHERE kind = :kind AND key = :key AND lease_holder = :holder AND again_at IS NULL
           RETURNING kind`,
          { kind, key, holder },
        );
        if (deleted.length > 0) return;
        await tx.all(
          `UPDATE job SET run_at = again_at, again_at = NULL, lease_holder = NULL, attempts = 0
            WHERE kind = :kind AND key = :key AND lease_holder = :holder`,
          { kind, key, holder },
        );
      });
    },

    async putOff({ kind, key }, holder, runAt) {
      await db.write(
        `UPDATE job SET run_at = CASE WHEN again_at < :runAt THEN again_at ELSE :runAt END,
                again_at = NULL, lease_holder = NULL
          WHERE kind = :kind AND key = :key AND lease_holder = :holder`,
        { kind, key, holder, runAt },
      );
    },
  };
}
