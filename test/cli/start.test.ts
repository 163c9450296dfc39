/** `npm start`, as the README has it. */
import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { it } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { freePort } from '../harness/loopback.ts';

const ROOT = path.resolve(import.meta.dirname, '../..');
const STOP_MS = 20_000;

it('npm start passes SIGTERM on to the server, which says so and leaves nothing behind', async () => {
  const folder = await mkdtemp(path.join(tmpdir(), 'kalends-start-'));
  const port = await freePort();
  const env = { ...process.env, KALENDS_DATA_DIR: path.join(folder, 'data'), KALENDS_PORT: String(port) };
  // A group of its own, so that whatever is left can be ended with it.
  const npm = spawn('npm', ['start'], { cwd: ROOT, env, detached: true });
  let output = '';
  for (const stream of [npm.stdout, npm.stderr])
    stream.setEncoding('utf8').on('data', (text) => (output += text));
  const ended = once(npm, 'close');

  try {
    while (!/Kalends \d+\.\d+\.\d+ is ready/.test(output)) {
      await Promise.race([once(npm.stdout, 'data'), ended]);
      assert.equal(npm.exitCode, null, output);
    }
    npm.kill('SIGTERM');
    // Closes only when nothing holds its output any more: neither npm nor the server.
    const late = sleep(STOP_MS, undefined, { ref: false }).then(() => assert.fail(`still there:\n${output}`));
    await Promise.race([ended, late]);

    assert.match(output, /"signal":"SIGTERM"/);
    await assert.rejects(fetch(`http://127.0.0.1:${port}/health`));
  } finally {
    try {
      if (npm.pid !== undefined) process.kill(-npm.pid, 'SIGKILL');
    } catch {
      // Nothing of the group was left, as it should be.
    }
    await rm(folder, { recursive: true, force: true });
  }
});
