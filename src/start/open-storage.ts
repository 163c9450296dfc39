/** Opens the configured database and its stores, for serving and for the command line. */
import type { Caller } from '../audit/audit-entry.ts';
import type { Config } from '../config/config.ts';
import { createWakeUp } from '../jobs/wake-up.ts';
import { listMigrations } from '../store/drivers/apply-migration.ts';
import type { Database } from '../store/drivers/database.ts';
import { inspectDatabase } from '../store/drivers/inspect-database.ts';
import { databaseStates } from '../store/drivers/migrate.ts';
import { openDatabase } from '../store/drivers/open-database.ts';
import { openStores } from '../store/open-stores.ts';
import type { PreparedRestore } from '../system/restore.ts';

const MEGABYTE = 1_000_000;

export type StorageTerms = {
  readonly wrapped?: (db: Database) => Database;
  /** As in `DatabaseSettings`. */
  readonly lockWaitMs?: number;
  readonly awaiting?: (pending: readonly number[]) => void;
  readonly commitWaits?: () => void;
  readonly stopping?: AbortSignal;
};

const same = (db: Database): Database => db;

export type Stores = Awaited<ReturnType<typeof openStorage>>;

/**
 * Creates missing folders, keys and databases, migrates, and opens the stores. Throws an Error that says how to fix it.
 */
export async function openStorage(config: Config, { wrapped = same, ...terms }: StorageTerms = {}) {
  const {
    db: opened,
    sealer,
    masterKeys,
    created,
    exposed,
  } = await openDatabase({ ...config, ...terms }, Date.now);
  const db = wrapped(opened);
  const clockOffset = () => db.server?.clockOffset() ?? 0;
  const wakeUp = createWakeUp();
  const deliveryWakeUp = createWakeUp();
  const { eventsPerCalendar, megabytesPerCalendar, megabytesPerUser } = config.limits;
  const quotas = {
    eventsPerCalendar,
    bytesPerCalendar: megabytesPerCalendar * MEGABYTE,
    bytesPerUser: megabytesPerUser * MEGABYTE,
  };
  return {
    db,
    sealer,
    masterKeys,
    created,
    /** The paths in the data folder that others can still read. */
    exposed,
    /** Returns epoch milliseconds of the clock that all instances share: the server's on PostgreSQL. */
    now: neverBack(() => Date.now() + clockOffset()),
    /** Returns the milliseconds by which that clock is ahead of this machine's. */
    clockOffset,
    /** Returns the number of commits that were not confirmed within 5 seconds and still wait. */
    commitsWaiting: () => db.server?.commitsWaiting() ?? 0,
    ...openStores(db, {
      sealer,
      notify: wakeUp.notify,
      notifyDeliveries: deliveryWakeUp.notify,
      quotas,
      endpointsPerApplication: config.limits.endpointsPerApplication,
    }),
    /** Notified when a store has created a job. */
    wakeUp,
    /** Notified when a store may have made a delivery due. */
    deliveryWakeUp,
    readiness: databaseStates(db),
    backup: (file: string) => db.backup(file),
    clearLog: () => db.clearLog(),
    close: () => db.close(),
  };
}

/** After a larger step back the clock follows, because standing still would lengthen every new lease. */
const MOST_HELD_MS = 5_000;

/** Returns a clock that never goes back while `clock` is up to 5 seconds behind its latest time. */
export function neverBack(clock: () => number): () => number {
  let latest = 0;
  return () => {
    const at = clock();
    if (at > latest || at < latest - MOST_HELD_MS) latest = at;
    return latest;
  };
}

/** Checks a backup and the data that it would replace, for `restore`. `caller` is the actor in the audit log. */
export async function prepareRestore(config: Config, file: string, caller: Caller): Promise<PreparedRestore> {
  // A server has no use for it.
  const { prepareRestore: prepareFile } = await import('../store/restore-backup.ts');
  return prepareFile({ settings: config, file, caller });
}

/** Applies pending migrations, unless it only checks; returns the names of their files. */
export async function migrateStorage(config: Config, { check }: { check: boolean }): Promise<string[]> {
  const report = await inspectStorage(config);
  if (report.state === 'unreachable' && check) throw new Error(`${report.reason}.`);
  const all = await listMigrations();
  if (!check) await (await openDatabase({ ...config, migrations: 'apply' }, Date.now)).db.close();
  const pending = report.state === 'reachable' ? report.pending : undefined;
  return all.filter(({ number }) => pending?.includes(number) ?? true).map(({ file }) => file);
}

/** Inspects the configured database and its key without any change, for `doctor`. */
export const inspectStorage = (config: Config) => inspectDatabase(config, Date.now);
