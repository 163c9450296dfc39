/** A start that does not succeed, of the shipped program: it ends by itself, whatever was open already. */
import assert from 'node:assert/strict';
import { existsSync } from 'node:fs';
import { mkdir } from 'node:fs/promises';
import { createServer } from 'node:net';
import path from 'node:path';
import { after, describe, it } from 'node:test';

import { connect, onEachDatabase } from '../harness/databases.ts';
import { freePort } from '../harness/loopback.ts';
import { migrateUpTo } from '../harness/old-database.ts';
import { type Program, type ProgramOptions, prepareProgram } from '../harness/program.ts';
import { until } from '../harness/until.ts';

/** Nothing listens there, so that spans wait until the end. */
const TRACED = { KALENDS_OTLP_ENDPOINT: 'http://127.0.0.1:9', KALENDS_TRACE_SAMPLING: '1' };

/** Starts the program, which is to end by itself: its exit code and what it wrote to standard error. */
async function failedStart(program: Program): Promise<string> {
  // It may answer /health before it fails, or not.
  program.start().catch(() => undefined);
  const code = await program.ended();
  return `exited with ${code}: ${program.output().stderr}`;
}

onEachDatabase((database, _, place) => {
  describe(`A failed start on ${database}`, () => {
    const cleanups: (() => unknown)[] = [];
    after(async () => {
      for (const cleanup of cleanups.reverse()) await cleanup();
    });

    const prepare = async ({ env, ...options }: ProgramOptions = {}) => {
      const { databaseUrl } = await place();
      const metricsPort = await freePort();
      const watched = { ...TRACED, KALENDS_METRICS_ADDRESS: `127.0.0.1:${metricsPort}` };
      const program = await prepareProgram({ databaseUrl, ...options, env: { ...watched, ...env } });
      cleanups.push(() => program.dispose());
      const { dataDir } = program;
      const change = async (sql: string) => {
        const db = connect({ databaseUrl, dataDir });
        await db.script(sql, async () => {});
        await db.close();
      };
      return { program, databaseUrl, metricsPort, change };
    };
    const listenOn = async (port: number) => {
      const server = createServer((socket) => socket.destroy()).listen(port, '127.0.0.1');
      cleanups.push(() => server.close());
      await new Promise((resolve, reject) => server.once('listening', resolve).once('error', reject));
    };

    const steps: [step: string, table: string][] = [
      ['the signing keys cannot be read', 'signing_key'],
      ['the webhook keys cannot be read', 'webhook_key'],
      ['the setup link cannot be created', 'invitation'],
    ];
    // Only there is nobody else who may have leases.
    if (database === 'SQLite') steps.push(['leases cannot be ended', 'webhook_stream']);
    for (const [step, table] of steps)
      it(`the start exits with 1 if ${step}`, async () => {
        const { program, change } = await prepare();
        await program.command('client', 'list');
        await change(`ALTER TABLE ${table} RENAME TO ${table}_away`);

        const outcome = await failedStart(program);

        assert.match(outcome, new RegExp(`^exited with 1: .*kalends: .*${table}`, 's'));
      });

    it('the start exits with 1 if the master key does not fit', async () => {
      const { program, databaseUrl } = await prepare();
      await program.command('client', 'list');
      const env = { KALENDS_MASTER_KEY: 'f'.repeat(64), KALENDS_DATA_DIR: program.dataDir };
      const other = await prepare({ databaseUrl, env });

      assert.match(await failedStart(other.program), /^exited with 1: .*sealed under master key/s);
    });

    it('the start exits with 1 if the port of the metrics is taken', async () => {
      const { program, metricsPort } = await prepare();
      await listenOn(metricsPort);

      assert.match(await failedStart(program), /^exited with 1: .*Set KALENDS_METRICS_ADDRESS/s);
    });

    it('the start exits with 1 if its port is taken, and lets go of the port of the metrics', async () => {
      const { program, metricsPort } = await prepare();
      await listenOn(Number(new URL(program.url).port));

      assert.match(await failedStart(program), /^exited with 1: .*Set KALENDS_PORT/s);
      await listenOn(metricsPort);
    });

    it('a signal during the start exits with 0, also while another instance migrates', async () => {
      const { program, databaseUrl } = await prepare();
      const { dataDir } = program;
      await mkdir(dataDir, { recursive: true });
      const db = connect({ databaseUrl, dataDir });
      await migrateUpTo(db, 1);
      const hold = "INSERT INTO lease (name, holder, expires_at) VALUES ('migration', 'other', 9e15)";
      await db.write(hold).finally(() => db.close());
      const outcome = failedStart(program);

      // It handles signals before it creates the key, and migrates afterwards.
      await until('there is a key', () => existsSync(path.join(dataDir, 'master.key')));
      await program.stop();

      const stopping = /^exited with 0: \{.*"event":"stopping","signal":"SIGTERM".*\}\n$/;
      assert.match(await outcome, stopping);
    });
  });
});
