/** Inspects the configured database for `doctor`, without creating, migrating or writing anything. */
import { stat } from 'node:fs/promises';
import type { Addresses } from '../../config/stored-addresses.ts';
import { masterKeyId } from '../../lib/sealing.ts';
import type { MasterKeyState } from '../../system/master-key.ts';
import type { StorageReport, WatchedCalendars } from '../../system/storage-report.ts';
import type { BackupFailure, LastBackups, NotedBackup } from '../../system/system-store.ts';
import type { Database, Statements } from './database.ts';
import { readKeyFile } from './key-file.ts';
import { findKey, masterKeyState, missingKey, whyUnfit } from './master-key.ts';
import { pendingMigrations } from './migrate.ts';
import { type DatabaseSettings, READ_ONLY, sqliteFileIn } from './open-database.ts';
import { openSqlite } from './sqlite-driver.ts';

const NEWEST = `
  SELECT MAX(at) AS newest FROM (
    SELECT MAX(last_seen_at) AS at FROM application_user
    UNION ALL SELECT MAX(refreshed_at) FROM token_family
    UNION ALL SELECT MAX(updated_at) FROM application) AS instants`;

const WATCHED = `
  SELECT a.provider, CASE WHEN w.state = 'live' AND w.expires_at <= :now THEN 'ended' ELSE w.state END AS state,
         w.reason, COUNT(*) AS count
    FROM provider_watch w JOIN account a ON a.account_key = w.account_key
   WHERE w.calendar_key IS NOT NULL AND w.state <> 'asked'
   GROUP BY 1, 2, 3 ORDER BY 1, 4 DESC, 2, 3`;

const SHARED_KEYS = `
  SELECT DISTINCT client_id FROM application JOIN person_application USING (client_id) JOIN person USING (person_id)
   WHERE own_webhook_keys = 0 AND role = 'developer' ORDER BY 1`;

/** Keys of at most two weeks are expected to expire. */
const EXPIRING_KEYS = `
  SELECT name, expires_at FROM admin_key WHERE expires_at - created_at > ${14 * 24 * 3_600_000}
   ORDER BY expires_at, key_id LIMIT 10`;

const FAPI2 = `
  SELECT client_id, CASE WHEN client_id IN (SELECT client_id FROM client_jwks) THEN 1 ELSE 0 END AS has_keys
    FROM application WHERE profile = 'fapi2' ORDER BY 1`;

/** Identities with a tenant are "oid:TENANT/OBJECT". */
const WITHOUT_TENANT = `
  SELECT COUNT(*) AS count FROM account
   WHERE provider = 'microsoft' AND (identity IS NULL OR identity NOT LIKE 'oid:%')`;

