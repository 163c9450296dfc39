/**
 * `kalends sandbox` for a developer's own application, in a folder that is kept: after a kill it continues with its
 * data.
 */
import assert from 'node:assert/strict';
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { createServer, type Server } from 'node:net';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { after, before, describe, it } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';

import { openCommandLine } from '../cli/cli-run.ts';
import { runHere } from '../harness/command-here.ts';
import { freePort } from '../harness/loopback.ts';
import { openBrowser } from './browser.ts';
import { type Application, authorizeUrl, exchange, read, refresh, tokensOf } from './flow.ts';
import { connectAtGoogle } from './sandbox-google.ts';

const MAIN = path.resolve(import.meta.dirname, '../../src/start.js');
const START_MS = 60_000;
const REDIRECT_URI = 'http://localhost:9/callback';

/** Other sandboxes take these if they are free, also between the end of this one and its next start. */
const USUAL_PORTS = [8090, 8091, 8101, 8102, 8103, 8104, 8105];

type Running = { readonly child: ChildProcess; readonly output: () => string };

describe('a kept sandbox', () => {
  let folder: string;
  let options: string[];
  let running: Running;
  before(async () => {
    folder = await mkdtemp(path.join(tmpdir(), 'kalends-sandbox-own-'));
    const keep = ['--keep', path.join(folder, 'kept'), '--port', String(await freePort())];
    const addresses = ['--redirect-uri', REDIRECT_URI, '--webhook-url', 'http://localhost:9/webhooks'];
    options = [...addresses, '--redirect-uri', 'com.example.app:/callback', ...keep];
    const taken = await Promise.all(USUAL_PORTS.map(takePort));
    running = await start();
    for (const server of taken) server.close();
  });
  after(async () => {
    running?.child.kill('SIGKILL');
    await rm(folder, { recursive: true, force: true, maxRetries: 5 });
  });

  /** Listens on the port unless it is taken. */
  function takePort(port: number): Promise<Server> {
    const server = createServer();
    return new Promise((resolve) => {
      server.once('listening', () => resolve(server)).once('error', () => resolve(server));
      server.listen(port, '127.0.0.1');
    });
  }

  async function start(): Promise<Running> {
    const child = spawn(process.execPath, [MAIN, 'sandbox', ...options], {
      cwd: folder,
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    let output = '';
    for (const stream of [child.stdout, child.stderr])
      stream.setEncoding('utf8').on('data', (text: string) => {
        output += text;
      });
    const late = Date.now() + START_MS;
    const isReady = () => /com\.example\.app.*\n/.test(output);
    while (!isReady() && child.exitCode === null && Date.now() < late) await sleep(50);
    assert.ok(isReady(), output);
    return { child, output: () => output };
  }

  async function restart(): Promise<void> {
    const { url } = application();
    const ended = once(running.child, 'exit');
    running.child.kill('SIGKILL');
    await ended;
    // The Kalends of the sandbox ends with it, and must end before its port is free.
    while (await answers(url)) await sleep(50);
    running = await start();
  }

  const printed = (label: string): string =>
    new RegExp(`^  ${label}\\s+(\\S+)$`, 'm').exec(running.output())?.[1] ?? '';
  const application = () => ({
    url: printed('Kalends'),
    clientId: printed('client_id'),
    clientSecret: printed('client_secret'),
    redirectUri: printed('redirect_uri'),
  });

  it('a kept sandbox that was killed has its application, connections, tokens and what was written at a provider', async () => {
    const before = application();
    assert.equal(before.redirectUri, REDIRECT_URI);
    assert.match(printed('webhook secret'), /^whsec_/);
    const tokens = await connectGoogle(before);
    const calendars: { id: string; access: string }[] = JSON.parse(
      await (await read(before, '/calendars', tokens.accessToken)).text(),
    );
    const writable = calendars.find(({ access }) => access === 'write');
    const created = await fetch(`${before.url}/event`, {
      method: 'POST',
      headers: { authorization: `Bearer ${tokens.accessToken}`, 'content-type': 'application/json' },
      body: JSON.stringify({
        ...{ provider: 'google', calendarId: writable?.id, title: 'Kept' },
        ...{ start: '2026-12-01T09:00:00Z', end: '2026-12-01T10:00:00Z' },
      }),
    });
    assert.equal(created.status, 200, await created.text());

    await restart();

    assert.deepEqual(application(), before);
    const next = await tokensOf(await refresh(before, tokens.refreshToken));
    const window = '/events?start=2026-12-01T00:00:00Z&end=2026-12-02T00:00:00Z';
    // Kalends may have noted that its Google ended first; it asks again once its data is ten seconds old.
    const listed = async (): Promise<{ events: { title: string }[]; errors?: unknown[] }> =>
      JSON.parse(await (await read(before, window, next.accessToken)).text());
    let { events, errors } = await listed();
    for (const end = Date.now() + START_MS; errors !== undefined && Date.now() < end; await sleep(500))
      ({ events, errors } = await listed());
    assert.ok(
      events.some(({ title }) => title === 'Kept'),
      JSON.stringify(events),
    );
    assert.equal(errors, undefined);
  });

  it('a command that would go elsewhere says that a sandbox is running, and how to reach it', async () => {
    const commandLine = await openCommandLine({ KALENDS_DATA_DIR: '', KALENDS_DATABASE_URL: '' });
    const here = process.cwd();
    process.chdir(commandLine.dataDir);
    try {
      const { stderr } = await commandLine.run(['client', 'list']);

      assert.match(stderr, /^A sandbox is running, but this command uses /);
      assert.ok(
        stderr.includes(`KALENDS_DATA_DIR=${printed('Data folder')} KALENDS_URL=${printed('Kalends')}`),
        stderr,
      );
    } finally {
      process.chdir(here);
      await commandLine.close();
    }
  });

  it('a client secret that was rotated is printed as such at the next start', async () => {
    const { clientId } = application();
    const env = { KALENDS_DATA_DIR: printed('Data folder') };
    const { exitCode } = await runHere(['client', 'rotate-secret', clientId], { env });
    assert.equal(exitCode, 0);

    await restart();

    assert.match(running.output(), /^ {2}client_secret {4}\(rotated\)$/m);
  });
});

/** Reports whether a server listens there. */
const answers = (url: string): Promise<boolean> =>
  fetch(`${url}/health`).then(
    () => true,
    () => false,
  );

/** Goes through the whole flow at the sandbox's Google and returns the tokens. */
async function connectGoogle(application: Application) {
  const browser = openBrowser();
  await browser.open(
    authorizeUrl(application, { userId: 'ada', parameters: { scope: 'read-write', state: 's' } }),
  );
  await connectAtGoogle(browser);
  return tokensOf(await exchange(application, 'ada'));
}
