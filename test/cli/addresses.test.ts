/** The addresses that commands print if only the data folder is set: those of the server that started last. */
import assert from 'node:assert/strict';
import path from 'node:path';
import { after, before, describe, it } from 'node:test';

import { type Run, runHere } from '../harness/command-here.ts';
import { type Program, startProgram } from '../harness/program.ts';
import { removeFolder, temporaryFolder } from '../servers/process.ts';
import { CREATE } from './cli-run.ts';

const WARNING = /^kalends: KALENDS_URL is not set .* the default http:\/\/127\.0\.0\.1:8080\.\n$/;

describe('the addresses that commands print with KALENDS_DATA_DIR alone', () => {
  let program: Program;
  const folder = temporaryFolder('addresses');
  before(async () => {
    program = await startProgram();
  });
  after(async () => {
    await program.dispose();
    removeFolder(folder);
  });
  const run = (dataDir: string, ...args: string[]): Promise<Run> =>
    runHere(args, { env: { KALENDS_DATA_DIR: dataDir } });
  const json = async (...args: string[]): Promise<Record<string, unknown>> => {
    const { exitCode, stdout, stderr } = await run(program.dataDir, ...args, '--json');
    assert.equal(stderr, '');
    assert.equal(exitCode, 0, stdout);
    return JSON.parse(stdout);
  };

  it('open at the running server', async () => {
    const owner = await json('admin', 'invite', 'ada@example.com');
    const created = await run(program.dataDir, ...CREATE, '--display-name', 'Acme');
    const [authorizeUrl = ''] = /http:\S+\/authorize\?\S+/.exec(created.stdout) ?? [];
    const open = async (url: unknown) => (await fetch(String(url), { redirect: 'manual' })).status;

    assert.deepEqual([await open(owner.url), await open(authorizeUrl)], [200, 302]);
  });

  it('are those to register at Google and Microsoft', async () => {
    const address = `${program.url}/connect/google/callback`;

    assert.equal((await json('setup', 'google')).redirect_uri, address);
    const { addresses_to_register: addresses } = JSON.parse(
      (await run(program.dataDir, 'doctor', '--json')).stdout,
    );
    assert.ok(addresses.includes(address));
  });

  it('are the default before a first start, with a warning on standard error', async () => {
    const commands = [['admin', 'invite'], CREATE, ['setup', 'google'], ['doctor']];
    for (const [index, command] of commands.entries()) {
      const { stdout, stderr } = await run(path.join(folder, String(index)), ...command, '--json');

      assert.match(stderr, WARNING);
      assert.doesNotThrow(() => JSON.parse(stdout));
    }
  });

  it('lead to no warning if a command prints none', async () => {
    const dataDir = path.join(folder, 'list');
    await run(dataDir, ...CREATE);

    for (const command of [
      ['client', 'list'],
      ['admin', 'list'],
    ])
      assert.equal((await run(dataDir, ...command, '--json')).stderr, '');
  });
});