/** Returns a report on the database. Never throws. `now` returns epoch milliseconds. */
export async function inspectDatabase(settings: DatabaseSettings, now: () => number): Promise<StorageReport> {
  const { databaseUrl, databasePrepares: prepares = true, dataDir } = settings;
  let db: Database | undefined;
  let fileBytes: number | undefined;
  try {
    if (databaseUrl === undefined) {
      const file = await stat(sqliteFileIn(dataDir)).catch(() => undefined);
      if (file === undefined || file.size === 0) return { state: 'absent' };
      fileBytes = file.size;
      db = openSqlite(sqliteFileIn(dataDir));
    } else {
      const { openPostgres } = await import('./postgres-driver.ts');
      db = openPostgres(databaseUrl, 1, { prepares, now });
    }
    const pending = await pendingMigrations(db);
    const masterKey = await masterKeyState(db);
    const keyProblem = await findKeyProblem(masterKey, settings);
    if (await db.server?.isReadOnly()) throw new Error(READ_ONLY);
    const clockSkew = db.server?.clockOffset() ?? 0;
    const newestInstant = pending.includes(1) ? undefined : await readNewestInstant(db);
    const watched = pending.length > 0 ? [] : await db.all<WatchedCalendars>(WATCHED, { now: now() });
    const shared = pending.length > 0 ? [] : await db.all<{ clientId: string }>(SHARED_KEYS);
    const adminKeys =
      pending.length > 0 ? [] : await db.all<{ name: string; expiresAt: number }>(EXPIRING_KEYS);
    const fapi2 = pending.length > 0 ? [] : await db.all<{ clientId: string; hasKeys: number }>(FAPI2);
    const untenanted = pending.length > 0 ? undefined : await db.get<{ count: number }>(WITHOUT_TENANT);
    const { engine } = db.dialect;
    const backups = pending.includes(1) ? undefined : await lastBackups(db);
    return {
      state: 'reachable',
      engine,
      pending,
      masterKey,
      keyProblem,
      clockSkew,
      newestInstant,
      watched,
      sharedKeys: shared.map(({ clientId }) => clientId),
      adminKeys,
      fapi2: fapi2.map(({ clientId, hasKeys }) => ({ clientId, hasKeys: hasKeys === 1 })),
      accountsWithoutTenant: untenanted?.count ?? 0,
      begunAt: backups?.begunAt,
      lastBackup: backups?.made?.at,
      fileBytes,
      addresses: pending.includes(1) ? undefined : await readAddresses(db),
    };
  } catch (reason) {
    return {
      state: 'unreachable',
      reason: String(reason)
        .replace(/^\w*Error: /, '')
        .replace(/\.$/, ''),
    };
  } finally {
    await db?.close();
  }
}

async function findKeyProblem(
  state: MasterKeyState,
  settings: DatabaseSettings,
): Promise<string | undefined> {
  const { keyId, next } = state;
  try {
    const { masterKey, masterKeyPrevious, dataDir } = settings;
    const fitting = keyId === undefined ? undefined : await findKey(keyId, settings);
    const first = masterKey ?? fitting ?? (await readKeyFile(dataDir));
    if (first === undefined) return missingKey(keyId, settings);
    const needed = [keyId, next?.keyId].flatMap((one) => one ?? []);
    const keys = await Promise.all(needed.map((one) => findKey(one, settings)));
    if (keys.every((key) => key !== undefined)) return undefined;
    const ours = [first, masterKeyPrevious, ...keys].flatMap((key) => (key ? [masterKeyId(key)] : []));
    return whyUnfit(state, [...new Set(ours)], settings);
  } catch (reason) {
    return reason instanceof Error ? reason.message : String(reason);
  }
}

/** Returns the newest stored instant, which is close to the last use of the database. */
export async function readNewestInstant(db: Database): Promise<number | undefined> {
  const row = await db.get<{ newest: number | null }>(NEWEST);
  return row?.newest ?? undefined;
}

const BEGUN = 'SELECT MIN(applied_at) AS at FROM migration';
const LAST = `SELECT name, value FROM setting WHERE name IN ('last_backup', 'last_backup_failure')`;

/** Returns the last backup and why a later one failed, as systemStore noted them. Throws unless `db` is migrated. */
export async function lastBackups(db: Statements): Promise<LastBackups> {
  const begun = await db.get<{ at: number }>(BEGUN);
  if (begun === undefined) throw new Error('The database has no migrations');
  const rows = await db.all<{ name: string; value: string }>(LAST);
  const findSetting = (name: string) => rows.find((row) => row.name === name)?.value;
  const [made, failure] = [findSetting('last_backup'), findSetting('last_backup_failure')];
  return {
    begunAt: begun.at,
    made: made === undefined ? undefined : (JSON.parse(made) as NotedBackup),
    failure: failure === undefined ? undefined : (JSON.parse(failure) as BackupFailure),
  };
}

const ADDRESSES = `SELECT value FROM setting WHERE name = 'addresses'`;

/** Returns the addresses that systemStore saved. Throws unless `db` is migrated. */
export async function readAddresses(db: Statements): Promise<Addresses | undefined> {
  const row = await db.get<{ value: string }>(ADDRESSES);
  if (row === undefined) return undefined;
  const { url, dashboardUrl }: Addresses = JSON.parse(row.value);
  return { url, dashboardUrl };
}
