/** Application hosts as docs/operations.md sets them up: nginx with a wildcard host and TLS before the running program. */
import assert from 'node:assert/strict';
import { writeFileSync } from 'node:fs';
import type { IncomingMessage } from 'node:http';
import { request } from 'node:https';
import path from 'node:path';
import { text } from 'node:stream/consumers';
import { after, before, describe, it } from 'node:test';

import { counterpart } from '../harness/counterpart.ts';
import { freePort } from '../harness/loopback.ts';
import { type Program, prepareProgram, REDIRECT_URI, type Registration } from '../harness/program.ts';
import { NGINX, startNginx } from '../servers/nginx.ts';
import { type Running, removeFolder, temporaryFolder } from '../servers/process.ts';
import { certificateFor } from '../servers/tls-front.ts';
import { CRYPTOGRAPHY, verdictOf } from '../webhooks/python-verifier.ts';
import { openReceiver, type Received, type Receiver } from '../webhooks/receiver.ts';
import { blockAfter } from './docs-blocks.ts';

const PUBLIC = 'https://calendars.example.com';
const SUFFIX = 'hooks.example.com';
const LIST = '/.well-known/webhook-keys';

describe('application hosts behind nginx', counterpart('nginx', NGINX), () => {
  let program: Program;
  let application: Registration;
  let withOwnKeys: string;
  let receiver: Receiver;
  const endpoints: string[] = [];
  let nginx: Running;
  let folder: string;
  let port: number;
  let host: string;
  const certificate = certificateFor(['calendars.example.com', `*.${SUFFIX}`]);
  before(async () => {
    const env = {
      KALENDS_URL: PUBLIC,
      KALENDS_APPLICATION_HOSTS: `https://{client_id}.${SUFFIX}`,
      KALENDS_TRUST_PROXY: '1',
      KALENDS_PRIVATE_NETWORK: 'loopback',
    };
    program = await prepareProgram({ env });
    application = await program.createClient();
    const words = ['--name', 'With own keys', '--redirect-uri', REDIRECT_URI, '--own-webhook-keys'];
    const { client_id } = await program.command('client', 'create', ...words);
    withOwnKeys = String(client_id).toLowerCase();
    receiver = await openReceiver();
    for (const clientId of [application.clientId, String(client_id)]) {
      const added = await program.command('webhook', 'add', clientId, '--url', `${receiver.url}/${clientId}`);
      endpoints.push(String(added.endpoint_id));
    }
    await program.start();
    host = `${application.clientId}.${SUFFIX}`;
    port = await freePort();
    folder = temporaryFolder('certificates');
    for (const file of ['calendars.pem', 'calendars.key', 'hooks.pem', 'hooks.key'])
      writeFileSync(path.join(folder, file), certificate);
    const blocks = [
      await blockAfter('nginx:', 'nginx'),
      await blockAfter('nginx with application hosts:', 'nginx'),
    ];
    const servers = blocks
      .join('')
      .replaceAll('/etc/ssl/', `${folder}/`)
      .replaceAll('listen 443', `listen 127.0.0.1:${port}`)
      .replaceAll('http://127.0.0.1:8080', program.url);
    nginx = await startNginx(servers, `http://127.0.0.1:${port}/`);
  });
  after(async () => {
    await nginx?.stop();
    receiver?.close();
    await program?.dispose();
    if (folder !== undefined) removeFolder(folder);
  });

  type Sent = { method?: string; headers?: Record<string, string>; body?: string };
  /** Requests a URL of these hosts from nginx, without DNS. */
  const send = async (url: string, { method = 'GET', headers = {}, body }: Sent = {}) => {
    const { hostname, pathname, search } = new URL(url);
    const options = { host: '127.0.0.1', port, servername: hostname, ca: certificate, agent: false as const };
    const outgoing = request({
      ...options,
      method,
      path: pathname + search,
      headers: { host: hostname, ...headers },
    });
    const answered = Promise.withResolvers<IncomingMessage>();
    outgoing.on('response', answered.resolve).on('error', answered.reject).end(body);
    const response = await answered.promise;
    return { status: response.statusCode, headers: response.headers, body: await text(response) };
  };

  it('an SDK’s calls reach the interface at the application’s host', async () => {
    const authorization = `Basic ${btoa(`${application.clientId}:${application.clientSecret}`)}`;
    const form = { 'content-type': 'application/x-www-form-urlencoded', authorization };
    const body = `grant_type=authorization_code&code=ada&redirect_uri=${encodeURIComponent(application.redirectUri)}`;

    const token = await send(`https://${host}/api/oauth/token`, { method: 'POST', headers: form, body });
    assert.deepEqual([token.status, JSON.parse(token.body).error], [400, 'invalid_grant']);
    for (const prefix of ['', '/api', '/api/oauth'])
      assert.equal((await send(`https://${host}${prefix}/events`)).status, 401);
    assert.equal((await send(`https://${host}/api/health`)).status, 200);
  });

  it('a browser is sent from the application’s host to the public one, where the flow begins', async () => {
    const { clientId, redirectUri } = application;
    const query = new URLSearchParams({
      client_id: clientId,
      redirect_uri: redirectUri,
      user_id: 'ada',
      state: 's',
    });
    const there = await send(`https://${host}/api/oauth/authorize?${query}`);
    const location = String(there.headers.location);

    assert.deepEqual([there.status, there.headers['set-cookie']], [302, undefined]);
    assert.equal(location, `${PUBLIC}/api/oauth/authorize?${query}`);
    const flow = await send(location);
    assert.equal(flow.status, 302);
    assert.match(String(flow.headers['set-cookie']), /oauth_req=/);
  });

  it('pages are at the public host alone', async () => {
    for (const page of ['/', '/docs', '/dashboard', '/dashboard/sign-in']) {
      const answer = await send(`https://${host}${page}`);
      assert.deepEqual([answer.status, answer.headers['set-cookie']], [404, undefined], page);
      assert.notEqual((await send(PUBLIC + page)).status, 404, page);
    }
  });

  it('a caller cannot select another host by X-Forwarded-Host', async () => {
    const headers = { 'x-forwarded-host': host };

    assert.equal((await send(`${PUBLIC}/dashboard/sign-in`, { headers })).status, 200);
    assert.equal((await send(`${PUBLIC}${LIST}`, { headers })).body, (await send(`${PUBLIC}${LIST}`)).body);
    const back = { 'x-forwarded-host': 'calendars.example.com' };
    assert.equal((await send(`https://${host}/docs`, { headers: back })).status, 404);
  });

  describe('before a verifier in Python', counterpart('python3-cryptography', CRYPTOGRAPHY), () => {
    /** Returns the verdict of a receiver that takes the keys at the origin of its base URL. */
    const verdict = async (delivery: Received, origin: string) => {
      const { status, body } = await send(`${origin}${LIST}`);
      assert.equal(status, 200);
      return verdictOf(delivery, `data:application/json,${encodeURIComponent(body)}`);
    };

    it('the list at a host verifies the deliveries of its application, and of no other one', async () => {
      for (const endpoint of endpoints) await program.command('webhook', 'test', endpoint);
      const [shared, own] = receiver.received;
      assert.ok(shared !== undefined && own !== undefined);
      const ownHost = `https://${withOwnKeys}.${SUFFIX}`;

      assert.equal(await verdict(own, ownHost), 'verified');
      assert.equal(await verdict(shared, `https://${host}`), 'verified');
      assert.equal(await verdict(shared, PUBLIC), 'verified');
      for (const [delivery, origin] of [
        [shared, ownHost],
        [own, `https://${host}`],
        [own, PUBLIC],
      ] as const)
        assert.equal(await verdict(delivery, origin), 'no_matching_signature');
    });
  });

  it('the key list of a host without an application is 404', async () => {
    assert.equal((await send(`https://nobody.${SUFFIX}${LIST}`)).status, 404);
    assert.equal((await send(`${PUBLIC}${LIST}`)).status, 200);
  });
});
