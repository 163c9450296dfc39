/** Implements `kalends restore`: a backup is copied, checked and migrated beside the database, then replaces it. */
import { copyFile, rm, stat, statfs, writeFile } from 'node:fs/promises';
import path from 'node:path';
import type { Caller } from '../audit/audit-entry.ts';
import { errorCode } from '../lib/error-code.ts';
import { giveToFolderOwner } from '../lib/private-folder.ts';
import { createKeyring, type Keyring } from '../lib/sealing.ts';
import { syncFile, syncFolder } from '../lib/sync-folder.ts';
import type { PreparedRestore, RestoreChoices, Restored, RestoreReport } from '../system/restore.ts';
import { RestoreError } from '../system/restore-error.ts';
import { HAS_CODE } from './accounts/account-groups.ts';
import { auditFor } from './audit/append-audit.ts';
import type { Database } from './drivers/database.ts';
import { readNewestInstant } from './drivers/inspect-database.ts';
import { findKey, fitKeys, masterKeyState } from './drivers/master-key.ts';
import { migrate, pendingMigrations } from './drivers/migrate.ts';
import { type DatabaseSettings, makeDataFolder, sqliteFileIn } from './drivers/open-database.ts';
import { openSqlite } from './drivers/sqlite-driver.ts';
import { checkIntegrity, isWholeFile } from './drivers/sqlite-file.ts';
import { openStores } from './open-stores.ts';
import { type Ended, LockedDatabase } from './sqlite-present.ts';

const END_GRANT = 'UPDATE token_family SET ended_at = :now WHERE family_id = :familyId AND ended_at IS NULL';
const END_GRANTS = 'UPDATE token_family SET ended_at = :now WHERE ended_at IS NULL';
/** Ends one-time secrets that may have been used since the backup: codes, links and sign-ins to the dashboard. */
const END_ONCE = [
  `UPDATE token_family SET withdrawn_at = :now WHERE ${HAS_CODE} AND withdrawn_at IS NULL`,
  'DELETE FROM invitation WHERE expires_at > :now',
  'DELETE FROM person_session WHERE created_at <= :now',
  // No instance of that time still runs.
  'DELETE FROM instance WHERE started_at <= :now',
];
/** Ends all feeds: numbers that cursors have from after the backup are given to other changes. */
const END_FEEDS = 'UPDATE application_user SET feed_id = NULL';

type RestoreTerms = { readonly settings: DatabaseSettings; readonly file: string; readonly caller: Caller };

/** Prepares a restore, which is audited as `caller`. If it throws RestoreError, nothing has changed. */
export async function prepareRestore({ settings, file, caller }: RestoreTerms): Promise<PreparedRestore> {
  const { databaseUrl, dataDir } = settings;
  if (databaseUrl !== undefined)
    throw new RestoreError(
      'The database is PostgreSQL: restore it with pg_restore, as described in docs/disaster-recovery.md.',
    );
  const bytes = await backupBytes(file);
  await makeDataFolder(dataDir);
  const target = sqliteFileIn(dataDir);
  const copy = `${target}.restoring`;
  const present = LockedDatabase.lock(target);
  const discard = async () => {
    present.unlock();
    for (const side of ['', '-wal', '-shm']) await rm(copy + side, { force: true });
  };
  try {
    await copyTo(copy, file, bytes);
    const { ring, ...checked } = await checkedCopy(copy, settings, caller.now);
    const { found, ended } = present.compare(copy);
    const report: RestoreReport = { file, bytes, ...checked, present: found };
    return {
      report,
      discard,
      async apply(choices) {
        try {
          const endedAgain = await finishCopy(copy, { ...choices, ended, ring, caller, file });
          const aside = asideIn(dataDir, caller.now());
          const wasThere = await present.replace(copy, aside);
          await syncFolder(dataDir);
          return { keptAside: wasThere ? aside : undefined, endedAgain };
        } finally {
          await discard();
        }
      },
    };
  } catch (reason) {
    await discard();
    throw reason;
  }
}

const asideIn = (dataDir: string, now: number): string =>
  path.join(dataDir, `kalends-before-restore-${new Date(now).toISOString().replace(/[:.]/g, '')}.db`);

async function backupBytes(file: string): Promise<number> {
  try {
    const { size } = await stat(file);
    if (await isWholeFile(file)) return size;
  } catch (cause) {
    const code = errorCode(cause);
    const why = code === undefined ? '' : ` (${code})`;
    throw new RestoreError(`The file ${file} cannot be read${why}.`, { cause });
  }
  throw new RestoreError(`${file} is not a complete SQLite database: use another backup.`);
}

