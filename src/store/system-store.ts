/** SystemStore in SQL; held to test/contract/system-store.contract.ts on both databases. */
import { JOB_DEADLINES } from '../jobs/job-kinds.ts';
import type { JobKind } from '../jobs/job-store.ts';
import {
  type DaySize,
  type Instance,
  type JobCount,
  type KeptChecks,
  MOST_COUNTED,
  type SystemStore,
  type UsedBudget,
} from '../system/system-store.ts';
import { auditFor } from './audit/append-audit.ts';
import type { Database } from './drivers/database.ts';
import { lastBackups, readAddresses } from './drivers/inspect-database.ts';

const NOTE = `
  INSERT INTO instance (instance_id, host, version, role, started_at, seen_at, key_ids, key_id)
  VALUES (:instanceId, :host, :version, :role, :startedAt, :seenAt, :keyIds, :keyId)
  ON CONFLICT (instance_id) DO UPDATE
    SET seen_at = excluded.seen_at, key_ids = excluded.key_ids, key_id = excluded.key_id`;
const FORGET_GONE = 'DELETE FROM instance WHERE seen_at < :goneBefore';
const FORGET = 'DELETE FROM instance WHERE instance_id = :instanceId';
const INSTANCES = `
  SELECT instance_id, host, version, role, started_at, seen_at, key_ids, key_id
    FROM instance WHERE seen_at >= :seenSince ORDER BY started_at, instance_id LIMIT 200`;

// A running job is due when its lease ends. After that, nobody works on it.
const RUNNING = `
  SELECT kind, COUNT(*) AS running
    FROM (SELECT kind FROM job WHERE lease_holder IS NOT NULL AND run_at > :now ORDER BY run_at LIMIT ${MOST_COUNTED}) AS leased
   GROUP BY kind`;
// Counts all jobs of a kind in an index alone: only a job's row shows whether it waits.
const OF_KIND = `
  SELECT COUNT(*) AS count FROM (SELECT 1 FROM job WHERE kind = :kind LIMIT :most) AS counted`;
const LATE = `
  SELECT kind, COUNT(*) AS late, MIN(run_at) AS oldest
    FROM (SELECT kind, run_at FROM job WHERE run_at < :lateBefore ORDER BY run_at LIMIT ${MOST_COUNTED}) AS first
   GROUP BY kind`;
const WAITING_STREAMS = `
  SELECT COUNT(*) AS count
    FROM (SELECT 1 FROM webhook_stream WHERE due_at IS NOT NULL LIMIT ${MOST_COUNTED}) AS waiting`;
const KINDS = Object.keys(JOB_DEADLINES) as JobKind[]; // the table has each

const KEEP_SIZE = `
  INSERT INTO database_size (day, bytes) VALUES (:day, :bytes)
  ON CONFLICT (day) DO UPDATE SET bytes = excluded.bytes`;
const FORGET_SIZES = 'DELETE FROM database_size WHERE day < :since';
const SIZES = 'SELECT day, bytes FROM database_size ORDER BY day';

/** The maximum length of a backup's failure, a message of the operating system. */
const MOST_REASON = 1_000;
const KEEP_SETTING = `
  INSERT INTO setting (name, value) VALUES (:name, :value)
  ON CONFLICT (name) DO UPDATE SET value = excluded.value`;
const FORGET_FAILURE = `DELETE FROM setting WHERE name = 'last_backup_failure'`;

const KEEP_CHECKS = `
  INSERT INTO setting (name, value) VALUES ('last_checks', :value)
  ON CONFLICT (name) DO UPDATE SET value = excluded.value`;
const LAST_CHECKS = `SELECT value FROM setting WHERE name = 'last_checks'`;

type RunningRow = { readonly kind: JobKind; readonly running: number };
type LateRow = { readonly kind: JobKind; readonly late: number; readonly oldest: number };

