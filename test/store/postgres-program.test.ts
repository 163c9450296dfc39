/** The PostgreSQL of the tests, where root runs them in a folder that nobody else can enter. */
import assert from 'node:assert/strict';
import { chmod, mkdir, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { after, before, describe, it } from 'node:test';
import pg from 'pg';

import { startPostgres } from '../harness/postgres.ts';
import { closedFolder, postgresProgram } from '../harness/postgres-program.ts';

describe('PostgreSQL for tests', () => {
  let folder: string;
  let closed: string;
  before(async () => {
    folder = await mkdtemp(path.join(tmpdir(), 'kalends-closed-'));
    await chmod(folder, 0o755);
    closed = path.join(folder, 'closed');
    await mkdir(path.join(closed, 'inside'), { recursive: true, mode: 0o755 });
    await chmod(closed, 0o700);
  });
  after(() => rm(folder, { recursive: true, force: true }));

  it('PostgreSQL for tests knows the folder that its user cannot enter', () => {
    assert.equal(closedFolder(path.join(folder, 'data')), undefined);
    assert.equal(closedFolder(path.join(closed, 'inside', 'data')), closed);
  });

  it('PostgreSQL for tests starts for root though nobody else can enter the checkout', async () => {
    const server = await startPostgres({ closed: true });
    const client = new pg.Client({ connectionString: server.url });

    try {
      await client.connect();
      assert.deepEqual((await client.query('SELECT 1 AS one')).rows, [{ one: 1 }]);
    } finally {
      await client.end();
      await server.stop();
    }
  });

  it('PostgreSQL for tests says where its data cannot lie', async () => {
    const asked = postgresProgram(path.join(closed, 'inside'));

    if (process.getuid?.() === 0)
      await assert.rejects(asked, new RegExp(`cannot enter ${closed}: set TMPDIR`));
    else assert.ok(await asked);
  });
});
