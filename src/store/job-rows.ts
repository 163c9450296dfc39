/** The one statement that makes a job; other stores run it inside their own transactions. */
import type { JobName } from '../jobs/job-store.ts';
import type { Statements } from './drivers/database.ts';

/**
 * Makes the job or brings it forward. A job that is being worked is not touched but marked to run
 * again: what it reads may be older than the reason for this call.
 */
export async function scheduleJob(tx: Statements, { kind, key }: JobName, runAt: number): Promise<void> {
  await tx.all(
    `INSERT INTO job (kind, key, run_at, attempts) VALUES (:kind, :key, :runAt, 0)
     ON CONFLICT (kind, key) DO UPDATE SET
       run_at = CASE WHEN job.lease_holder IS NULL AND job.run_at > :runAt THEN :runAt ELSE job.run_at END,
       again_at = CASE WHEN job.lease_holder IS NULL THEN NULL
                       WHEN job.again_at < :runAt THEN job.again_at
                       ELSE :runAt END
     RETURNING kind`,
    { kind, key, runAt },
  );
}
