/** Contract tests for deleting a user: no table and no byte of the database's files keeps a text of the user. */
import assert from 'node:assert/strict';
import { readdir, readFile } from 'node:fs/promises';
import path from 'node:path';
import { describe, it } from 'node:test';
import type { Database } from '../../src/store/drivers/database.ts';
import { migrate } from '../../src/store/drivers/migrate.ts';
import type { DatabaseSettings } from '../../src/store/drivers/open-database.ts';
import { openStores } from '../../src/store/open-stores.ts';
import { connect } from '../harness/databases.ts';
import { columnsOf, hashOf, type PlantedUser, plantedText, plantUser } from '../harness/planted-user.ts';
import { NOW, sealer } from './calendar-rows.ts';

const CALLER = { actor: { kind: 'command_line', name: 'op' }, address: undefined, now: () => NOW } as const;
/**
 * Columns that keep the access to end for at most a day, until the provider has ended it. They name the account but not
 * the user.
 */
const WAITS = ['account_id', 'account_key', 'credentials', 'identity'].map(
  (column) => `ended_access.${column}`,
);
/** Columns of a code that was not redeemed: it is withdrawn and kept for a day, to report that (docs/privacy.md). */
const WITHDRAWN = [
  'code_challenge',
  'code_hash',
  'coverage_id',
  'dpop_jkt',
  'redirect_uri',
  'resource',
  'user_id',
].map((column) => `token_family.${column}`);

/** Returns the columns that contain a text of the user. */
async function leftIn(db: Database, user: PlantedUser): Promise<string[]> {
  const columns = (await columnsOf(db)).filter(({ isText }) => isText);
  const found: string[] = [];
  for (const { table, column } of columns) {
    const rows = await db.all<{ text: string | undefined }>(`SELECT ${column} AS "text" FROM ${table}`);
    if (rows.some(({ text }) => text?.includes(`${user.mark}-`))) found.push(`${table}.${column}`);
  }
  return found;
}

async function filesOf(folder: string): Promise<[string, Buffer][]> {
  const names = await readdir(folder);
  return Promise.all(names.map(async (name) => [name, await readFile(path.join(folder, name))]));
}

export function userDeletionContract(
  database: string,
  open: () => Promise<Database>,
  place: () => Promise<DatabaseSettings>,
): void {
  describe(`Deleting a user on ${database}`, () => {
    it('no row of any table has a text of a user who was deleted, but for access that is to be ended and a withdrawn code', async () => {
      const db = await open();
      const user = await plantUser(db, sealer, 'canary');
      const before = await leftIn(db, user);

      const deleted = await openStores(db, { sealer }).users.deleteUser(user.clientId, user.userId, {
        now: NOW,
        by: CALLER,
      });

      assert.ok(before.length > 100, 'the scan finds what is there');
      assert.equal(deleted?.accessToEnd, 1);
      // The request log keeps only a hash of the user, whose key is deleted.
      const left = (await leftIn(db, user)).filter((name) => !name.startsWith('request_log.'));
      assert.deepEqual(left.toSorted(), [...WAITS, 'job.key', ...WITHDRAWN]);
    });

    it('access that is to be ended goes with its job, a withdrawn code with its day, and then the scan finds nothing at all', async () => {
      const db = await open();
      const user = await plantUser(db, sealer, 'canary');
      const stores = openStores(db, { sealer });
      await stores.users.deleteUser(user.clientId, user.userId, { now: NOW, by: undefined });

      await stores.endedAccess.deleteEndedAccess('canary-account_key');
      await db.write("DELETE FROM job WHERE kind = 'end-access'");
      await stores.requestLog.deleteOldRequests(NOW + 1);
      await stores.codes.deleteExpiredCodes(NOW + 1);

      assert.deepEqual(await leftIn(db, user), []);
    });

    it('another user keeps everything', async () => {
      const db = await open();
      const user = await plantUser(db, sealer, 'canary');
      const other = await plantUser(db, sealer, 'stranger');
      const before = await leftIn(db, other);

      await openStores(db, { sealer }).users.deleteUser(user.clientId, user.userId, { now: NOW, by: CALLER });

      assert.deepEqual(await leftIn(db, other), before);
      const texts = (await columnsOf(db)).filter((one) => plantedText(one, other) !== undefined);
      assert.ok(texts.length > 100);
    });

    it('the receipt says what was deleted, and the log keeps it under a name that nobody can trace', async () => {
      const db = await open();
      const user = await plantUser(db, sealer, 'canary');

      const deleted = await openStores(db, { sealer }).users.deleteUser(user.clientId, user.userId, {
        now: NOW,
        by: CALLER,
      });

      const { accessToEnd: _, ...counts } = deleted ?? {};
      assert.deepEqual(
        [deleted?.accounts, deleted?.calendars, deleted?.changes, deleted?.deliveries],
        [1, 1, 1, 1],
      );
      const [entry] = await db.all<{ subject: string; was: string }>(
        'SELECT subject, before_change AS "was" FROM audit_entry',
      );
      assert.deepEqual(JSON.parse(entry?.was ?? ''), counts);
      assert.equal(entry?.subject, hashOf(user));
      assert.equal(
        await openStores(db, { sealer }).audit.subjectOfUser(user.clientId, user.userId),
        undefined,
      );
    });

    if (database === 'SQLite') {
      it('no byte of the database’s files has a text of a user who was deleted', async () => {
        const settings = await place();
        const db = connect(settings);
        await migrate(db, Date.now, async () => {});
        const user = await plantUser(db, sealer, 'canary');
        await db.clearLog();
        const before = await filesOf(settings.dataDir);
        const stores = openStores(db, { sealer });
        await stores.users.deleteUser(user.clientId, user.userId, { now: NOW, by: undefined });
        await stores.endedAccess.deleteEndedAccess('canary-account_key');
        await stores.requestLog.deleteOldRequests(NOW + 1);
        await stores.codes.deleteExpiredCodes(NOW + 1);
        await db.write('DELETE FROM job');

        assert.equal(await db.clearLog(), true);

        assert.ok(
          before.some(([, bytes]) => bytes.includes('canary-')),
          'the scan finds what is there',
        );
        const left = (await filesOf(settings.dataDir)).filter(([, bytes]) => bytes.includes('canary-'));
        assert.deepEqual(
          left.map(([name]) => name),
          [],
        );
        await db.close();
      });
    }
  });
}
