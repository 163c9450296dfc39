/** PostgreSQL behind pgbouncer as docs/operations.md sets it up: no session outlives a transaction there. */
import assert from 'node:assert/strict';
import { randomBytes, randomUUID } from 'node:crypto';
import { after, before, describe, it } from 'node:test';

import type { Database } from '../../src/store/drivers/database.ts';
import { openDatabase } from '../../src/store/drivers/open-database.ts';
import { openPostgres } from '../../src/store/drivers/postgres-driver.ts';
import { jobTurnsContract } from '../contract/job-turns.contract.ts';
import { tokenFamilyStoreContract } from '../contract/token-family-store.contract.ts';
import { blockAfter } from '../deploy/docs-blocks.ts';
import { connect, read, refresh, revoke, tokensOf } from '../e2e/flow.ts';
import { openSite, WITHOUT_RADICALE } from '../e2e/site.ts';
import { counterpart } from '../harness/counterpart.ts';
import { cleanUpAtEnd, postgresUrl } from '../harness/databases.ts';
import { freePort } from '../harness/loopback.ts';
import { administer, createMigratedDatabase, emptyMigrated } from '../harness/migrated.ts';
import { PGBOUNCER, startPgbouncer } from '../servers/pgbouncer.ts';
import type { Running } from '../servers/process.ts';

/** Fewer than each of those below opens, so that they share and change them. */
const POOL_SIZE = 4;
const CONNECTIONS = 10;

cleanUpAtEnd();

describe('PostgreSQL behind pgbouncer', counterpart('pgbouncer', PGBOUNCER), () => {
  let bouncer: Running;
  let port: number;
  let server: URL;
  const names: string[] = [];
  const opened: Database[] = [];
  before(async () => {
    server = new URL(await postgresUrl());
    port = await freePort();
    bouncer = await startOn(port);
  });
  after(async () => {
    for (const db of opened) await db.close();
    await bouncer?.stop();
    for (const name of names) await administer(server.href, `DROP DATABASE ${name} WITH (FORCE)`);
  });

  const startOn = async (listenPort: number, setting = ''): Promise<Running> => {
    const block = await blockAfter('pgbouncer:', 'ini');
    return startPgbouncer(listenPort, (folder) =>
      block
        .replace('kalends = host=10.0.0.5', `* = host=127.0.0.1 port=${server.port}`)
        .replace('listen_port = 6432', `listen_port = ${listenPort}`)
        .replace('/etc/pgbouncer', folder)
        .replace('default_pool_size = 20', `default_pool_size = ${POOL_SIZE}\n${setting}`),
    );
  };

  /** The address through pgbouncer of a new database with the whole schema. */
  const makeDatabase = async (): Promise<string> => {
    const name = `kalends_${randomUUID().replaceAll('-', '')}`;
    await createMigratedDatabase(server.href, name);
    names.push(name);
    return `postgres://kalends:kalends@127.0.0.1:${port}/${name}`;
  };
  let shared: Database | undefined;
  /** One for all, emptied each time. */
  const open = async (): Promise<Database> => {
    if (shared === undefined) {
      shared = openPostgres(await makeDatabase(), CONNECTIONS, { prepares: false });
      opened.push(shared);
    } else {
      assert.ok(await emptyMigrated(shared), 'nothing is at work any more');
    }
    return shared;
  };

  tokenFamilyStoreContract('PostgreSQL behind pgbouncer', open);
  jobTurnsContract('PostgreSQL behind pgbouncer', open);

  it('named statements are refused there, and none are sent where that is switched off', async () => {
    const db = openPostgres(await makeDatabase(), CONNECTIONS);
    opened.push(db);
    const ask = (on: Database) =>
      Promise.allSettled(
        Array.from({ length: 50 }, (_, i) => on.all(`SELECT name FROM setting LIMIT ${i % 5}`)),
      );

    const [named, unnamed] = [await ask(db), await ask(await open())];

    assert.match(
      named.map((result) => String('reason' in result && result.reason)).join(),
      /prepared statement/,
    );
    assert.deepEqual(new Set(unnamed.map(({ status }) => status)), new Set(['fulfilled']));
  });

  it('names the setting if a start fails because the session lacks its prepared statement', async (t) => {
    const own = await freePort();
    // Each transaction begins without the statements of the one before, as in another session.
    const forgetful = await startOn(own, 'server_reset_query_always = 1');
    t.after(() => forgetful.stop());
    const databaseUrl = (await makeDatabase()).replace(`:${port}/`, `:${own}/`);
    const keys = { masterKey: randomBytes(32), createsMasterKey: false };
    const settings = { databaseUrl, databaseConnections: 2, dataDir: '/nowhere', ...keys };

    await assert.rejects(openDatabase(settings, Date.now), {
      name: 'StartRefused',
      message: /does not exist.*set KALENDS_DATABASE_PREPARED_STATEMENTS=off/,
    });
    await (await openDatabase({ ...settings, databasePrepares: false }, Date.now)).db.close();
  });

  it('a user connects, is read for, refreshed and revoked through it', {
    skip: WITHOUT_RADICALE,
  }, async (t) => {
    const databaseUrl = await makeDatabase();
    const site = await openSite({ databaseUrl, env: { KALENDS_DATABASE_PREPARED_STATEMENTS: 'off' } });
    t.after(() => site.close());
    const { application, login } = site;

    const first = await connect(application, { userId: 'ada', login });
    const events = await read(application, '/calendars', first.accessToken);
    const next = await tokensOf(await refresh(application, first.refreshToken));
    const revoked = await revoke(application, next.refreshToken);

    assert.match(await events.text(), /work/);
    assert.equal(revoked.status, 200);
    assert.equal((await read(application, '/calendars', next.accessToken)).status, 401);
    const faults = site.program
      .output()
      .stderr.split('\n')
      .filter((line) => line.includes('"level":50'));
    assert.deepEqual(faults, []);
  });
});
