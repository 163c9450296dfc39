/** The master key is changed under load, and the command and the server are killed meanwhile. */
import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import path from 'node:path';
import { after, describe, it } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';

import { sealedField } from '../../src/lib/sealing.ts';
import type { Database } from '../../src/store/drivers/database.ts';
import { masterKeyState } from '../../src/store/drivers/master-key.ts';
import { type DatabaseSettings, openDatabase } from '../../src/store/drivers/open-database.ts';
import { connect as connectTo, onEachDatabase } from '../harness/databases.ts';
import { type Program, prepareProgram, startProgram } from '../harness/program.ts';
import { sealedUnder } from '../harness/sealed-everywhere.ts';
import { startRadicale } from '../servers/radicale.ts';
import { type Application, connect, read, refresh, type TokenPair, tokensOf } from './flow.ts';
import { loginOf, WITHOUT_RADICALE } from './site.ts';

const MAIN = path.resolve(import.meta.dirname, '../../src/start.js');
/** The command reseals these rows in eighty transactions, so that it can be killed between two. */
const MANY = 4_000;
/** Rows per INSERT transaction. The program waits for each only briefly. */
const ROWS_TOGETHER = 400;
/** The pause between two rounds of the application: the change mostly waits for instances. */
const PAUSE_MS = 100;

onEachDatabase((database, _open, place) => {
  describe(`changing the master key under load on ${database}`, { skip: WITHOUT_RADICALE }, () => {
    const cleanups: (() => Promise<unknown>)[] = [];
    after(async () => {
      for (const cleanup of cleanups.reverse()) await cleanup();
    });

    it('nobody is refused while the key is changed, though server and command are killed meanwhile', async () => {
      const calendars = await startRadicale();
      cleanups.push(() => calendars.stop());
      const { program, env, settings, lone } = await begin(database, place, cleanups);
      const registration = await program.createClient();
      const application: Application = { ...registration, url: program.url };
      const pair = await connect(application, { userId: 'ada', login: loginOf(calendars, 'ada') });
      const db = connectTo(settings);
      cleanups.push(() => db.close());
      await sealMany(settings, application.clientId);
      const [before = ''] = [...(await sealedUnder(db)).keys()];
      let load = goOn(application, pair);

      await killedInTheMiddle(env, db, before);
      const state = await masterKeyState(db);
      assert.deepEqual([state.keyId, state.next?.phase], [before, 'in_use'], 'it is in the middle');
      const first = await load.stop();
      await program.kill();
      // As if two minutes had passed.
      await db.write('DELETE FROM instance');
      await program.start();
      load = goOn(application, first.pair);
      const { key_id: keyId } = await program.command('keys', 'rotate-master');
      const second = await load.stop();

      assert.deepEqual([...first.refusals, ...second.refusals], []);
      assert.deepEqual([...(await sealedUnder(db)).keys()], [keyId]);
      await program.stop();
      const alone = await lone();
      const last = await tokensOf(
        await refresh({ ...application, url: alone.url }, second.pair.refreshToken),
      );
      const events = await read({ ...application, url: alone.url }, '/events', last.accessToken);
      assert.equal(events.status, 200);
      assert.doesNotMatch(await events.text(), /"errors":\[\{/);
    });
  });
});

/** SQLite has its key in the data folder; instances on PostgreSQL have theirs in the settings. */
async function begin(
  database: string,
  place: () => Promise<DatabaseSettings>,
  cleanups: (() => Promise<unknown>)[],
) {
  const kept = async (program: Program) => {
    cleanups.push(() => program.dispose());
    return program;
  };
  if (database === 'SQLite') {
    const program = await kept(await startProgram());
    const env = { KALENDS_DATA_DIR: program.dataDir };
    const settings = { ...(await place()), dataDir: program.dataDir };
    const lone = async () => {
      await program.start();
      return program;
    };
    return { program, env, settings, lone };
  }
  const [old, fresh] = [randomBytes(32), randomBytes(32)];
  const settings = { ...(await place()), masterKey: old };
  const { databaseUrl = '' } = settings;
  await (await openDatabase(settings, Date.now)).db.close();
  const newKey = { KALENDS_MASTER_KEY: fresh.toString('base64') };
  const both = { ...newKey, KALENDS_MASTER_KEY_PREVIOUS: old.toString('base64') };
  const program = await kept(await startProgram({ databaseUrl, env: both }));
  const lone = async () => {
    const other = await kept(await prepareProgram({ databaseUrl, env: newKey }));
    await other.start();
    return other;
  };
  return { program, env: { ...both, KALENDS_DATABASE_URL: databaseUrl }, settings, lone };
}

/** Seals many credentials of ended access, which no worker touches without a job. */
async function sealMany(settings: DatabaseSettings, clientId: string): Promise<void> {
  const { db, sealer } = await openDatabase(settings, Date.now);
  const contextOf = sealedField('account.credentials');
  for (let from = 0; from < MANY; from += ROWS_TOGETHER)
    await db.transaction(async (tx) => {
      for (let i = from; i < from + ROWS_TOGETHER; i++) {
        await tx.all(
          `INSERT INTO ended_access (account_key, client_id, provider, account_id, credentials, ended_at)
           VALUES (:key, :clientId, 'google', :key, :sealed, 0)`,
          { key: `ended ${i}`, clientId, sealed: sealer.seal('{}', contextOf(`ended ${i}`)) },
        );
      }
    });
  await db.close();
}

/** Runs the command until it has resealed some of the many rows under another key than `before`, and kills it. */
async function killedInTheMiddle(
  env: Readonly<Record<string, string>>,
  db: Database,
  before: string,
): Promise<void> {
  const child = spawn(process.execPath, [MAIN, 'keys', 'rotate-master'], {
    env: { PATH: process.env.PATH, ...env },
    stdio: 'ignore',
  });
  const closed = once(child, 'close');
  const resealed = async () =>
    (await db.get(`SELECT 1 AS "one" FROM ended_access WHERE credentials NOT LIKE :old LIMIT 1`, {
      old: `k1.${before}.%`,
    })) !== undefined;
  while (child.exitCode === null && !(await resealed())) await sleep(1);
  child.kill('SIGKILL');
  await closed;
}

/** Refreshes and reads repeatedly. `stop` ends this and returns the failures and the current tokens. */
function goOn(application: Application, first: TokenPair) {
  const refusals: string[] = [];
  let pair = first;
  let stopped = false;
  const loop = async () => {
    while (!stopped) {
      pair = await tokensOf(await refresh(application, pair.refreshToken));
      const { status } = await read(application, '/connection-status', pair.accessToken);
      if (status !== 200) refusals.push(`read ${status}`);
      await sleep(PAUSE_MS);
    }
  };
  const running = loop().catch((reason) => refusals.push(String(reason)));
  return {
    async stop() {
      stopped = true;
      await running;
      return { refusals, pair };
    },
  };
}
