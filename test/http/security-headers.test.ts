/** The headers of every answer, of every route and of what never reaches one (docs/security.md T10). */
import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { connect } from 'node:net';
import { after, before, describe, it } from 'node:test';

import type { FastifyInstance } from 'fastify';

import { ApiError } from '../../src/http/refusal.ts';
import { createServer } from '../../src/http/server.ts';
import { createSealer } from '../../src/lib/sealing.ts';
import { WRITING } from '../../src/writing/calendar-turn.ts';
import { type CalendarServer, openCalendarServer } from '../harness/calendar-server.ts';
import { openWholeApp, type Route } from '../harness/whole-app.ts';
import { recordingLog } from '../servers/recording-log.ts';

type Answer = {
  readonly status: number;
  /** Names in lower case. */
  readonly headers: Readonly<Record<string, unknown>>;
  readonly body: string;
};

/** The pages that a popup's opener waits for: those of the flow, in either mount, and what providers come back to. */
const FLOW = /^(\/api\/oauth|\/fapi2)?\/authorize$|^\/reconnect\/|^\/connect\/(?!logos\/)/;
const NEVER_USED = ['camera', 'microphone', 'geolocation', 'payment', 'usb', 'serial', 'hid'];

let server: CalendarServer;
let app: FastifyInstance;
let routes: readonly Route[];
let port: number;
before(async () => {
  const sealer = createSealer(randomBytes(32));
  server = await openCalendarServer({ sealer });
  ({ app, routes } = await openWholeApp(server, sealer));
  await app.listen({ host: '127.0.0.1', port: 0 });
  const address = app.server.address();
  assert.ok(address !== null && typeof address === 'object');
  port = address.port;
});
after(async () => {
  await app?.close();
  await server?.close();
});

function assertGuarded({ headers }: Answer, keepsOpener = false): void {
  assert.equal(headers['x-content-type-options'], 'nosniff');
  assert.equal(headers['referrer-policy'], 'no-referrer');
  assert.equal(headers['x-frame-options'], 'DENY');
  assert.equal(headers['cross-origin-resource-policy'], 'same-origin');
  assert.equal(headers['cross-origin-opener-policy'], keepsOpener ? undefined : 'same-origin');
  assert.match(String(headers['strict-transport-security']), /^max-age=\d{8}$/);
  assert.match(String(headers['content-security-policy']), /^default-src 'none'; .*frame-ancestors 'none'/);
  const features = String(headers['permissions-policy']).split(', ');
  for (const feature of NEVER_USED) assert.ok(features.includes(`${feature}=()`), feature);
}

/** Refusals have the shape of docs/wire.md 3.1, with a name that says something. */
function assertRefused(answer: Answer, status: number, error: string): void {
  assert.equal(answer.status, status, answer.body);
  const body = JSON.parse(answer.body);
  assert.equal(body.error, error);
  for (const member of ['message', 'code']) assert.match(body[member], /\w/, member);
}

/** Returns the response to these bytes once the server closes the connection. */
async function send(bytes: string): Promise<Answer> {
  const socket = connect(port, '127.0.0.1');
  await once(socket, 'connect');
  socket.write(bytes, 'latin1');
  let text = '';
  for await (const chunk of socket.setEncoding('latin1')) text += chunk;
  const [head = '', body = ''] = text.split('\r\n\r\n');
  const [statusLine = '', ...lines] = head.split('\r\n');
  const headers = Object.fromEntries(
    lines.map((line) => [line.slice(0, line.indexOf(':')).toLowerCase(), line.slice(line.indexOf(':') + 2)]),
  );
  return { status: Number(statusLine.split(' ')[1]), headers, body };
}

async function ask(method: string, url: string, accept: string): Promise<Answer> {
  // Inject has a type for the methods it knows; the router has them from the same list.
  const request = { method: method as 'GET', url, headers: { accept } };
  const { statusCode, headers, body } = await app.inject(request);
  return { status: statusCode, headers, body };
}

