/** `kalends restore`: what it checks and refuses, what it says, and what lives afterwards. */
import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { readdir, readFile, rm, stat, truncate, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { after, describe, it } from 'node:test';

import { loadConfig } from '../../src/config/config.ts';
import { openStorage } from '../../src/start/open-storage.ts';
import { makeUsers, NOW } from '../contract/calendar-rows.ts';
import { makeFamily } from '../contract/grant-rows.ts';
import { type CommandLine, openCommandLine } from './cli-run.ts';

const opened: CommandLine[] = [];
const begin = async (variables: Record<string, string> = {}) => {
  const cli = await openCommandLine(variables);
  opened.push(cli);
  const withStorage = async <T>(work: (storage: Awaited<ReturnType<typeof openStorage>>) => Promise<T>) => {
    const storage = await openStorage(loadConfig({ KALENDS_DATA_DIR: cli.dataDir, ...variables }));
    return work(storage).finally(() => storage.close());
  };
  const file = path.join(cli.dataDir, 'copy.db');
  const livingGrants = () =>
    withStorage(async ({ db }) =>
      (
        await db.all<{ userId: string }>(
          'SELECT user_id AS "userId" FROM token_family WHERE ended_at IS NULL ORDER BY user_id',
        )
      ).map(({ userId }) => userId),
    );
  return { cli, file, withStorage, livingGrants };
};
after(async () => {
  for (const cli of opened) await cli.close();
});

/** Two users with a grant each, in a backup. */
async function withBackup(variables: Record<string, string> = {}) {
  const begun = await begin(variables);
  await begun.withStorage(async ({ db }) => {
    await makeUsers(db);
    for (const userId of ['ada', 'ben']) await makeFamily(db, { clientId: 'acme', userId });
  });
  assert.equal((await begun.cli.json('backup', begun.file)).exitCode, 0);
  return begun;
}

const contentOf = async (folder: string) => {
  const names = (await readdir(folder)).filter((name) => !/^copy|-(wal|shm)$/.test(name)).sort();
  return Promise.all(names.map(async (name) => [name, (await stat(path.join(folder, name))).size]));
};

describe('kalends restore', () => {
  it('kalends restore says what is lost, ends again what was ended since, and keeps what was there', async () => {
    const { cli, file, withStorage, livingGrants } = await withBackup();
    await withStorage(async ({ db, users }) => {
      await db.write(`UPDATE token_family SET ended_at = :now WHERE user_id = 'ada'`, { now: NOW });
      await users.deleteUser('acme', 'ben', { now: NOW, by: undefined });
      await db.write(
        `INSERT INTO application_user (client_id, user_id, created_at, last_seen_at) VALUES ('acme', 'new', :now, :now)`,
        { now: NOW },
      );
      await makeFamily(db, { clientId: 'acme', userId: 'new' });
    });

    const { exitCode, document } = await cli.json('restore', file, '--yes');

    assert.equal(exitCode, 0);
    assert.deepEqual(document.present, {
      state: 'readable',
      lost: { applications: 0, users: 1, accounts: 0, grants: 1, people: 0 },
      ended: { applications: 0, users: 1, accounts: 0, grants: 2, people: 0 },
      refreshed: 0,
      secrets_changed: 0,
    });
    assert.deepEqual(document.ended_again, { applications: 0, users: 1, accounts: 0, grants: 2, people: 0 });
    assert.deepEqual(await livingGrants(), []);
    const users = await withStorage(({ db }) =>
      db.all<{ id: string }>('SELECT user_id AS "id" FROM application_user'),
    );
    assert.deepEqual(
      users.map(({ id }) => id),
      ['ada'],
    );
    const aside = new DatabaseSync(String(document.kept_aside), { readOnly: true });
    const kept = aside.prepare('SELECT user_id FROM application_user ORDER BY user_id').all();
    aside.close();
    assert.deepEqual(
      kept.map(({ user_id }) => user_id),
      ['ada', 'new'],
    );
    const [entry] = await withStorage(({ audit }) => audit.listEntries({}, { limit: 1 }));
    assert.deepEqual([entry?.action, entry?.subject], ['backup.restored', 'copy.db']);
    assert.ok(!(await readdir(cli.dataDir)).some((name) => name.includes('restoring')));
    assert.equal((await stat(path.join(cli.dataDir, 'kalends.db'))).mode & 0o777, 0o600);
  });

  it('kalends restore leaves what was ended since living with --as-it-was, and nothing with --end-all-grants', async () => {
    const { cli, file, withStorage, livingGrants } = await withBackup();
    await withStorage(({ db }) => db.write('UPDATE token_family SET ended_at = :now', { now: NOW }));
    const living: string[][] = [];
    for (const option of ['--as-it-was', '--end-all-grants']) {
      await cli.json('restore', file, option, '--yes');
      living.push(await livingGrants());
    }

    assert.deepEqual(living, [['ada', 'ben'], []]);
  });

  it('kalends restore ends every feed, so that no cursor from after the backup is accepted', async () => {
    const { cli, file, withStorage } = await begin();
    const ada = { clientId: 'acme', userId: 'ada' };
    const before = await withStorage(async ({ db, changes }) => {
      await makeUsers(db);
      return changes.follow(ada, NOW);
    });
    await cli.json('backup', file);

    await cli.json('restore', file, '--as-it-was', '--yes');

    const after = await withStorage(({ changes }) => changes.follow(ada, NOW));
    assert.ok(before !== undefined && after !== undefined);
    assert.notEqual(after.feedId, before.feedId);
  });

  it('kalends restore takes over from a database that is damaged, and says that nobody knows what it had', async () => {
    const { cli, file, livingGrants } = await withBackup();
    await writeFile(path.join(cli.dataDir, 'kalends.db'), randomBytes(8192));

    const { exitCode, document } = await cli.json('restore', file, '--yes');

    assert.equal(exitCode, 0);
    assert.equal((document.present as { state: string }).state, 'unreadable'); // of its document
    assert.deepEqual(await livingGrants(), ['ada', 'ben']);
    assert.equal((await readFile(String(document.kept_aside))).length, 8192);
  });

  it('kalends restore makes a database where there is none', async () => {
    const { cli, file, livingGrants } = await withBackup();
    await rm(path.join(cli.dataDir, 'kalends.db'));

    const { document } = await cli.json('restore', file, '--yes');

    assert.deepEqual([document.present, document.kept_aside], [{ state: 'absent' }, null]);
    assert.deepEqual(await livingGrants(), ['ada', 'ben']);
  });

  it('kalends restore changes nothing where a person does not say yes, or nobody is there to ask', async () => {
    const { cli, file } = await withBackup();
    const before = await contentOf(cli.dataDir);

    const asked = await cli.run(['restore', file], 'no');
    const alone = await cli.json('restore', file);

    assert.deepEqual([asked.exitCode, alone.exitCode], [1, 2]);
    assert.match(asked.stderr, /Will be lost, since it is newer: .*Nothing was changed/s);
    assert.deepEqual(await contentOf(cli.dataDir), before);
  });

  it('kalends restore brings a backup back that is under the key before, which stays in the folder', async () => {
    const { cli, file, withStorage } = await withBackup();
    const keyId = () => withStorage(async ({ sealer }) => sealer.keyId);
    const before = await keyId();
    await cli.json('keys', 'rotate-master');
    assert.notEqual(await keyId(), before);

    const { exitCode } = await cli.json('restore', file, '--yes');

    assert.equal(exitCode, 0);
    assert.equal(await keyId(), before);
  });

  it('kalends restore leaves PostgreSQL to pg_restore', async () => {
    const { cli, file } = await begin({ KALENDS_DATABASE_URL: 'postgres://a@127.0.0.1:1/b' });

    assert.match(String((await cli.json('restore', file, '--yes')).document.message), /pg_restore/);
  });
});

describe('a backup that kalends restore refuses', () => {
  const edit = (file: string, sql: string) => {
    const db = new DatabaseSync(file);
    db.exec(sql);
    db.close();
  };
  const CASES: readonly [string, RegExp, (file: string) => Promise<unknown> | unknown][] = [
    ['is not there', /cannot be read \(ENOENT\)/, (file) => rm(file)],
    ['is no database', /not a complete SQLite database/, (file) => writeFile(file, 'words')],
    [
      'was cut off',
      /not a complete SQLite database/,
      async (file) => truncate(file, (await stat(file)).size - 4096),
    ],
    [
      'is damaged within',
      /The backup is damaged/,
      async (file) => {
        const bytes = await readFile(file);
        bytes.fill(0xee, 3 * 4096, bytes.length - 4096);
        await writeFile(file, bytes);
      },
    ],
    [
      'is of something else',
      /not a backup of Kalends/,
      (file) => edit(file, 'DROP TABLE setting; DROP TABLE migration'),
    ],
    [
      'is of a newer version',
      /migration 9999, which this version of Kalends does not know/,
      (file) => edit(file, "INSERT INTO migration VALUES (9999, 'later', 0)"),
    ],
    [
      'is under a key that is not here',
      /sealed under master key 0123456789abcdef, which is missing.*master\.key\.0123456789abcdef/,
      (file) => edit(file, "UPDATE setting SET value = '0123456789abcdef' WHERE name = 'master_key'"),
    ],
  ];
  for (const [name, message, spoil] of CASES) {
    it(`a backup that ${name} is refused, and everything is as it was`, async () => {
      const { cli, file, livingGrants } = await withBackup();
      await spoil(file);
      const before = await contentOf(cli.dataDir);

      const { exitCode, document } = await cli.json('restore', file, '--yes');

      assert.equal(exitCode, 1);
      assert.match(String(document.message), message);
      assert.deepEqual(await contentOf(cli.dataDir), before);
      assert.deepEqual(await livingGrants(), ['ada', 'ben']);
    });
  }

  it('a backup is not restored while a server uses the database', async () => {
    const { cli, file, withStorage } = await withBackup();

    const { exitCode, document } = await withStorage(() => cli.json('restore', file, '--yes'));

    assert.equal(exitCode, 1);
    assert.match(String(document.message), /is in use: stop "kalends serve"/);
  });
});
