/** Two servers on one SQLite folder: only one of them does background work. */
import assert from 'node:assert/strict';
import { mkdir } from 'node:fs/promises';
import path from 'node:path';
import { after, describe, it } from 'node:test';

import { lockForWork } from '../../src/store/drivers/sqlite-serve-lock.ts';
import { type Program, type ProgramOptions, prepareProgram, startProgram } from '../harness/program.ts';
import { removeFolder, temporaryFolder } from '../servers/process.ts';

const REFUSED = /ended with 1: .*Another Kalends server runs the background work.*Stop it first/s;
const never = new AbortController().signal;

describe('Two servers on one SQLite folder', () => {
  const programs: Program[] = [];
  after(async () => {
    for (const program of programs.reverse()) await program.dispose();
  });
  const added = (program: Program): Program => {
    programs.push(program);
    return program;
  };
  const first = async (env: ProgramOptions['env'] = {}) => added(await startProgram({ env }));
  const beside = async ({ dataDir }: Program, role: string) => {
    const env = { KALENDS_DATA_DIR: dataDir, KALENDS_ROLE: role };
    return added(await prepareProgram({ env }));
  };

  it('a second server with background work is refused while the first one runs', async () => {
    const running = await first();
    const others = await Promise.all(['all', 'worker'].map((role) => beside(running, role)));

    await Promise.all(others.map((other) => assert.rejects(other.start(), REFUSED)));

    await running.stop();
  });

  it('a server that only answers requests runs beside one with background work', async () => {
    const running = await first();
    const web = await beside(running, 'web');

    await web.start();

    const { status } = await fetch(`${running.url}/health`);
    assert.equal(status, 200);
  });

  it('a server starts after one that was killed, and after one that is about to end', async () => {
    const killed = await first();
    await killed.kill();
    await killed.start();
    const next = await beside(killed, 'all');
    const started = next.start();

    await killed.stop();

    await started;
  });

  it('a waiting server gets the lock once it is free, and waits no longer after a signal', async () => {
    const folder = temporaryFolder('lock');
    after(() => removeFolder(folder));
    const stopping = new AbortController();
    const held = await lockForWork(folder, never);
    const [stopped, waiting] = [lockForWork(folder, stopping.signal), lockForWork(folder, never)];

    stopping.abort();
    await assert.rejects(stopped, { name: 'StartRefused' });
    held[Symbol.dispose]();

    (await waiting)[Symbol.dispose]();
  });

  it('a server whose lock file cannot be locked is refused with the name of the file', async (t) => {
    const folder = temporaryFolder('lock');
    t.after(() => removeFolder(folder));
    const file = path.join(folder, 'serve.lock');
    await mkdir(file);

    await assert.rejects(lockForWork(folder, never), (refused: Error) => {
      assert.equal(refused.name, 'StartRefused');
      assert.ok(refused.message.startsWith(`The file ${file} cannot be locked: `), refused.message);
      return true;
    });
  });
});
