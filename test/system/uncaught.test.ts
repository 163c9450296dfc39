/** An error that nobody catches, in the shipped program. */
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';

import { prepareProgram } from '../harness/program.ts';

/** Runs before the program, and makes it fail at SIGUSR2 where nobody catches the error. */
const failing = (statement: string): string =>
  `--import=data:text/javascript,${encodeURIComponent(`process.on('SIGUSR2', () => { ${statement} })`)}`;

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
});
