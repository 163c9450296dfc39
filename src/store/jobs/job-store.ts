/** JobStore in SQL; held to test/contract/job-store.contract.ts on both databases. */
import type { JobKind, JobStore } from '../../jobs/job-store.ts';
import type { Database } from '../drivers/database.ts';
import { MOST_UNFINISHED, OR_EARLIER, scheduleJob } from './job-rows.ts';
import { SET_ASIDE_MS, takeJobs } from './job-turns.ts';

const HELD = 'kind = :kind AND key = :key AND lease_holder = :holder';
const RETURNED = 'again_at = NULL, lease_holder = NULL, revived = 0';
// Runs before the job's row is locked (see OR_EARLIER). A turn may be too early, never too late.
const ADD_TURN = `
  INSERT INTO job_turn (client_id, owner, kind, host, turn_at)
  SELECT client_id, owner, kind, host, CAST(:runAt AS BIGINT) FROM job WHERE ${HELD} ${OR_EARLIER}`;
const ADD_TURN_AGAIN = `
  INSERT INTO job_turn (client_id, owner, kind, host, turn_at)
  SELECT client_id, owner, kind, host, again_at FROM job WHERE ${HELD} AND again_at IS NOT NULL ${OR_EARLIER}`;

/** Calls `jobScheduled` after the commit of a job, so that this process's worker looks for it immediately. */
export function jobStore(db: Database, jobScheduled = () => {}): JobStore {
  return {
    async schedule(kind, key, runAt) {
      await db.transaction((tx) => scheduleJob(tx, { kind, key }, runAt));
      jobScheduled();
    },

    async take(terms) {
      // Usually nothing is due, and finding that out needs no lock.
      const { kinds, now } = terms;
      const look = dueLook(kinds);
      const due = await db.get<Due>(look.text, { ...look.values, now });
      if (due === undefined)
        return { jobs: [], setAside: [], passedOver: [], isCut: false, isContended: false };
      return takeJobs(db, terms, due.hasExpired === 1);
    },

    ...jobLeases(db),

    nextRunAt: async () =>
      (await db.get<{ at: number | undefined }>('SELECT MIN(run_at) AS at FROM job'))?.at,

    async finish({ kind, key }, holder) {
      const held = { kind, key, holder };
      await db.transaction(async (tx) => {
        const ended = await tx.change(`DELETE FROM job WHERE ${HELD} AND again_at IS NULL`, held);
        if (ended > 0) return;
        await tx.change(ADD_TURN_AGAIN, held);
        await tx.change(
          `UPDATE job SET run_at = again_at, attempts = 0, unfinished = 0, ${RETURNED} WHERE ${HELD}`,
          held,
        );
      });
    },

    async putOff({ kind, key }, holder, runAt) {
      await db.transaction(async (tx) => {
        await tx.change(ADD_TURN, { kind, key, holder, runAt });
        await tx.change(ADD_TURN_AGAIN, { kind, key, holder });
        await tx.change(
          `UPDATE job SET run_at = CASE WHEN again_at < :runAt THEN again_at ELSE :runAt END, unfinished = 0, ${RETURNED}
            WHERE ${HELD}`,
          { kind, key, holder, runAt },
        );
      });
    },

    giveUp: async ({ kind, key }, holder, { now, retryAt }) =>
      db.transaction(async (tx) => {
        await tx.change(ADD_TURN, { kind, key, holder, runAt: retryAt });
        const row = await tx.get<{ isSetAside: number }>(
          `UPDATE job SET run_at = CASE WHEN unfinished >= ${MOST_UNFINISHED} THEN CAST(:dayLater AS BIGINT) ELSE :retryAt END, ${RETURNED}
            WHERE ${HELD}
           RETURNING CASE WHEN unfinished >= ${MOST_UNFINISHED} THEN 1 ELSE 0 END AS is_set_aside`,
          { kind, key, holder, retryAt, dayLater: now + SET_ASIDE_MS },
        );
        return row?.isSetAside === 1;
      }),
  };
}

type Due = { readonly hasExpired: 0 | 1 };

/** Returns a query for any due job. It reads only the first entry of each index; otherwise PostgreSQL might scan. */
function dueLook(kinds: readonly JobKind[]) {
  const firstOfKind = kinds.map(
    (_, n) => `OR (SELECT turn_at FROM job_turn WHERE kind = :kind${n} ORDER BY turn_at LIMIT 1) <= :now`,
  );
  return {
    text: `
      SELECT has_expired FROM
        (SELECT CASE WHEN (SELECT run_at FROM job WHERE lease_holder IS NOT NULL ORDER BY run_at LIMIT 1) <= :now
                     THEN 1 ELSE 0 END AS has_expired) AS look
       WHERE has_expired = 1 ${firstOfKind.join(' ')}`,
    values: Object.fromEntries(kinds.map((kind, n) => [`kind${n}`, kind])),
  };
}

function jobLeases(db: Database): Pick<JobStore, 'renew' | 'excuse'> {
  return {
    async renew(holders, leaseUntil) {
      // If the holder dies, the job is due again when the lease ends.
      await db.change(
        `UPDATE job SET run_at = :leaseUntil WHERE lease_holder ${db.dialect.oneOf('holders')}`,
        { holders, leaseUntil },
      );
    },

    async excuse(holders) {
      await db.change(
        `UPDATE job SET unfinished = CASE WHEN unfinished > 0 THEN unfinished - 1 ELSE 0 END
          WHERE lease_holder ${db.dialect.oneOf('holders')}`,
        { holders },
      );
    },
  };
}
