/** Keys at an address of the application: it can be slow, huge or hostile, and harms nobody else. */
import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { createServer, type RequestListener, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterEach, beforeEach, describe, it } from 'node:test';
import { createEgress, type Egress } from '../../src/lib/egress/egress.ts';
import { createSealer } from '../../src/lib/sealing.ts';
import { type LogEntry, recordingLog } from '../servers/recording-log.ts';
import { assertionOf, newKey, postAssertion, type SigningKey, setOf, useKeys } from './assertions.ts';
import { type OAuthServer, openOAuthServer } from './oauth-server.ts';

const MINUTE = 60_000;
const HOUR = 60 * MINUTE;
/** Milliseconds of real time until a request is given up: sites that never answer fail fast, others may be slow. */
const [IMPATIENT, PATIENT] = [3_000, 30_000];
const NO_ANSWER = /respond in time/;
const json =
  (body: object, headers: Record<string, string> = {}): RequestListener =>
  (_request, response) =>
    response.writeHead(200, headers).end(JSON.stringify(body));

describe('jwks_uri', () => {
  const [key, second] = [newKey(), newKey('Ed25519')];
  const sealer = createSealer(randomBytes(32));
  let server: OAuthServer;
  let site: Server;
  let entries: LogEntry[];
  let listener: RequestListener;
  let paths: string[];
  let egress: Egress;
  let timeoutMs = PATIENT;
  beforeEach(async () => {
    paths = [];
    timeoutMs = PATIENT;
    listener = json(setOf(key));
    site = createServer((request, response) => {
      paths.push(request.url ?? '');
      listener(request, response);
    });
    await new Promise<void>((resolve) => site.listen(0, '127.0.0.1', resolve));
    egress = createEgress({ privateNetwork: { mode: 'allow' } });
    const recorded = recordingLog();
    entries = recorded.entries;
    const timed: Pick<Egress, 'request'> = { request: (sent) => egress.request({ ...sent, timeoutMs }) };
    server = await openOAuthServer('HS256', { sealer, log: recorded.log, egress: timed });
    await useKeys(server, { jwksUri: url(), isPublicOnly: false });
    await useKeys(server, { jwks: JSON.stringify(setOf(key)) }, 'other');
  });
  afterEach(async () => {
    await server.close();
    await egress.close();
    site.closeAllConnections();
    site.close();
  });
  // Port 0 is never reached: `site` listens first.
  const url = () => `http://127.0.0.1:${(site.address() as AddressInfo).port}/jwks`;
  const authenticate = (signer: SigningKey = key, clientId = 'acme') =>
    postAssertion(server.app, assertionOf(signer, server.clock.now, { iss: clientId, sub: clientId }));
  const status = async (...sent: Parameters<typeof authenticate>) => (await authenticate(...sent)).statusCode;
  const failures = () =>
    entries.flatMap(({ fields }) =>
      'reason' in fields && 'event' in fields ? [`${fields.event}: ${fields.reason}`] : [],
    );

  it('the set is read once, and again after five minutes', async () => {
    assert.deepEqual([await status(), await status(), paths.length], [200, 200, 1]);

    server.clock.now += 5 * MINUTE;
    assert.deepEqual([await status(), paths.length], [200, 2]);
  });

  it('the lifetime is that of Cache-Control, at most 24 hours', async () => {
    listener = json(setOf(key), { 'cache-control': 'public, max-age=999999999' });
    await status();

    server.clock.now += 24 * HOUR - 1;
    await status();
    assert.equal(paths.length, 1);
    server.clock.now += 1;
    await status();
    assert.equal(paths.length, 2);
  });

  it('an unknown kid reads the set again, at most once a minute', async () => {
    await status();
    listener = json(setOf(second));
    assert.equal(await status(second), 400, 'within the minute');

    server.clock.now += MINUTE;
    assert.deepEqual([await status(second), paths.length], [200, 2]);
    assert.deepEqual([await status(key), await status(key), paths.length], [400, 400, 2], 'the old key');
  });

  it('instances share what was read', async () => {
    await status();
    const other = await openOAuthServer('HS256', { db: server.db, sealer, egress });

    const answer = await postAssertion(other.app, assertionOf(key, other.clock.now));

    await other.close();
    assert.deepEqual([answer.statusCode, paths.length], [200, 1]);
  });

  it('if the site fails, the last set is used for 24 hours after it was read', async () => {
    await status();
    listener = (_request, response) => response.writeHead(500).end();
    server.clock.now += 24 * HOUR - 1;
    assert.equal(await status(), 200);

    server.clock.now += MINUTE;
    const answer = await authenticate();
    assert.deepEqual([answer.statusCode, answer.json().error], [503, 'temporarily_unavailable']);
    assert.equal(answer.headers['retry-after'], '60');
    assert.deepEqual(failures(), ['client_keys_not_read: status 500', 'client_keys_not_read: status 500']);
  });

  const { privateKey } = key;
  const hostile: Record<string, [RequestListener, RegExp]> = {
    'never responds': [() => {}, NO_ANSWER],
    'sends a little at a time': [
      (_request, response) => {
        response.writeHead(200);
        const timer = setInterval(() => response.write(' '), 20);
        response.once('close', () => clearInterval(timer));
      },
      NO_ANSWER,
    ],
    'is huge': [(_request, response) => void response.writeHead(200).end(' '.repeat(200_000)), /larger than/],
    'redirects to a good set': [
      (request, response) =>
        request.url === '/good'
          ? json(setOf(key))(request, response)
          : void response.writeHead(302, { location: '/good' }).end(),
      /status 302/,
    ],
    'shows private keys': [
      json({ keys: [{ ...privateKey.export({ format: 'jwk' }), kid: key.kid }] }),
      /public keys only/,
    ],
    'has no keys': [json({ keys: [] }), /1 to 10/],
    'is no JSON': [(_request, response) => void response.writeHead(200).end('<html>'), /1 to 10/],
    'has deep JSON': [
      (_request, response) => void response.writeHead(200).end(`{"keys":${'['.repeat(40_000)}`),
      /1 to 10/,
    ],
  };
  for (const [name, [listen, reason]] of Object.entries(hostile))
    it(`a site that ${name} is 503 for its application only, read and logged once a minute`, async () => {
      listener = listen;
      if (reason === NO_ANSWER) timeoutMs = IMPATIENT;

      const [first, others] = await Promise.all([
        Promise.all(Array.from({ length: 10 }, () => authenticate())),
        Promise.all(Array.from({ length: 10 }, () => authenticate(key, 'other'))),
      ]);
      await authenticate();

      for (const answer of first) {
        assert.deepEqual([answer.statusCode, answer.json().error], [503, 'temporarily_unavailable']);
        assert.equal(answer.headers['retry-after'], '60');
      }
      assert.deepEqual(
        others.map(({ statusCode }) => statusCode),
        Array.from({ length: 10 }, () => 200),
      );
      assert.deepEqual(paths, ['/jwks']);
      assert.equal(failures().length, 1);
      assert.match(failures()[0] ?? '', reason);
      [listener, timeoutMs] = [json(setOf(key)), PATIENT];
      server.clock.now += MINUTE;
      assert.equal(await status(), 200, 'it recovers');
    });

  it('an address that a developer set never reaches a private network', async () => {
    await useKeys(server, { jwksUri: url(), isPublicOnly: true });

    assert.equal(await status(), 503);
    assert.deepEqual(paths, []);
  });

  it('assertions with a wrong claim cause no request', async () => {
    const wrong = assertionOf(key, server.clock.now, { aud: 'https://other.example' });

    assert.equal((await postAssertion(server.app, wrong)).statusCode, 400);
    assert.deepEqual(paths, []);
  });
});
