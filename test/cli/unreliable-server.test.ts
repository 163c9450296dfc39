/** Commands with `--server` at servers that lose or change responses. */
import assert from 'node:assert/strict';
import { mkdtemp, readdir, rm } from 'node:fs/promises';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { describe, it } from 'node:test';

import { runHere } from '../harness/command-here.ts';

const KEY = 'environment-key-of-32-characters-or-more';

const urlOf = (server: Server) => `http://127.0.0.1:${(server.address() as AddressInfo).port}`; // a TCP server's

type Answer = (request: IncomingMessage, reply: ServerResponse, count: number) => void;

/** Serves `answer` and returns the run of a command there, and the headers of the requests. */
async function runAt(answer: Answer, args: readonly string[]) {
  const requests: IncomingMessage[] = [];
  const server = createServer((request, reply) => answer(request, reply, requests.push(request)));
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const url = urlOf(server);
  const run = await runHere(args, { env: { KALENDS_SERVER: url, KALENDS_ADMIN_KEY: KEY } });
  server.close();
  assert.ok(!`${run.stdout}${run.stderr}`.includes(KEY));
  return { ...run, requests };
}

const ROTATE = ['admin', 'key', 'rotate', 'ak_1'];
const CREATE = ['admin', 'key', 'create', '--name', 'N', '--role', 'owner'];

describe('a command at another server', () => {
  it('repeats a POST once after a lost response, with the same Idempotency-Key', async () => {
    const { requests, exitCode, stderr } = await runAt((_, reply) => reply.destroy(), CREATE);
    assert.deepEqual([requests.length, exitCode], [2, 1]);
    assert.match(stderr, /cannot be reached/);
    const [first, second] = requests.map(({ headers }) => headers['idempotency-key']);
    assert.match(String(first), /^[\w-]{36}$/);
    assert.equal(second, first);
  });

  it('prints the output of the second attempt', async () => {
    const answer: Answer = (_, reply, count) => {
      if (count === 1) return void reply.destroy();
      reply.setHeader('content-type', 'application/vnd.kalends.command+json; charset=utf-8');
      reply.end(JSON.stringify({ json: {}, text: 'Done.' }));
    };
    const { stdout, requests } = await runAt(answer, ROTATE);
    assert.deepEqual([stdout, requests.length], ['Done.\n', 2]);
  });

  it('leaves no file if an export breaks off', async () => {
    const folder = await mkdtemp(path.join(tmpdir(), 'kalends-export-'));
    const answer: Answer = (_, reply) => {
      reply.writeHead(200, { 'content-type': 'application/json' });
      reply.write('{"kalends_user_export":1', () => reply.destroy());
    };
    const args = ['user', 'export', 'proj1', 'ada', '--output', path.join(folder, 'ada.json')];
    const { exitCode, stderr } = await runAt(answer, args);
    assert.equal(exitCode, 1);
    assert.match(stderr, /cannot be reached/);
    assert.deepEqual(await readdir(folder), []);
    await rm(folder, { recursive: true });
  });

  it('does not repeat a DELETE', async () => {
    const revoke = ['admin', 'key', 'revoke', 'ak_1', '--yes'];
    assert.equal((await runAt((_, reply) => reply.destroy(), revoke)).requests.length, 1);
  });

  it('does not follow a redirect, and says that a response is not of Kalends', async () => {
    const redirect: Answer = (_, reply) => reply.writeHead(302, { location: '/admin/v1/keys' }).end();
    const page: Answer = (_, reply) => reply.writeHead(200, { 'content-type': 'text/html' }).end('<p>Hello');
    for (const answer of [redirect, page]) {
      const { stderr, exitCode, requests } = await runAt(answer, ['admin', 'key', 'list']);
      assert.deepEqual([exitCode, requests.length], [1, 1]);
      assert.match(stderr, /Is it the origin of the administration API/);
    }
  });

  it('is wrong usage for a command without an operation, and without a key', async () => {
    const { exitCode, stderr } = await runAt(() => undefined, ['keys', 'rotate-master']);
    assert.equal(exitCode, 2);
    assert.match(stderr, /"kalends keys rotate-master" cannot run at a server/);
    const list = ['client', 'list', '--server', 'https://kalends.example'];
    assert.match((await runHere(list, { env: {} })).stderr, /Set KALENDS_ADMIN_KEY/);
  });

  it('sends the key over plain http only to this machine, or with --allow-http', async () => {
    const at = (...options: string[]) =>
      runHere(['client', 'list', '--server', 'http://kalends.invalid', ...options], {
        env: { KALENDS_ADMIN_KEY: KEY },
      });
    const refused = await at();
    assert.equal(refused.exitCode, 2);
    assert.match(refused.stderr, /unencrypted/);
    assert.match((await at('--allow-http')).stderr, /cannot be reached/);
    for (const address of ['kalends.example', 'https://u:secret@kalends.example']) {
      const { exitCode, stderr } = await runHere(['client', 'list', '--server', address], { env: {} });
      assert.equal(exitCode, 2);
      assert.doesNotMatch(stderr, /secret/);
    }
  });
});
