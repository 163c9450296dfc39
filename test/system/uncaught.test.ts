/** An error that nobody catches, in the shipped program. */
import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import path from 'node:path';
import { describe, it } from 'node:test';

import { prepareProgram } from '../harness/program.ts';
import { removeFolder, temporaryFolder } from '../servers/process.ts';

const LIMIT_MS = 60_000;

/** Runs before the program, and makes it fail at SIGUSR2 where nobody catches the error. */
const failing = (statement: string): string =>
  `--import=data:text/javascript,${encodeURIComponent(`process.on('SIGUSR2', () => { ${statement} })`)}`;

/** A full pipe in place of standard error, which the process itself holds open and nobody reads. */
const STALLED_LOG = `
  const { closeSync, constants, openSync, writeSync } = process.getBuiltinModule('node:fs');
  closeSync(2);
  openSync(process.env.STALLED_PIPE, constants.O_RDWR | constants.O_NONBLOCK);
  try { for (;;) writeSync(2, 'x'); } catch {}
  process.emit('SIGTERM', 'SIGTERM');
  setTimeout(() => { throw new Error('Nobody caught it'); }, 100);
`;

const CASES: readonly [origin: string, statement: string][] = [
  ['uncaughtException', "throw new Error('Nobody caught it')"],
  ['unhandledRejection', "Promise.reject(new Error('Nobody caught it'))"],
];

describe('An error that nobody catches', () => {
  for (const [origin, statement] of CASES)
    it(`an error that nobody catches is one line of the log, and the exit code is 1: ${origin}`, async () => {
      const program = await prepareProgram({ env: { NODE_OPTIONS: failing(statement) } });
      try {
        await program.start();
        const written = program.output().stderr.length;

        program.signal('SIGUSR2');
        const code = await program.ended();

        const [line = '', ...more] = program.output().stderr.slice(written).split('\n');
        const { event, level, origin: from, err } = JSON.parse(line);
        assert.deepEqual([code, more, event, level, from], [1, [''], 'uncaught_exception', 50, origin]);
        assert.equal(err.message, 'Nobody caught it');
      } finally {
        await program.dispose();
      }
    });

  it('an error that nobody catches ends the program with 1 also while nobody reads its log', {
    timeout: LIMIT_MS,
  }, async (t) => {
    const folder = temporaryFolder('stalled-log');
    t.after(() => removeFolder(folder));
    const pipe = path.join(folder, 'pipe');
    execFileSync('mkfifo', [pipe]);
    const env = { NODE_OPTIONS: failing(STALLED_LOG), STALLED_PIPE: pipe, KALENDS_DRAIN_SECONDS: '300' };
    const program = await prepareProgram({ env });
    t.after(() => program.dispose());
    await program.start();

    program.signal('SIGUSR2');

    assert.equal(await program.ended(), 1);
  });
});
