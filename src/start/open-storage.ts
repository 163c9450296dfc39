/** Opens the configured database with every store on it: for serving and for the command line. */
import type { Caller } from '../audit/audit-entry.ts';
import type { Config } from '../config/config.ts';
import { createWakeUp } from '../jobs/wake-up.ts';
import type { Database } from '../store/drivers/database.ts';
import { inspectDatabase } from '../store/drivers/inspect-database.ts';
import { databaseStates } from '../store/drivers/migrate.ts';
import { openDatabase } from '../store/drivers/open-database.ts';
import { openStores } from '../store/open-stores.ts';
import { prepareRestore as prepareRestoreOf } from '../store/restore-backup.ts';
import type { PreparedRestore } from '../system/restore.ts';

const MEGABYTE = 1_000_000;

export type StorageTerms = {
  /** Wraps the database for the stores. */
  readonly wrapped?: (db: Database) => Database;
  /** As `DatabaseSettings` has it. */
  readonly lockWaitMs?: number;
  /** As `DatabaseSettings` has it. */
  readonly stopping?: AbortSignal;
};

const same = (db: Database): Database => db;

export type Stores = Awaited<ReturnType<typeof openStorage>>;

/**
 * Creates the folder, key and database that are missing, migrates, and returns every store. Throws an Error that says
 * what to do if the database or its key is unavailable.
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
    /** Whether this start created the database. */
    created,
    /** The paths in the data folder that others can still read. */
    exposed,
    /** Returns epoch milliseconds on the clock that all instances share: the server's on PostgreSQL. */
    now: neverBack(() => Date.now() + clockOffset()),
    /** Returns how many milliseconds that clock is ahead of this machine's. */
    clockOffset,
    ...openStores(db, {
      sealer,
      notify: wakeUp.notify,
      notifyDeliveries: deliveryWakeUp.notify,
      quotas,
      endpointsPerApplication: config.limits.endpointsPerApplication,
    }),
    /** Notified when one of these stores created a job. */
    wakeUp,
    /** Notified when one of these stores may have made a delivery due. */
    deliveryWakeUp,
    readiness: databaseStates(db),
    backup: (file: string) => db.backup(file),
    clearLog: () => db.clearLog(),
    close: () => db.close(),
  };
}

/** A larger step back is followed: standing still for long would lengthen every new lease. */
const MOST_HELD_MS = 5_000;

/** Returns a clock that keeps its latest time while `clock` is behind it by up to 5 seconds. */
export function neverBack(clock: () => number): () => number {
  let latest = 0;
  return () => {
    const at = clock();
    if (at > latest || at < latest - MOST_HELD_MS) latest = at;
    return latest;
  };
}

/** Checks a backup and the data that it would replace; for `restore`. Its changes are audited as the caller's. */
export const prepareRestore = (config: Config, file: string, caller: Caller): Promise<PreparedRestore> =>
  prepareRestoreOf({ settings: config, file, caller });

/** Inspects the configured database and its key without creating or changing anything; for `doctor`. */
export const inspectStorage = (config: Config) => inspectDatabase(config, Date.now);
