/** `kalends listen` beside the running program: changes reach a receiver that other machines cannot call. */
import assert from 'node:assert/strict';
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import path from 'node:path';
import { after, afterEach, before, describe, it } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';

import { Webhook } from 'standardwebhooks';

import { freePort } from '../harness/loopback.ts';
import { runProgram } from '../harness/program.ts';
import { openReceiver, type Receiver } from '../webhooks/receiver.ts';
import { connect, read } from './flow.ts';
import { openSite, type Site, WITHOUT_RADICALE } from './site.ts';

const MAIN = path.resolve(import.meta.dirname, '../../src/start.js');
const PATIENCE_MS = 40_000;
const SECRET = `whsec_${Buffer.alloc(32, 9).toString('base64')}`;

type Listening = {
  readonly child: ChildProcess;
  readonly output: { stdout: string; stderr: string };
};

describe('kalends listen', { skip: WITHOUT_RADICALE }, () => {
  let site: Site;
  let receiver: Receiver;
  let token: string;
  let listening: Listening | undefined;
  before(async () => {
    site = await openSite();
    receiver = await openReceiver();
    token = (await connect(site.application, { userId: 'ada', login: site.login })).accessToken;
    await read(site.application, '/events', token);
  });
  after(async () => {
    receiver?.close();
    await site?.close();
  });
  afterEach(() => {
    listening?.child.kill('SIGKILL');
  });

  const settings = () => ({
    KALENDS_CLIENT_ID: site.application.clientId,
    KALENDS_CLIENT_SECRET: site.application.clientSecret,
    KALENDS_WEBHOOK_SECRET: SECRET,
  });
  const listen = async (forwardTo: string, ...args: string[]): Promise<Listening> => {
    const all = ['listen', '--url', site.program.url, '--forward-to', forwardTo, '--own', ...args];
    const env = { PATH: process.env.PATH ?? '', ...settings() };
    const child = spawn(process.execPath, [MAIN, ...all], { env, stdio: ['ignore', 'pipe', 'pipe'] });
    const output = { stdout: '', stderr: '' };
    child.stdout?.setEncoding('utf8').on('data', (text: string) => (output.stdout += text));
    child.stderr?.setEncoding('utf8').on('data', (text: string) => (output.stderr += text));
    listening = { child, output };
    await until(() => output.stdout.includes('whsec_'), output);
    return listening;
  };
  const until = async (isSo: () => boolean, seen: object): Promise<void> => {
    for (const end = Date.now() + PATIENCE_MS; Date.now() < end; await sleep(50)) if (isSo()) return;
    assert.fail(`It did not come: ${JSON.stringify(seen)}`);
  };
  const make = async (title: string): Promise<void> => {
    const calendars = (await (await read(site.application, '/calendars', token)).json()) as {
      id: string;
    }[];
    const answer = await fetch(`${site.program.url}/event`, {
      method: 'POST',
      headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
      body: JSON.stringify({
        provider: 'caldav',
        calendarId: calendars[0]?.id,
        title,
        start: '2026-12-01T09:00:00Z',
        end: '2026-12-01T10:00:00Z',
      }),
    });
    assert.equal(answer.status, 200, await answer.text());
  };
  const listedEndpoints = async () =>
    (await site.program.command('webhook', 'list')).endpoints as Record<string, unknown>[];
  const told = (title: string) =>
    receiver.received.find(({ body }) => body.events.some((event) => event.title === title));

  it('forwards the signed bytes, prints each with its outcome, continues after a crash of the service, and ends cleanly', async () => {
    const { child, output } = await listen(receiver.url);
    assert.ok(output.stdout.includes(SECRET));
    const [listed] = await listedEndpoints();
    assert.match(String(listed?.expires_at), /^20/);
    await assert.rejects(
      site.program.command('webhook', 'test', String(listed?.endpoint_id)),
      /is a listener/,
    );
    await make('Heard');
    await until(() => told('Heard') !== undefined && output.stdout.includes('-> '), output);

    const { headers, raw } = told('Heard') ?? assert.fail();
    const named = Object.fromEntries(Object.entries(headers).map(([name, value]) => [name, String(value)]));
    new Webhook(SECRET).verify(raw, named);
    assert.match(output.stdout, /created \(1 event\) {2}caldav {2}ada .* -> {2}204 in \d+ ms/);

    receiver.answer = () => ({ status: 500 });
    await site.program.kill();
    await until(() => output.stderr.includes('cannot be reached'), output);
    await site.program.start();
    await make('Heard again');
    await until(() => told('Heard again') !== undefined && output.stdout.includes('500 in'), output);
    assert.equal(
      receiver.received.filter(({ body }) => body.events.some(({ title }) => title === 'Heard again')).length,
      1,
    );

    child.kill('SIGINT');
    const [code] = await once(child, 'close');
    assert.equal(code, 0, output.stderr);
    assert.deepEqual(await listedEndpoints(), []);
  });

  it('prints documents for programs, one a line, whether a receiver is there or not', async () => {
    const { output } = await listen(`http://127.0.0.1:${await freePort()}/nobody`, '--json');
    await make('As JSON');
    await until(() => output.stdout.includes('As JSON'), output);

    const [first, second] = output.stdout
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line));
    assert.equal(first.secret, SECRET);
    assert.equal(second.status, null);
    assert.equal(second.fault, 'ECONNREFUSED');
    assert.equal(second.body.events[0].title, 'As JSON');
  });

  it('says what is wrong where trying again would not help', async () => {
    const run = (env: Record<string, string>, ...args: string[]) =>
      runProgram(['listen', ...args], { ...settings(), ...env });

    const wrong = await run({ KALENDS_CLIENT_SECRET: 'wrong' }, '--url', site.program.url);
    assert.equal(wrong.code, 1);
    assert.match(wrong.stderr, /rejects this client id or this client secret/);
    const silent = await run({ KALENDS_CLIENT_SECRET: '' }, '--url', site.program.url);
    assert.notEqual(silent.code, 0);
    const plain = await run({}, '--url', 'http://kalends.example.com');
    assert.equal(plain.code, 2);
    assert.match(plain.stderr, /must be https/);
    const missing = await run({});
    assert.equal(missing.code, 2);
    assert.match(missing.stderr, /--url URL is missing/);
    const elsewhere = await run({}, '--url', `${site.program.url}/nowhere`);
    assert.equal(elsewhere.code, 1);
    assert.match(elsewhere.stderr, /not_found|no route|public URL|returns 404|nothing/i);
    const kinds = await run({}, '--url', site.program.url, '--hears', 'everything');
    assert.equal(kinds.code, 1);
    assert.match(kinds.stderr, /hears must be a list of events, calendars, connections/);
  });
});
