/** Opens the configured database with every store on it: for serving and for the command line. */
import type { Caller } from '../audit/audit-entry.ts';
import type { Config } from '../config/config.ts';
import { createWakeUp } from '../jobs/wake-up.ts';
import type { Database } from '../store/drivers/database.ts';
import { inspectDatabase } from '../store/drivers/inspect-database.ts';
import { openDatabase } from '../store/drivers/open-database.ts';
import { databaseStates } from '../store/drivers/readiness.ts';
import { openStores } from '../store/open-stores.ts';
import { prepareRestore as prepareRestoreOf } from '../store/restore-backup.ts';
import type { PreparedRestore } from '../system/restore.ts';

const MEGABYTE = 1_000_000;

export type StorageTerms = {
  /** What the stores work with in place of the database. */
  readonly wrapped?: (db: Database) => Database;
  /** As `DatabaseSettings` has it. */
  readonly lockWaitMs?: number;
  /** As `DatabaseSettings` has it. */
  readonly stopping?: AbortSignal;
};

const same = (db: Database): Database => db;

export type Stores = Awaited<ReturnType<typeof openStorage>>;

/**
 * Makes what is missing (folder, key, database), migrates, and answers every store. Throws a sentence
 * that says what to do when the database or its key is not to be had.
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
    /** Whether this start made the database. */
    created,
    /** What others can read of the data folder all the same. */
    exposed,
    /** Epoch milliseconds by the clock that all instances share: the server's on PostgreSQL. */
    now: neverBack(() => Date.now() + clockOffset()),
    /** By how many milliseconds that clock is ahead of this machine's. */
    clockOffset,
    ...openStores(db, {
      sealer,
      notify: wakeUp.notify,
      notifyDeliveries: deliveryWakeUp.notify,
      quotas,
      endpointsPerApplication: config.limits.endpointsPerApplication,
    }),
    /** Notified when one of these stores made a job. */
    wakeUp,
    /** Notified when one of these stores may have made a delivery due. */
    deliveryWakeUp,
    readiness: databaseStates(db),
    backup: (file: string) => db.backup(file),
    clearLog: () => db.clearLog(),
    close: () => db.close(),
  };
}

/** A larger step back of a clock is followed: standing still for long would lengthen every lease that begins meanwhile. */
const MOST_HELD_MS = 5_000;

/** Returns a clock that stands still while `clock` is behind its latest time by up to 5 seconds. */
export function neverBack(clock: () => number): () => number {
  let latest = 0;
  return () => {
    const at = clock();
    if (at > latest || at < latest - MOST_HELD_MS) latest = at;
    return latest;
  };
}

/** Checks a backup and what it would take the place of; for `restore`. What it changes is audited as the caller's. */
export const prepareRestore = (config: Config, file: string, caller: Caller): Promise<PreparedRestore> =>
  prepareRestoreOf({ settings: config, file, caller });

/** Looks at the configured database and its key without making or changing anything; for `doctor`. */
export const inspectStorage = (config: Config) => inspectDatabase(config, Date.now);
