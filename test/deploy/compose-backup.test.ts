/** The backups of compose.yaml, made by its script with PostgreSQL's own programs. */
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { mkdtemp, readdir, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { after, before, describe, it } from 'node:test';

import { migrate, pendingMigrations } from '../../src/store/drivers/migrate.ts';
import { makeUsers } from '../contract/calendar-rows.ts';
import { counterpart } from '../harness/counterpart.ts';
import { connect } from '../harness/databases.ts';
import { debianPostgres, POSTGRES_PROGRAMS } from '../harness/debian-postgres.ts';
import { administer } from '../harness/migrated.ts';
import { ROOT } from './docs-blocks.ts';

describe('the backups of compose.yaml', counterpart('PostgreSQL', `${POSTGRES_PROGRAMS}/pg_dump`), () => {
  let server: Awaited<ReturnType<typeof debianPostgres>>;
  let folder: string;
  before(async () => {
    server = await debianPostgres();
    folder = await mkdtemp(path.join(tmpdir(), 'kalends-backups-'));
  });
  after(async () => {
    await server?.stop();
    await rm(folder, { recursive: true, force: true });
  });

  const run = (command: string, args: readonly string[], database: string) =>
    spawnSync(command, args, {
      encoding: 'utf8',
      env: {
        ...{ PATH: `${POSTGRES_PROGRAMS}:/usr/bin:/bin`, BACKUP_DIR: folder, BACKUP_KEEP: '2' },
        ...{ PGHOST: '127.0.0.1', PGPORT: String(server.port), PGUSER: 'kalends', PGDATABASE: database },
      },
    });
  const backUp = (database: string) => run('sh', [path.join(ROOT, 'deploy/backup.sh'), 'once'], database);
  const dumps = async () => (await readdir(folder)).sort();

  it('a backup restores into another database, and the newest two are kept', async () => {
    const db = connect({ databaseUrl: server.urlOf('postgres'), dataDir: folder });
    await migrate(db, Date.now, async () => {});
    await makeUsers(db);
    const users = await db.storedRows('SELECT * FROM application_user ORDER BY user_id');
    await db.close();
    for (const day of ['01', '02', '03'])
      await writeFile(path.join(folder, `kalends-2026-01-${day}-000000.dump`), '');

    assert.equal(backUp('postgres').status, 0);
    const [older, newest = ''] = await dumps();
    await administer(server.urlOf('postgres'), 'CREATE DATABASE restored');
    const options = ['--no-owner', '--exit-on-error', '--dbname=restored', path.join(folder, newest)];
    assert.equal(run('pg_restore', options, 'restored').stderr, '');

    const restored = connect({ databaseUrl: server.urlOf('restored'), dataDir: folder });
    const found = await restored.storedRows('SELECT * FROM application_user ORDER BY user_id');
    const pending = await pendingMigrations(restored).finally(() => restored.close());
    assert.deepEqual([older, (await dumps()).length], ['kalends-2026-01-03-000000.dump', 2]);
    assert.deepEqual([found, pending], [users, []]);
  });

  it('a backup that failed deletes none, and is not taken for one', async () => {
    const before = await dumps();

    assert.equal(backUp('missing').status, 1);

    assert.deepEqual(
      (await dumps()).filter((name) => name.endsWith('.dump')),
      before,
    );
  });
});
