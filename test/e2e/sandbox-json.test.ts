/** `kalends sandbox --json` as it is shipped, read by a program. */
import assert from 'node:assert/strict';
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import path from 'node:path';
import { createInterface } from 'node:readline';
import { after, before, describe, it } from 'node:test';

const MAIN = path.resolve(import.meta.dirname, '../../src/start.js');
const CALLBACKS = ['http://localhost:3000/callback', 'http://localhost:3001/callback'];
const WEBHOOK = 'http://localhost:3000/webhooks';
const OWN = [...CALLBACKS.flatMap((uri) => ['--redirect-uri', uri]), '--webhook-url', WEBHOOK];

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
