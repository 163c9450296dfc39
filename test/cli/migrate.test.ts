/** `kalends migrate`, and starts on a database that lacks migrations. */
import assert from 'node:assert/strict';
import { mkdir } from 'node:fs/promises';
import { after, describe, it } from 'node:test';

import { connect, onEachDatabase } from '../harness/databases.ts';
import { migrateUpTo } from '../harness/old-database.ts';
import { type Program, prepareProgram } from '../harness/program.ts';
import { until } from '../harness/until.ts';
import { type CommandLine, openCommandLine } from './cli-run.ts';

const LAST = ['0062-attempts.sql', '0063-admin-keys.sql'];
const AWAITED = /"event":"migrations_awaited","pending":\[62,63/g;

onEachDatabase((database, _, place) => {
  const programs: Program[] = [];
  const commandLines: CommandLine[] = [];
  after(async () => {
    for (const program of programs) await program.dispose();
    for (const cli of commandLines) await cli.close();
  });

  /** A database that lacks all migrations from number 62 on. */
  const makeOld = async (dataDir: string, databaseUrl: string | undefined) => {
    await mkdir(dataDir, { recursive: true });
    const db = connect({ databaseUrl, dataDir });
    await migrateUpTo(db, 62).finally(() => db.close());
  };
  const openOld = async (mode: string) => {
    const { databaseUrl } = await place();
    const onPostgres = { KALENDS_DATABASE_URL: databaseUrl ?? '', KALENDS_MASTER_KEY: 'generate' };
    const cli = await openCommandLine({ ...(databaseUrl && onPostgres), KALENDS_MIGRATIONS: mode });
    commandLines.push(cli);
    await makeOld(cli.dataDir, databaseUrl);
    return cli;
  };
  const startOld = async (mode: string) => {
    const { databaseUrl } = await place();
    const program = await prepareProgram({ databaseUrl, env: { KALENDS_MIGRATIONS: mode } });
    programs.push(program);
    await makeOld(program.dataDir, databaseUrl);
    const started = program.start();
    started.catch(() => undefined);
    return { program, started, awaited: () => program.output().stderr.match(AWAITED)?.length ?? 0 };
  };

  describe(`kalends migrate on ${database}`, () => {
    for (const mode of ['apply', 'wait', 'refuse'])
      it(`kalends migrate applies what --check lists, with KALENDS_MIGRATIONS=${mode}`, async () => {
        const cli = await openOld(mode);

        const pending = await cli.json('migrate', '--check');
        const applied = await cli.json('migrate');
        const { stdout, exitCode } = await cli.run(['migrate', '--check']);

        const names = (list: unknown) => (Array.isArray(list) ? list.slice(0, LAST.length) : list);
        assert.deepEqual([pending.exitCode, names(pending.document.pending)], [1, LAST]);
        assert.deepEqual([applied.exitCode, names(applied.document.applied)], [0, LAST]);
        assert.deepEqual([exitCode, stdout], [0, 'The database is up to date.\n']);
        assert.equal((await cli.json('client', 'list')).exitCode, 0);
      });

    it('kalends migrate creates a missing database, and --check does not', async () => {
      const { databaseUrl } = await place();
      const onPostgres = { KALENDS_DATABASE_URL: databaseUrl ?? '', KALENDS_MASTER_KEY: 'generate' };
      const cli = await openCommandLine(databaseUrl === undefined ? {} : onPostgres);
      commandLines.push(cli);

      const checks = [await cli.json('migrate', '--check'), await cli.json('migrate', '--check')];
      const [first, second] = checks.map(({ document }) => document);
      const { document } = await cli.json('migrate');

      assert.deepEqual(second, first);
      assert.deepEqual(document, { pending: [], applied: first?.pending });
    });

    for (const mode of ['wait', 'refuse'])
      it(`other commands refuse a database without all migrations, with KALENDS_MIGRATIONS=${mode}`, async () => {
        const cli = await openOld(mode);

        const { exitCode, stderr } = await cli.run(['client', 'list']);

        assert.equal(exitCode, 1);
        assert.match(stderr, /The database lacks migrations 62–[\d–, ]+\. Run kalends migrate\.\n$/);
      });
  });

  describe(`A start on a ${database} that lacks migrations`, () => {
    it('a start waits with KALENDS_MIGRATIONS=wait, says so once, and serves after kalends migrate', async () => {
      const { program, started, awaited } = await startOld('wait');
      await until('it waits', () => awaited() > 0);

      const { applied } = await program.command('migrate');
      await started;

      assert.ok(Array.isArray(applied) && applied.includes('0063-admin-keys.sql'));
      assert.equal(awaited(), 1);
      await program.stop();
    });

    it('a start that waits for migrations ends with 0 on SIGTERM', async () => {
      const { program, awaited } = await startOld('wait');
      await until('it waits', () => awaited() > 0);

      await program.stop();
    });

    it('a start exits with 1 and says what to do, with KALENDS_MIGRATIONS=refuse', async () => {
      const { program } = await startOld('refuse');

      assert.equal(await program.ended(), 1);
      assert.match(
        program.output().stderr,
        /^kalends: The database lacks migrations 62–[\d–, ]+\. Run kalends migrate\.\n$/,
      );
    });
  });
});
