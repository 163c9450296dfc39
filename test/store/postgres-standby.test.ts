/** A PostgreSQL with a hot standby: what the program does on the standby, and when that becomes the primary. */
import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import net, { type AddressInfo } from 'node:net';
import path from 'node:path';
import { after, before, describe, it } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';

import { databaseProblem } from '../../src/lib/database-away-error.ts';
import type { Database } from '../../src/store/drivers/database.ts';
import { inspectDatabase } from '../../src/store/drivers/inspect-database.ts';
import { migrate } from '../../src/store/drivers/migrate.ts';
import { openDatabase } from '../../src/store/drivers/open-database.ts';
import { openPostgres } from '../../src/store/drivers/postgres-driver.ts';
import { databaseStates } from '../../src/store/drivers/readiness.ts';
import { counterpart } from '../harness/counterpart.ts';
import { debianPostgres, POSTGRES_PROGRAMS } from '../harness/debian-postgres.ts';
import { administer } from '../harness/migrated.ts';

/** An address that leads to whichever server has the port `target` when a connection is opened. */
async function startSwitch(target: number) {
  const server = net.createServer((socket) => {
    const upstream = net.connect(current.target, '127.0.0.1');
    for (const end of [socket, upstream]) end.on('error', () => {});
    socket.pipe(upstream).pipe(socket);
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo; // it listens on TCP
  const current = { target, port, close: () => server.close() };
  return current;
}

const programs = counterpart('PostgreSQL', path.join(POSTGRES_PROGRAMS, 'pg_basebackup'));

describe('A PostgreSQL with a standby', programs, () => {
  let primary: Awaited<ReturnType<typeof debianPostgres>>;
  let standby: Awaited<ReturnType<typeof primary.startStandby>>;
  before(async () => {
    primary = await debianPostgres();
    const db = openPostgres(primary.urlOf('postgres'), 2);
    await migrate(db, Date.now, async () => {});
    await db.close();
    standby = await primary.startStandby();
  });
  after(async () => {
    await standby?.stop();
    await primary?.stop();
  });

  const note = (db: Database, name: string) =>
    db.write('INSERT INTO setting (name, value) VALUES (:name, :name)', { name });
  const noted = (db: Database, name: string) => db.all('SELECT 1 FROM setting WHERE name = :name', { name });

  it('refuses to start on the standby, and says that the URL must lead to the primary', async () => {
    const databaseUrl = standby.urlOf('postgres');
    const settings = { databaseUrl, databaseConnections: 2, dataDir: '/nowhere', masterKey: randomBytes(32) };
    const message = /KALENDS_DATABASE_URL must lead to the primary/;

    await assert.rejects(openDatabase(settings, Date.now), { name: 'StartRefused', message });
    const report = await inspectDatabase(settings, Date.now);
    assert.match(report.state === 'unreachable' ? report.reason : '', message);
  });

  it('is not ready on the standby, serves reads there, and is ready without a restart once it is promoted', async (t) => {
    const front = await startSwitch(primary.port);
    t.after(() => front.close());
    const db = openPostgres(`postgres://kalends@127.0.0.1:${front.port}/postgres`, 4);
    t.after(() => db.close());
    const state = databaseStates(db);
    await note(db, 'before');
    while ((await countRows(standby.urlOf('postgres'), 'before')) === 0) await sleep(20);
    // The connections that are open still lead to the old primary, which takes no writes any more.
    await administer(primary.urlOf('postgres'), 'ALTER SYSTEM SET default_transaction_read_only = on');
    await administer(primary.urlOf('postgres'), 'SELECT pg_reload_conf()');
    front.target = standby.port;

    await assert.rejects(untilRefused(db), (reason) => databaseProblem(reason) === 'read_only');
    assert.equal(await state(), 'read_only');
    assert.equal((await noted(db, 'before')).length, 1);

    await standby.promote();
    while ((await state()) !== 'ready') await sleep(20);
    await note(db, 'after');
    assert.equal(await countRows(standby.urlOf('postgres'), 'after'), 1);
  });

  /** Writes until the server has heard that it may not. */
  async function untilRefused(db: Database): Promise<never> {
    for (let attempt = 1; ; attempt++) await note(db, `attempt ${attempt}`);
  }

  async function countRows(url: string, name: string): Promise<number> {
    const db = openPostgres(url, 1);
    try {
      return (await noted(db, name)).length;
    } finally {
      await db.close();
    }
  }
});
