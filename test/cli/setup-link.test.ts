/** The lines of `kalends serve` for the first owner of the dashboard, to a terminal and elsewhere. */
import assert from 'node:assert/strict';
import path from 'node:path';
import { afterEach, beforeEach, describe, it } from 'node:test';

import { freePort } from '../harness/loopback.ts';
import { type Program, prepareProgram } from '../harness/program.ts';
import { until } from '../harness/until.ts';
import { removeFolder, run, temporaryFolder } from '../servers/process.ts';

const START = path.resolve(import.meta.dirname, '../../src/start.js');
const PUBLIC = { KALENDS_URL: 'https://calendars.example.com' };
const LINK = /dashboard\/join\/[\w-]{43}/;

describe('the link for the first owner', () => {
  let program: Program;
  let folder: string;
  beforeEach(() => {
    folder = temporaryFolder('setup-link');
  });
  afterEach(async () => {
    await program?.dispose();
    removeFolder(folder);
  });
  const start = async (env: Record<string, string> = {}): Promise<string> => {
    program = await prepareProgram({ env });
    await program.start();
    await until('it greets', () => program.output().stdout.includes('Health'));
    return program.output().stdout;
  };
  /** Returns the output of a command up to `end`. */
  const printed = async ([file, ...args]: readonly [string, ...string[]], end: RegExp): Promise<string> => {
    const port = { KALENDS_PORT: String(await freePort()), KALENDS_DATA_DIR: path.join(folder, 'data') };
    const server = run(file, args, { env: { ...port, ...PUBLIC } });
    try {
      await until('it prints', () => end.test(server.output()));
      return server.output();
    } finally {
      await server.stop();
    }
  };

  it('a start at a loopback URL prints the link', async () => {
    assert.match(await start(), LINK);
  });

  it('a start at a public URL prints how to make the link, and makes none itself', async () => {
    const stdout = await start(PUBLIC);

    assert.match(stdout, /^ {2}Set up {3}.*kalends.* admin invite$/m);
    assert.doesNotMatch(stdout + program.output().stderr, LINK);
    assert.deepEqual((await program.command('admin', 'invitations')).invitations, []);
    assert.match(JSON.stringify(await program.command('admin', 'invite')), LINK);
  });

  it('a start at a public URL omits setupUrl from its JSON', async () => {
    const [line = '{}'] =
      (await printed([process.execPath, START, 'serve', '--json'], /"version".*\n/)).match(
        /^\{"version".*$/m,
      ) ?? [];

    assert.equal(JSON.parse(line).url, PUBLIC.KALENDS_URL);
    assert.equal('setupUrl' in JSON.parse(line), false);
  });

  it('a start at a public URL prints the link to a terminal', async () => {
    const command = `'${process.execPath}' '${START}' serve`;

    assert.match(await printed(['script', '-qec', command, '/dev/null'], /admin invite|join\/\S+\s/), LINK);
  });
});
