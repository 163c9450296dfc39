/** Opening a database: the first process completes it, under one permanent master key. */
import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { chmod, readdir, readFile, rm, stat, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { describe, it } from 'node:test';

import { masterKeyId } from '../../src/lib/sealing.ts';
import { inspectDatabase } from '../../src/store/drivers/inspect-database.ts';
import { databaseStates, pendingMigrations } from '../../src/store/drivers/migrate.ts';
import { type DatabaseSettings, openDatabase, sqliteFileIn } from '../../src/store/drivers/open-database.ts';
import { NOW, newAccount, openWithUsers } from '../contract/calendar-rows.ts';
import { connect, onEachDatabase } from '../harness/databases.ts';
import { rounds, scale } from '../harness/rounds.ts';

const CHILD = path.resolve(import.meta.dirname, 'database-child.ts');
const MODES = 0o777;
/** The tables of a database whose first migration was begun. */
const BEGUN = `
  CREATE TABLE lease (name TEXT PRIMARY KEY, holder TEXT NOT NULL, expires_at BIGINT NOT NULL);
  CREATE TABLE setting (name TEXT PRIMARY KEY, value TEXT NOT NULL);
  CREATE TABLE migration (number BIGINT PRIMARY KEY, name TEXT NOT NULL, applied_at BIGINT NOT NULL)`;

type Outcome = { keyId?: string; refused?: string };

/** Opens the database in another process and returns its outcome. */
async function openInProcess({ masterKey, ...settings }: DatabaseSettings): Promise<Outcome> {
  const text = JSON.stringify({ ...settings, masterKey: masterKey?.toString('base64') });
  const child = spawn(process.execPath, [CHILD, 'open', text], { stdio: ['ignore', 'pipe', 'inherit'] });
  const closed = once(child, 'close');
  let output = '';
  for await (const chunk of child.stdout) output += chunk;
  await closed;
  // The child prints one line of JSON of this shape.
  return JSON.parse(output) as Outcome;
}

const open = (settings: DatabaseSettings) => openDatabase(settings, Date.now);

onEachDatabase((name, _, place) => {
  describe(`Opening ${name}`, () => {
    it('opening a database brings up two processes that start at once on an empty one, with one key', async () => {
      for (let round = 0; round < rounds(scale() < 20 ? 3 : 10); round++) {
        const settings = await place();
        // Two machines share their key, two processes on one folder the file in it.
        const shared = name === 'SQLite' ? settings : { ...settings, masterKey: randomBytes(32) };

        const [one, other] = await Promise.all([openInProcess(shared), openInProcess(shared)]);

        assert.deepEqual([one.refused, other.refused], [undefined, undefined]);
        assert.equal(one.keyId, other.keyId);
        const { db, created } = await open(shared);
        assert.deepEqual(await pendingMigrations(db), []);
        assert.equal(created, false);
        assert.deepEqual(await db.all('SELECT name FROM lease'), []);
        await db.close();
      }
    });

    it('opening a database refuses an instance with another key, and names the setting', async () => {
      const settings = await place();
      const { db } = await open({ ...settings, masterKey: randomBytes(32) });
      await db.close();

      await assert.rejects(open({ ...settings, masterKey: randomBytes(32) }), {
        name: 'StartRefused',
        message: /sealed under master key [\da-f]{16}, but this instance has [\da-f]{16}.*KALENDS_MASTER_KEY/,
      });
    });

    it('opening a database lets one of two instances with different keys in that start at once on an empty one', async () => {
      const settings = await place();

      const outcomes = await Promise.all(
        [1, 2].map(() => openInProcess({ ...settings, masterKey: randomBytes(32) })),
      );

      assert.equal(outcomes.filter(({ keyId }) => keyId !== undefined).length, 1);
      assert.match(outcomes.map(({ refused }) => refused ?? '').join(''), /KALENDS_MASTER_KEY/);
    });

    it('opening a database refuses, and makes no new key, when the key of an existing one is gone', async () => {
      const settings = await place();
      await (await open(settings)).db.close();
      await rm(path.join(settings.dataDir, 'master.key'));

      await assert.rejects(open(settings), { name: 'StartRefused', message: /KALENDS_MASTER_KEY/ });

      assert.ok(!(await readdir(settings.dataDir)).includes('master.key'));
    });

    it('opening a database refuses one that a newer version made', async () => {
      const settings = await place();
      const { db } = await open(settings);
      await db.write("INSERT INTO migration (number, name, applied_at) VALUES (9999, 'later', 0)");
      const running = await databaseStates(db)();
      await db.close();

      await assert.rejects(open(settings), /migration 9999, which this version of Kalends does not know/);
      const report = await inspectDatabase(settings, Date.now);
      assert.match(report.state === 'unreachable' ? report.reason : '', /migration 9999/);
      assert.equal(running, 'ready', 'whoever was there before goes on');
    });

    it('opening a database takes over from an instance that died while it migrated, once its lease has run out', async () => {
      const settings = await place();
      const begun = connect(settings);
      const until = Date.now() + 500;
      await begun.script(BEGUN, async (tx) => {
        await tx.all("INSERT INTO lease (name, holder, expires_at) VALUES ('migration', 'dead', :until)", {
          until,
        });
      });
      await begun.close();

      const { db } = await open(settings);

      assert.ok(Date.now() >= until, 'waited for the lease');
      assert.deepEqual(await pendingMigrations(db), []);
      await db.close();
    });

    it('doctor gets a report about a database without creating or changing it', async () => {
      const settings = await place();
      const { db, sealer } = await open(settings);
      const now = Date.now();
      await db.write(
        `INSERT INTO application (client_id, name, redirect_uri, created_at, updated_at)
         VALUES ('c', 'n', 'r', :now, :now)`,
        { now },
      );
      await db.close();

      const engine = name === 'SQLite' ? 'sqlite' : 'postgres';
      const report = await inspectDatabase(settings, Date.now);
      assert.ok(report.state === 'reachable');
      assert.ok(Math.abs(report.clockSkew) < 1000);
      const { clockSkew: __, begunAt, fileBytes = 0, ...rest } = report;
      assert.ok(begunAt !== undefined && begunAt <= now);
      assert.equal(fileBytes > 0, engine === 'sqlite');
      assert.deepEqual(rest, {
        state: 'reachable',
        engine,
        pending: [],
        masterKey: { keyId: sealer.keyId, next: undefined, before: undefined },
        keyProblem: undefined,
        newestInstant: now,
        watched: [],
        sharedKeys: [],
        adminKeys: [],
        fapi2: [],
        accountsWithoutTenant: 0,
        lastBackup: undefined,
        addresses: undefined,
      });

      const other = await inspectDatabase({ ...settings, masterKey: randomBytes(32) }, Date.now);
      assert.match((other.state === 'reachable' && other.keyProblem) || '', new RegExp(sealer.keyId));
    });

    it('opening a database tells doctor how many Microsoft accounts have no known tenant', async () => {
      const settings = await place();
      const { db } = await open(settings);
      const { accounts } = await openWithUsers(async () => db);
      for (const [accountId, identity] of [
        ['a', 'oid:9188040d-6c67-4c5b-b112-36a304b66dad/a'],
        ['b', 'sub:b https://issuer.example'],
        ['c', 'replaced'],
      ] as const)
        await accounts.linkAccount(newAccount({ provider: 'microsoft', accountId, identity }), NOW);
      await accounts.linkAccount(newAccount({ provider: 'google', identity: 'sub:d' }), NOW);
      await db.write("UPDATE account SET identity = NULL WHERE account_id = 'c'");
      await db.close();

      const report = await inspectDatabase(settings, Date.now);

      assert.equal(report.state === 'reachable' && report.accountsWithoutTenant, 2);
    });
  });
});

onEachDatabase((name, _, place) => {
  if (name !== 'PostgreSQL') return;
  describe('The master key on PostgreSQL', () => {
    const REFUSAL = /no master key.*KALENDS_MASTER_KEY.*openssl rand -base64 32.*KALENDS_MASTER_KEY=generate/;

    it('the master key on PostgreSQL is not created unasked: the start is refused and changes nothing', async () => {
      const { dataDir, ...settings } = await place();
      const unasked = { ...settings, dataDir: path.join(dataDir, 'not-there'), createsMasterKey: false };

      await assert.rejects(open(unasked), { name: 'StartRefused', message: REFUSAL });

      const report = await inspectDatabase(unasked, Date.now);
      assert.match((report.state === 'reachable' && report.keyProblem) || '', REFUSAL);
      assert.ok(report.state === 'reachable' && report.pending.includes(1));
      assert.deepEqual(await readdir(dataDir), []);
    });

    it('the master key on PostgreSQL is the file in the data folder if there is one', async () => {
      const settings = await place();
      const key = randomBytes(32);
      await writeFile(path.join(settings.dataDir, 'master.key'), key.toString('base64'));

      for (const createsMasterKey of [false, true]) {
        const { db, sealer } = await open({ ...settings, createsMasterKey });
        await db.close();
        assert.equal(sealer.keyId, masterKeyId(key));
      }
    });
  });
});

onEachDatabase((name, _, place) => {
  if (name !== 'SQLite') return;
  describe('The data folder', () => {
    it('the data folder is made at first start, for its owner alone, with the key and the database in it', async () => {
      const settings = await place();
      const dataDir = path.join(settings.dataDir, 'not', 'there');

      const { db, created } = await open({ ...settings, dataDir });

      assert.equal(created, true);
      const modeOf = async (file: string) => (await stat(file)).mode & MODES;
      assert.equal(await modeOf(dataDir), 0o700);
      assert.equal(await modeOf(path.join(dataDir, 'master.key')), 0o600);
      for (const suffix of ['', '-wal', '-shm']) {
        assert.equal(await modeOf(`${sqliteFileIn(dataDir)}${suffix}`), 0o600, suffix);
      }
      const key = Buffer.from(await readFile(path.join(dataDir, 'master.key'), 'utf8'), 'base64');
      assert.equal(key.length, 32);
      await db.close();
      assert.deepEqual((await readdir(dataDir)).toSorted(), ['kalends.db', 'master.key']);
    });

    it('the data folder is taken from others where it was open to them, with what is in it, and not from its group', async () => {
      const { dataDir, ...settings } = await place();
      await (await open({ ...settings, dataDir })).db.close();
      const files = ['kalends.db', 'master.key', 'old.db'].map((file) => path.join(dataDir, file));
      await writeFile(path.join(dataDir, 'old.db'), '');
      await writeFile(path.join(dataDir, 'notes.txt'), '');
      const modes = () =>
        Promise.all([dataDir, ...files].map(async (file) => (await stat(file)).mode & MODES));
      const reopened = async (folder: number, file: number) => {
        await chmod(dataDir, folder);
        for (const one of files) await chmod(one, file);
        const { db, exposed } = await open({ ...settings, dataDir });
        await db.close();
        return [exposed, ...(await modes())];
      };

      const ofOthers = await reopened(0o755, 0o644);
      const ofGroup = await reopened(0o2770, 0o660);

      assert.deepEqual(ofOthers, [[], 0o700, 0o600, 0o600, 0o600]);
      assert.deepEqual(ofGroup, [[], 0o770, 0o660, 0o660, 0o660]);
      assert.equal((await stat(path.join(dataDir, 'notes.txt'))).mode & 0o004, 0o004, 'it is none of ours');
    });

    it('the data folder that is somebody else’s is left as it is, and named', async () => {
      const { dataDir, ...settings } = await place();
      await (await open({ ...settings, dataDir })).db.close();
      await chmod(dataDir, 0o755);
      const { getuid } = process;
      process.getuid = () => -2;
      try {
        const { db, exposed } = await open({ ...settings, dataDir });
        await db.close();

        assert.deepEqual(exposed, [dataDir]);
        assert.equal((await stat(dataDir)).mode & MODES, 0o755);
      } finally {
        if (getuid !== undefined) process.getuid = getuid;
      }
    });

    it('the data folder keeps the key it has, in base64 or hex', async () => {
      const settings = await place();
      const key = randomBytes(32);
      await writeFile(path.join(settings.dataDir, 'master.key'), `${key.toString('hex')}\n`);

      const { db, sealer } = await open(settings);
      await db.close();

      const again = await open({ ...settings, masterKey: key });
      assert.equal(again.sealer.keyId, sealer.keyId);
      await again.db.close();
    });

    it('the data folder is refused with a sentence when its key file holds no key', async () => {
      const settings = await place();
      await writeFile(path.join(settings.dataDir, 'master.key'), 'c2hvcnQ=\n');

      await assert.rejects(open(settings), /master\.key does not contain 32 bytes.*KALENDS_MASTER_KEY/);
      assert.equal(await readFile(path.join(settings.dataDir, 'master.key'), 'utf8'), 'c2hvcnQ=\n');
    });

    it('the data folder is refused with a sentence when it cannot be made', async () => {
      const settings = await place();
      const file = path.join(settings.dataDir, 'file');
      await writeFile(file, '');
      await chmod(file, 0o400);

      await assert.rejects(open({ ...settings, dataDir: path.join(file, 'data') }), /KALENDS_DATA_DIR/);
    });

    it('the data folder is refused with a sentence when its file is no database', async () => {
      const settings = await place();
      await writeFile(sqliteFileIn(settings.dataDir), randomBytes(8192));

      await assert.rejects(open(settings), /kalends\.db cannot be used: .+KALENDS_DATA_DIR/);
    });

    it('the data folder is absent to doctor before the first start, and stays so', async () => {
      const settings = await place();
      const dataDir = path.join(settings.dataDir, 'not-there');

      assert.deepEqual(await inspectDatabase({ ...settings, dataDir }, Date.now), { state: 'absent' });
      await assert.rejects(stat(dataDir));
    });
  });

  describe('A PostgreSQL that cannot be reached', () => {
    it('a PostgreSQL that cannot be reached is reported to doctor and refused at start, without its password', async () => {
      const settings = { ...(await place()), databaseUrl: 'postgres://user:canary@127.0.0.1:1/none' };

      const report = await inspectDatabase(settings, Date.now);

      assert.match(report.state === 'unreachable' ? report.reason : '', /ECONNREFUSED/);
      assert.doesNotMatch(JSON.stringify(report), /canary/);
      await assert.rejects(open(settings), (refusal: Error) => {
        assert.match(refusal.message, /ECONNREFUSED.+KALENDS_DATABASE_URL/);
        assert.doesNotMatch(refusal.message, /canary/);
        return true;
      });
    });
  });
});