/** Copies the file. From the first byte, only the owner may read the copy. */
async function copyTo(copy: string, file: string, bytes: number): Promise<void> {
  for (const side of ['', '-wal', '-shm']) await rm(copy + side, { force: true });
  const { bavail, bsize } = await statfs(path.dirname(copy));
  if (bavail * bsize < bytes)
    throw new RestoreError(
      `The disk of ${path.dirname(copy)} has too little space for a copy of ${bytes} bytes: free some space, then run this again.`,
    );
  await writeFile(copy, '', { mode: 0o600 });
  await giveToFolderOwner(path.dirname(copy), copy);
  await copyFile(file, copy);
}

type Checked = Pick<RestoreReport, 'asOf' | 'migrated' | 'keyId'> & { readonly ring: Keyring };

/** Checks that the copy is whole, of Kalends, of a known version and under a key that exists, then migrates it. */
async function checkedCopy(copy: string, settings: DatabaseSettings, now: () => number): Promise<Checked> {
  const damage = checkIntegrity(copy);
  if (damage !== undefined) throw new RestoreError(`The backup is damaged (${damage}): use another one.`);
  const db = openSqlite(copy);
  try {
    const state = await masterKeyState(db);
    const { keyId } = state;
    if (keyId === undefined)
      throw new RestoreError('The file is not a backup of Kalends: it has no master key.');
    const migrated = await pendingMigrations(db).catch((cause) => {
      throw new RestoreError(cause instanceof Error ? cause.message : String(cause), { cause });
    });
    const key = await findKey(keyId, settings);
    if (key === undefined)
      throw new RestoreError(
        `The backup is sealed under master key ${keyId}, which is missing. Put that key into ${path.join(settings.dataDir, `master.key.${keyId}`)}, or set KALENDS_MASTER_KEY to it: without it, no credentials can be opened.`,
      );
    const ring = createKeyring(key);
    const problem = await fitKeys(ring, state, settings);
    if (problem !== undefined) throw new RestoreError(problem);
    const asOf = await readNewestInstant(db);
    await migrate(db, now, async () => {});
    return { asOf, migrated, keyId, ring };
  } finally {
    await db.close();
  }
}

type Finishing = RestoreChoices & {
  readonly ended: Ended;
  readonly ring: Keyring;
  readonly caller: Caller;
  readonly file: string;
};

/** Ends one-time secrets and everything that ended since the backup. When it returns, the copy is on the disk. */
async function finishCopy(copy: string, finishing: Finishing): Promise<Restored['endedAgain']> {
  const { asItWas, endAllGrants, caller, file } = finishing;
  const now = caller.now();
  const db = openSqlite(copy);
  try {
    await db.transaction(async (tx) => {
      for (const sql of END_ONCE) await tx.change(sql, { now });
      await tx.change(END_FEEDS);
      if (endAllGrants) await tx.change(END_GRANTS, { now });
    });
    const endedAgain = asItWas ? NOTHING : await endAgain(db, finishing, now);
    await db.transaction((tx) =>
      auditFor(tx, caller, { action: 'backup.restored', subject: path.basename(file).slice(0, 200) }),
    );
    return endedAgain;
  } finally {
    await db.close();
    await syncFile(copy);
  }
}

const NOTHING = { applications: 0, users: 0, accounts: 0, grants: 0, people: 0 };

async function endAgain(
  db: Database,
  { ended, ring }: Finishing,
  now: number,
): Promise<Restored['endedAgain']> {
  const stores = openStores(db, { sealer: ring });
  const counts = { ...NOTHING };
  await db.transaction(async (tx) => {
    for (const { family_id: familyId = 0 } of ended.grants) await tx.change(END_GRANT, { familyId, now });
  });
  counts.grants = ended.grants.length;
  for (const { client_id: clientId, user_id: userId } of ended.users)
    if (await stores.users.deleteUser(String(clientId), String(userId), { now, by: undefined }))
      counts.users++;
  for (const { client_id: clientId } of ended.applications)
    if (await stores.clients.deleteClient(String(clientId), now, undefined)) counts.applications++;
  for (const { account_key: accountKey } of ended.accounts)
    if (await stores.accounts.removeAccount(String(accountKey), now, undefined)) counts.accounts++;
  for (const { person_id: personId } of ended.people)
    if ((await stores.people.removePerson(String(personId), undefined)) === true) counts.people++;
  return counts;
}
