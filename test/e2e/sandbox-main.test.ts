/** `npm run sandbox` as it is typed: what it says, and that nothing of it stays. */
import assert from 'node:assert/strict';
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { createServer, type Server } from 'node:net';
import path from 'node:path';
import { after, before, describe, it } from 'node:test';

const MAIN = path.resolve(import.meta.dirname, '../../src/start.js');

describe('npm run sandbox', () => {
  let portHolder: Server;
  let child: ChildProcess;
  let output = '';
  before(async () => {
    portHolder = createServer().listen(8080, '127.0.0.1');
    // Another program may have it already: then it is taken as well.
    await new Promise<void>((resolve) => {
      portHolder.once('listening', resolve).once('error', () => resolve());
    });
    child = spawn(process.execPath, [MAIN, 'sandbox'], { stdio: ['ignore', 'pipe', 'pipe'] });
    for (const stream of [child.stdout, child.stderr])
      stream?.setEncoding('utf8').on('data', (text: string) => {
        output += text;
      });
    const deadline = performance.now() + 60_000;
    while (!/redirect_uri .*\n/.test(output) && child.exitCode === null && performance.now() < deadline)
      await new Promise((resolve) => setTimeout(resolve, 50));
    assert.equal(child.exitCode, null, output);
  });
  after(() => {
    child?.kill('SIGKILL');
    portHolder?.close();
  });

  const addressAfter = (label: string): string => new RegExp(`${label}\\s+(\\S+)`).exec(output)?.[1] ?? '';

  it('npm run sandbox says where to begin, who can sign in, and what the application is, though a usual port is taken', async () => {
    assert.match(output, /^http:\/\/localhost:\d+\/dashboard\/join\/[\w-]{43}$/m);
    for (const label of ['Begin here', 'Faults and time', 'Kalends'])
      assert.equal((await fetch(addressAfter(label))).status, 200, `${label}: ${output}`);

    assert.notEqual(new URL(addressAfter('Kalends')).port, '8080');
    for (const word of [
      'client_id',
      'client_secret',
      'redirect_uri',
      'mara@icloud.example',
      'demo-demo-demo-demo',
    ])
      assert.ok(output.includes(word), word);
  });

  it('npm run sandbox says all of it on one screen of 80 columns and 24 lines', () => {
    const lines = output.trimEnd().split('\n');

    assert.ok(lines.length < 24, `${lines.length} lines`);
    assert.deepEqual(
      // One character more where the port has five digits; a link is never cut in two.
      lines.filter((line) => line.length > (line.startsWith('http://localhost:') ? 81 : 80)),
      [],
    );
  });

  it('npm run sandbox ends with Ctrl-C, and nothing it started answers any longer', async () => {
    const addresses = ['Begin here', 'Faults and time', 'Kalends', 'at the server'].map(addressAfter);

    const ended = once(child, 'exit');
    child.kill('SIGINT');
    const [code] = await ended;

    assert.equal(code, 0, output);
    for (const address of addresses) await assert.rejects(fetch(address), TypeError, address);
  });
});
