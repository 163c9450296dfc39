/**
 * `npm run sandbox` as it is typed: what it prints for people and for programs, and that nothing of it stays. Both are in
 * one file, because two sandboxes that start at once may choose the same usual ports.
 */
import assert from 'node:assert/strict';
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { createServer, type Server } from 'node:net';
import path from 'node:path';
import { createInterface } from 'node:readline';
import { after, before, describe, it } from 'node:test';

const MAIN = path.resolve(import.meta.dirname, '../../src/start.js');
const CALLBACKS = ['http://localhost:3000/callback', 'http://localhost:3001/callback'];
const WEBHOOK = 'http://localhost:3000/webhooks';
const OWN = [...CALLBACKS.flatMap((uri) => ['--redirect-uri', uri]), '--webhook-url', WEBHOOK];

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
    child = spawn(process.execPath, [MAIN, 'sandbox'], { stdio: ['ignore', 'pipe', 'pipe'], detached: true });
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

  it('npm run sandbox ends with Ctrl-C, and no process that it started is left', async () => {
    const ended = once(child, 'exit');
    child.kill('SIGINT');
    const [code] = await ended;

    assert.equal(code, 0, output);
    // Another program may have taken its ports since, but not its process group.
    assert.throws(() => process.kill(-(child.pid ?? 0), 0), { code: 'ESRCH' });
  });
});

describe('kalends sandbox --json', () => {
  let child: ChildProcess;
  const lines: string[] = [];
  before(async () => {
    child = spawn(process.execPath, [MAIN, 'sandbox', '--json', ...OWN], {
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    assert.ok(child.stdout !== null);
    const output = createInterface({ input: child.stdout }).on('line', (line) => lines.push(line));
    await Promise.race([once(output, 'line'), once(child, 'exit')]);
    assert.equal(lines.length, 1, 'It ended before it printed anything');
  });
  after(() => void child?.kill('SIGKILL'));

  it('kalends sandbox --json prints one document, whose addresses all respond', async () => {
    const document = JSON.parse(lines.join('\n'));

    for (const address of [
      `${document.url}/health`,
      document.demo_url,
      document.control_url,
      document.setup_url,
    ])
      assert.equal((await fetch(address)).status, 200, address);
    assert.equal(document.dashboard_url, `${document.url}/dashboard`);
    const [mara] = document.people.filter(({ provider }: { provider: string }) => provider === 'CalDAV');
    assert.deepEqual([mara.username, mara.password], ['mara', 'demo']);
    assert.equal((await fetch(mara.server)).status, 401);
  });

  it('kalends sandbox --json has the credentials of the first application, and of each one', () => {
    const { client_id: clientId, applications, ...document } = JSON.parse(lines.join('\n'));

    assert.equal(clientId, 'projSandboxApplication01');
    assert.match(document.client_secret, /^kalends_/);
    assert.match(document.webhook_secret, /^whsec_/);
    assert.deepEqual([document.redirect_uri, document.webhook_url], [CALLBACKS[0], WEBHOOK]);
    assert.deepEqual(
      applications.map((application: Record<string, string>) => application.redirect_uri),
      CALLBACKS,
    );
  });

  it('kalends sandbox --json writes nothing else, and ends with Ctrl-C', async () => {
    const ended = once(child, 'close');
    child.kill('SIGINT');

    assert.deepEqual(await ended, [0, null]);
    assert.equal(lines.length, 1);
  });
});
