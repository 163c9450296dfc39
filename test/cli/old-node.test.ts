/**
 * The output of the repository's scripts on a Node that cannot run Kalends, in an npm install without development
 * packages.
 */
import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import path from 'node:path';
import { describe, it } from 'node:test';
import { promisify } from 'node:util';

import { nodeVersionProblem } from '../../src/cli/node-version.js';
import { counterpart } from '../harness/counterpart.ts';

const run = promisify(execFile);
const ROOT = path.resolve(import.meta.dirname, '../..');
/** The Node of the machine, of whatever version. */
const NODE = '/usr/bin/node';

const { scripts } = (await import('../../package.json', { with: { type: 'json' } })).default;
/** The error for the machine's Node; empty if that is new enough. */
const sentence = async (): Promise<string> => {
  const own = (await run(NODE, ['--version'])).stdout.trim().slice(1);
  const problem = nodeVersionProblem(own, { checkout: true });
  return problem === undefined ? '' : `${problem}\n`;
};

describe('on the machine’s own Node', counterpart('Node', NODE), () => {
  for (const script of ['start', 'sandbox', 'kalends'])
    it(`npm run ${script} prints one sentence about how to fix it on an older Node`, async () => {
      // As npm runs it, but with the machine's Node. With a new one the script does nothing.
      const command = `PATH=/usr/bin:/bin; ${scripts[script as keyof typeof scripts]} --version`;

      const ended = await run('/bin/sh', ['-c', command], { cwd: ROOT }).catch((failure) => failure);

      assert.equal(ended.stderr, await sentence());
    });

  it('npm’s scripts in TypeScript run nothing on an older Node, and print that sentence', async () => {
    const inTypeScript = Object.values(scripts).filter((command) => command.includes('.ts'));
    const first = 'node scripts/needs-node.js && ';

    const ended = await run(NODE, ['scripts/needs-node.js'], { cwd: ROOT }).catch((failure) => failure);

    assert.ok(inTypeScript.length > 5);
    for (const command of inTypeScript) assert.ok(command.startsWith(first), command);
    const expected = await sentence();
    assert.deepEqual([ended.stderr, ended.code ?? 0], [expected, expected === '' ? 0 : 1]);
  });
});