export function systemStore(db: Database): SystemStore {
  const { bytes, byBytes } = db.dialect;
  const SIZE = `SELECT ${bytes} AS bytes`;
  const BUDGETS = `
    SELECT bucket AS app, full_at FROM request_budget
     WHERE bucket ${byBytes} >= 'app ' AND bucket ${byBytes} < 'app!' ORDER BY full_at DESC, bucket LIMIT 50`;
  const databaseBytes = async () => (await db.get<{ bytes: number }>(SIZE))?.bytes ?? 0;
  return {
    async noteInstance(instance, goneBefore) {
      await db.change(NOTE, { ...instance, keyIds: instance.keyIds.join(' ') });
      await db.change(FORGET_GONE, { goneBefore });
    },

    async forgetInstance(instanceId) {
      await db.change(FORGET, { instanceId });
    },

    async listInstances(seenSince) {
      const rows = await db.all<Omit<Instance, 'keyIds'> & { readonly keyIds: string }>(INSTANCES, {
        seenSince,
      });
      return rows.map((row) => ({ ...row, keyIds: row.keyIds.split(' ').filter(Boolean) }));
    },

    async countJobs(now, lateBefore) {
      const [late, leased] = await Promise.all([
        db.all<LateRow>(LATE, { lateBefore }),
        db.all<RunningRow>(RUNNING, { now }),
      ]);
      const counts = await Promise.all(
        KINDS.map(async (kind): Promise<JobCount> => {
          const running = leased.find((one) => one.kind === kind)?.running ?? 0;
          const values = { kind, most: MOST_COUNTED + running };
          const count = (await db.get<{ count: number }>(OF_KIND, values))?.count ?? 0;
          const lateCount = late.find((one) => one.kind === kind);
          const waiting = Math.max(0, count - running);
          return { kind, waiting, running, late: lateCount?.late ?? 0, oldest: lateCount?.oldest };
        }),
      );
      return counts.filter(({ waiting, running }) => waiting + running > 0);
    },

    async countStreams() {
      return (await db.get<{ count: number }>(WAITING_STREAMS))?.count ?? 0;
    },

    databaseBytes,

    async keepSize(day, since) {
      await db.change(KEEP_SIZE, { day, bytes: await databaseBytes() });
      await db.change(FORGET_SIZES, { since });
    },

    async listSizes() {
      return db.all<DaySize>(SIZES);
    },

    async listAppBudgets() {
      const rows = await db.all<UsedBudget>(BUDGETS);
      return rows.map(({ app, fullAt }) => ({ app: app.slice('app '.length), fullAt }));
    },

    keepChecks: (checks, by) =>
      db.transaction(async (tx) => {
        await tx.change(KEEP_CHECKS, { value: JSON.stringify(checks) });
        const count = (status: string) => checks.checks.filter((one) => one.status === status).length;
        const after = { problems: count('fail'), warnings: count('warn') };
        await auditFor(tx, by, { action: 'system.checked', after });
      }),

    async lastChecks() {
      const row = await db.get<{ value: string }>(LAST_CHECKS);
      return row === undefined ? undefined : (JSON.parse(row.value) as KeptChecks); // as keepChecks wrote it
    },

    async saveAddresses(addresses) {
      const value = JSON.stringify(addresses);
      if (value !== JSON.stringify(await readAddresses(db)))
        await db.change(KEEP_SETTING, { name: 'addresses', value });
    },

    readAddresses: () => readAddresses(db),

    ...backupNotes(db),
  };
}

type BackupNotes = Pick<SystemStore, 'noteBackup' | 'noteBackupFailure' | 'lastBackups'>;

function backupNotes(db: Database): BackupNotes {
  return {
    noteBackup: (backup, by) =>
      db.transaction(async (tx) => {
        await tx.change(KEEP_SETTING, { name: 'last_backup', value: JSON.stringify(backup) });
        await tx.change(FORGET_FAILURE);
        const { name, bytes: size } = backup;
        await auditFor(tx, by, { action: 'backup.made', subject: name, after: { bytes: size } });
      }),

    async noteBackupFailure({ at, reason }) {
      const value = JSON.stringify({ at, reason: reason.slice(0, MOST_REASON) });
      await db.change(KEEP_SETTING, { name: 'last_backup_failure', value });
    },

    lastBackups: () => lastBackups(db),
  };
}
