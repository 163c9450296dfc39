/** README.md's commands, typed from top to bottom in this checkout; `npm run readme` does so in a fresh one. */
import assert from 'node:assert/strict';
import { chmod, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { after, before, describe, it } from 'node:test';

import { commandsOf } from '../../scripts/readme-steps.ts';
import { runReadme } from '../../scripts/run-readme.ts';
import { counterpart } from '../harness/counterpart.ts';
import { freePort } from '../harness/loopback.ts';
import { RADICALE } from '../servers/radicale.ts';

const ROOT = path.resolve(import.meta.dirname, '../..');

describe('the README', counterpart('Radicale', RADICALE), () => {
  let folder: string;
  before(async () => {
    folder = await mkdtemp(path.join(tmpdir(), 'kalends-readme-'));
    await chmod(folder, 0o755);
  });
  after(() => rm(folder, { recursive: true, force: true }));

  it('the README’s commands do what it says, from registering an application to revoking its tokens', async () => {
    const [port, calendarPort, receiverPort] = [await freePort(), await freePort(), await freePort()];
    const change = (command: string) =>
      command
        .replace('npm ci && ', '')
        .replaceAll(':5232', `:${calendarPort}`)
        .replaceAll(':3000', `:${receiverPort}`)
        .replaceAll('/tmp/radicale', path.join(folder, 'radicale'));

    const typed = await runReadme({
      folder: ROOT,
      env: {
        ...process.env,
        HOME: folder,
        KALENDS_DATA_DIR: path.join(folder, 'data'),
        KALENDS_PORT: String(port),
      },
      change,
      base: `http://127.0.0.1:${port}`,
      calendarServer: `http://127.0.0.1:${calendarPort}`,
      receiverPort,
      whole: false,
    });

    for (const word of [
      'npm start',
      'client create',
      '/token',
      '/events',
      'webhook test',
      ' listen ',
      '/revoke',
    ])
      assert.ok(
        typed.some((command) => command.includes(word)),
        word,
      );
  });

  it('the README’s blocks are found in their order', () => {
    assert.deepEqual(commandsOf('```sh\na\nb\n```\ntext\n```json\n{}\n```\n```sh\nc\n```\n'), ['a\nb', 'c']);
  });
});
