/** A PostgreSQL with a hot standby: what the program does on the standby, and when that becomes the primary. */
import assert from 'node:assert/strict';
import { randomBytes, randomUUID } from 'node:crypto';
import { once } from 'node:events';
import net, { type AddressInfo } from 'node:net';
import path from 'node:path';
import { after, before, describe, it } from 'node:test';

import { databaseProblem } from '../../src/lib/database-away-error.ts';
import type { Database } from '../../src/store/drivers/database.ts';
import { inspectDatabase } from '../../src/store/drivers/inspect-database.ts';
import { databaseStates, migrate } from '../../src/store/drivers/migrate.ts';
import { openDatabase } from '../../src/store/drivers/open-database.ts';
import { openPostgres } from '../../src/store/drivers/postgres-driver.ts';
import { counterpart } from '../harness/counterpart.ts';
import { debianPostgres, POSTGRES_PROGRAMS } from '../harness/debian-postgres.ts';
import { administer } from '../harness/migrated.ts';
import { until } from '../harness/until.ts';

const CONNECTIONS = 4;

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

  it('refuses to start on the standby, and says that the URL must name the primary', async () => {
    const databaseUrl = standby.urlOf('postgres');
    const keys = { masterKey: randomBytes(32), createsMasterKey: false };
    const settings = { databaseUrl, databaseConnections: 2, dataDir: '/nowhere', ...keys };
    const message = /KALENDS_DATABASE_URL must name the primary/;

    await assert.rejects(openDatabase(settings, Date.now), { name: 'StartRefused', message });
    const report = await inspectDatabase(settings, Date.now);
    assert.match(report.state === 'unreachable' ? report.reason : '', message);
  });

  it('leaves the old primary for the promoted standby without a restart, and fails no read meanwhile', async (t) => {
    const front = await startSwitch(primary.port);
    t.after(() => front.close());
    const db = openPostgres(`postgres://kalends@127.0.0.1:${front.port}/postgres`, CONNECTIONS);
    t.after(() => db.close());
    const state = databaseStates(db);
    assert.deepEqual([await portsOf(db), await state()], [[primary.port], 'ready']);

    // It continues to serve the open connections.
    await administer(primary.urlOf('postgres'), 'ALTER SYSTEM SET default_transaction_read_only = on');
    await administer(primary.urlOf('postgres'), 'SELECT pg_reload_conf()');
    await assert.rejects(untilRefused(db), (reason) => databaseProblem(reason) === 'read_only');
    assert.deepEqual(await portsOf(db), [primary.port]);
    await standby.promote();
    front.target = standby.port;

    const hasLeft = async () => !(await portsOf(db)).includes(primary.port);
    await until('no connection leads to the old primary', hasLeft);
    await note(db, 'after');
    assert.deepEqual(await portsOf(db), [standby.port]);
    // A write that the old primary refused meanwhile counts until the next look.
    await until('it is ready', async () => (await state()) === 'ready');
  });

  it('is not ready on a standby, and serves reads there', async (t) => {
    const following = await primary.startStandby();
    t.after(() => following.stop());
    const db = openPostgres(following.urlOf('postgres'), CONNECTIONS);
    t.after(() => db.close());

    assert.deepEqual([await portsOf(db), await databaseStates(db)()], [[following.port], 'read_only']);
  });

  /** The servers that the connections of the pool lead to, asked by three times as many callers. */
  async function portsOf(db: Database): Promise<readonly number[]> {
    const ask = () =>
      db.get<{ port: string }>(`SELECT current_setting('port') AS "port" FROM pg_sleep(0.01)`);
    const rows = await Promise.all(Array.from({ length: 3 * CONNECTIONS }, ask));
    return [...new Set(rows.map((row) => Number(row?.port)))];
  }

  /** Writes until the server refuses it, and fails then. */
  const untilRefused = (db: Database): Promise<void> =>
    until('the server refuses writes', () => note(db, randomUUID()).then(() => false));
});