describe('every answer', () => {
  it('every answer of every route tells the browser to do nothing else with it', async () => {
    assert.ok(routes.length > 80);
    for (const { method, path } of routes) {
      for (const accept of ['application/json', 'text/html']) {
        const answer = await ask(method.toUpperCase(), path, accept);
        try {
          assertGuarded(answer, FLOW.test(path));
        } catch (cause) {
          throw new Error(`${method} ${path} (${answer.status})`, { cause });
        }
      }
    }
  });

  it('every answer but the pages of the flow cuts off the window that opened it', async () => {
    const flow = routes.filter(({ path }) => FLOW.test(path)).map(({ path }) => path);

    for (const path of [
      '/authorize',
      '/api/oauth/authorize',
      '/fapi2/authorize',
      '/connect/consent',
      '/connect/google/callback',
    ]) {
      assert.ok(flow.includes(path), path);
    }
    assertGuarded(await ask('GET', `/connect/logos/${'0'.repeat(64)}.webp`, 'text/html'));
    assertGuarded(await ask('GET', '/', 'text/html'));
  });

  for (const [name, method, path] of [
    ['an unknown path', 'GET', '/nothing'],
    ['a method that a path does not have', 'DELETE', '/token'],
    ['HEAD where there is only GET', 'HEAD', '/authorize'],
    ['OPTIONS', 'OPTIONS', '/calendars'],
    ['a path that is no percent-encoding', 'GET', '/%zz'],
    ['a path parameter that is too long', 'GET', `/connect/logos/${'x'.repeat(5000)}.webp`],
  ] as const) {
    it(`every answer to ${name} does so too`, async () => {
      const answer = await ask(method, path, '*/*');

      assert.ok(answer.status >= 400 && answer.status < 500, String(answer.status));
      assertGuarded(answer);
      assert.match(String(answer.headers['x-request-id']), /\w/);
    });
  }

  for (const [name, contentType, payload, status, error] of [
    ['a body that is too large', 'application/json', `"${'x'.repeat(1_100_000)}"`, 413, 'Payload Too Large'],
    ['a body of another type', 'text/xml', '<x/>', 415, 'Unsupported Media Type'],
    ['a body that cannot be read', 'application/json', '{', 400, 'Bad Request'],
    ['what fails', 'application/json', '{}', 500, 'server_error'],
    ['what a provider is to blame for', 'application/json', '{"bad":1}', 502, 'Bad Gateway'],
  ] as const) {
    it(`every response to ${name} names its error`, async () => {
      const plain = createServer({ log: recordingLog().log, trustProxy: undefined, secure: true });
      plain.post('/', async ({ body }) => {
        if (Object.keys(body ?? {}).length > 0) throw new ApiError(WRITING.provider_error, 'No answer');
        throw new Error('A fault');
      });
      const headers = { 'content-type': contentType };

      const response = await plain.inject({ method: 'POST', url: '/', headers, payload });

      const answer = { status: response.statusCode, headers: response.headers, body: response.body };
      assertRefused(answer, status, error);
      assertGuarded(answer);
    });
  }
});

describe('bytes that reach no route', () => {
  const HOST = 'Host: 127.0.0.1\r\n';
  for (const [name, bytes, status, error] of [
    ['no request', 'anything\r\n\r\n', 400, 'Bad Request'],
    [
      'two lengths of one body',
      `POST /token HTTP/1.1\r\n${HOST}Content-Length: 1\r\nContent-Length: 2\r\n\r\n`,
      400,
      'Bad Request',
    ],
    ['no Host', 'GET /health HTTP/1.1\r\nConnection: close\r\n\r\n', 400, 'Bad Request'],
    [
      'an Expect that nobody can meet',
      `GET /health HTTP/1.1\r\n${HOST}Expect: tea\r\nConnection: close\r\n\r\n`,
      417,
      'Expectation Failed',
    ],
    [
      'a header that is too large',
      `GET /health HTTP/1.1\r\n${HOST}X: ${'x'.repeat(70_000)}\r\n\r\n`,
      431,
      'Request Header Fields Too Large',
    ],
    [
      'a path that is no percent-encoding',
      `GET /%zz HTTP/1.1\r\n${HOST}Connection: close\r\n\r\n`,
      400,
      'Bad Request',
    ],
    ['an unknown method', `BREW / HTTP/1.1\r\n${HOST}\r\n`, 400, 'Bad Request'],
  ] as const) {
    it(`${name} is refused in the shape of every refusal, with the headers of every answer`, async () => {
      const answer = await send(bytes);

      assertRefused(answer, status, error);
      assertGuarded(answer);
      assert.equal(answer.headers['content-type'], 'application/json; charset=utf-8');
    });
  }

  it('HTTP/1.0 needs no Host', async () => {
    assert.equal((await send('GET /health HTTP/1.0\r\n\r\n')).status, 200);
  });

  it('Expect: 100-continue is met', async () => {
    const answer = await send(
      `GET /health HTTP/1.1\r\n${HOST}Expect: 100-continue\r\nConnection: close\r\n\r\n`,
    );

    assert.equal(answer.status, 100);
  });
});
