/** How large the parts of a request may be, over every route of the program (docs/operations.md, Limits). */
import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { type AddressInfo, connect } from 'node:net';
import { after, before, describe, it } from 'node:test';

import type { FastifyInstance } from 'fastify';

import { createSealer } from '../../src/lib/sealing.ts';
import { type CalendarServer, openCalendarServer } from '../harness/calendar-server.ts';
import { openWholeApp, type Route } from '../harness/whole-app.ts';
import { type Answer, lastAnswer, openSmallServer } from './small-server.ts';

const OAUTH = /^(\/api\/oauth)?\/(token|revoke|par)$/;
/** An id as Outlook makes them. */
const OUTLOOK_ID = `${'AAMkAGViNDU3'.repeat(12)}AAA=`;

let server: CalendarServer;
let app: FastifyInstance;
let routes: readonly Route[];
before(async () => {
  const sealer = createSealer(randomBytes(32));
  server = await openCalendarServer({ sealer });
  ({ app, routes } = await openWholeApp(server, sealer));
  await app.listen({ host: '127.0.0.1', port: 0 });
});
after(async () => {
  await app?.close();
  await server?.close();
});

/** Returns the response to a head of these lines, without one byte of the announced body. */
function withoutBody(...lines: string[]): Promise<Answer> {
  const { port } = app.server.address() as AddressInfo; // it listens on a port
  const socket = connect(port, '127.0.0.1');
  socket.write(`${lines.join('\r\n')}\r\nhost: localhost\r\nconnection: close\r\n\r\n`);
  return lastAnswer(socket);
}

describe('a body', () => {
  it('no body of more than 48 kB is read of anybody who is not known', async () => {
    const taking = routes.filter(({ method }) => ['post', 'put', 'delete'].includes(method));
    assert.ok(taking.length > 50);
    for (const { method, path } of taking) {
      const target = path.replaceAll(/:\w+/g, 'x');
      const { status, body } = await withoutBody(
        `${method.toUpperCase()} ${target} HTTP/1.1`,
        'content-type: application/json',
        'content-length: 50000',
      );

      const of = `${method} ${path}: ${JSON.stringify(body)}`;
      // A network without a valid admin key gets 429 after 30 requests.
      assert.ok([401, 413, 429].includes(status), of);
      if (status === 413) assert.match(String(body.message), /must not be larger than (16|48) kB/, of);
      if (OAUTH.test(path)) assert.equal(body.error_description, body.message, of);
    }
  });

  for (const length of ['content-length: 100', 'transfer-encoding: chunked']) {
    it(`no body is read where there is nothing (${length})`, async () => {
      const { status } = await withoutBody('POST /nothing HTTP/1.1', 'content-type: text/plain', length);

      assert.equal(status, 404);
    });
  }

  it('a path that is not there is not said in full where it is long', async () => {
    const answer = await app.inject({ method: 'GET', url: `/${'x'.repeat(30_000)}` });

    assert.equal(answer.statusCode, 404);
    assert.ok(answer.body.length < 1000);
  });

  for (const [what, levels, message] of [
    ['64 levels', 64, /^(?!.*nested)/],
    ['65 levels', 65, /^The body must not be nested deeper than 64 levels$/],
    ['500,000 levels', 500_000, /^The body must not be nested deeper than 64 levels$/],
  ] as const) {
    it(`JSON of ${what} is ${levels > 64 ? 'refused' : 'read'}`, async () => {
      const authorization = `Bearer ${await server.token('read-write')}`;
      const payload = `{"custom":${'['.repeat(levels - 1)}${']'.repeat(levels - 1)}}`;
      const headers = { authorization, 'content-type': 'application/json' };

      const answer = await app.inject({ method: 'POST', url: '/event', headers, payload });

      assert.equal(answer.statusCode, 400);
      assert.equal(answer.json().code, 'invalid_request');
      assert.match(answer.json().message, message);
    });
  }

  it('JSON that is too deep is refused in the shape of OAuth there', async () => {
    const headers = { 'content-type': 'application/json' };
    const payload = `{"token":${'['.repeat(5000)}${']'.repeat(5000)}}`;

    const answer = await app.inject({ method: 'POST', url: '/revoke', headers, payload });

    assert.equal(answer.statusCode, 400);
    assert.equal(answer.json().error, 'invalid_request');
    assert.match(answer.json().error_description, /64 levels/);
  });
});

describe('the room of bodies', () => {
  const part = (bytes: number) => `{"a":"${'x'.repeat(bytes)}`;
  const head = (bytes: number, caller = 'ada') =>
    `POST /echo HTTP/1.1\r\nhost: localhost\r\nauthorization: ${caller}\r\nconnection: close\r\ncontent-type: application/json\r\ncontent-length: ${bytes}\r\n\r\n`;

  it('bodies of a caller that are on their way have so much room together, and it is free again when they are here', async () => {
    const small = await openSmallServer({ bodyRoom: { most: 400_000, small: 1000 } }, (one) => {
      one.post('/echo', async ({ body }) => ({ length: JSON.stringify(body).length }));
    });
    const first = await small.connection();
    first.write(head(90_008) + part(89_000));
    const second = await small.connection();
    second.write(head(90_008) + part(89_000));

    const refused = await lastAnswer(second);
    first.write(`${'x'.repeat(1000)}"}`);
    const taken = await lastAnswer(first);
    const third = await small.connection();
    third.write(`${head(90_008) + part(90_000)}"}`);
    const after = await lastAnswer(third);
    await small.close();

    assert.equal(refused.status, 503);
    assert.equal(refused.headers.get('retry-after'), '5');
    assert.equal(refused.body.code, 'too_many_bodies');
    assert.deepEqual(refused.body.details, { body: [refused.body.message] });
    assert.deepEqual([taken.body, after.body], [{ length: 90_008 }, { length: 90_008 }]);
  });

  it('four callers fill the room of all', async () => {
    const small = await openSmallServer({ bodyRoom: { most: 400_000, small: 1000 } }, (one) => {
      one.post('/echo', async ({ body }) => ({ length: JSON.stringify(body).length }));
    });
    const answers = ['ada', 'ben', 'eve', 'dan', 'joe'].map(async (caller) => {
      const socket = await small.connection();
      socket.write(head(99_008, caller) + part(99_000));
      return lastAnswer(socket);
    });
    // The request whose last part came last is refused.
    const { status } = await Promise.race(answers);
    await Promise.all([small.close(), Promise.allSettled(answers)]);

    assert.equal(status, 503);
  });

  it('a client that goes away leaves its room to others', async () => {
    const small = await openSmallServer({ bodyRoom: { most: 400_000, small: 1000 } }, (one) => {
      one.post('/echo', async ({ body }) => ({ length: JSON.stringify(body).length }));
    });
    const gone = await small.connection();
    const requested = new Promise((resolve) => small.app.server.once('request', resolve));
    gone.write(head(90_008) + part(89_000));
    const response = (await requested) as { socket: NodeJS.EventEmitter }; // the event's argument
    const closed = new Promise((resolve) => response.socket.once('close', resolve));
    gone.destroy();
    await closed;
    const next = await small.connection();
    next.write(`${head(90_008) + part(90_000)}"}`);
    const { status } = await lastAnswer(next);
    await small.close();

    assert.equal(status, 200);
  });
});

describe('a query', () => {
  it('a hundred calendar ids of Outlook fit into the query of a read', async () => {
    const ids = Array.from({ length: 100 }, (_, i) => OUTLOOK_ID.slice(3) + String(i).padStart(3, '0'));
    const calendarIds = encodeURIComponent(JSON.stringify({ microsoft: ids }));
    const authorization = `Bearer ${await server.token('read')}`;
    const times = 'start=2026-11-01T00%3A00%3A00Z&end=2026-11-02T00%3A00%3A00Z';

    const answer = await app.inject({
      method: 'GET',
      url: `/events?${times}&calendarIds=${calendarIds}`,
      headers: { authorization },
    });

    assert.notEqual(answer.statusCode, 414);
    assert.ok(calendarIds.length > 15_000);
  });

  for (const [path, kilobytes] of [
    ['/events', 32],
    ['/calendars', 32],
    ['/health', 32],
    ['/authorize', 16],
    ['/api/oauth/authorize', 16],
    ['/fapi2/authorize', 16],
    ['/connect/consent', 16],
    ['/connect/google/callback', 16],
  ] as const) {
    it(`a query of ${path} may have ${kilobytes} kB, and more is 414 that says so`, async () => {
      const query = `x=${'y'.repeat(kilobytes * 1024 - 2)}`;

      const fits = await app.inject({ method: 'GET', url: `${path}?${query}` });
      const over = await app.inject({ method: 'GET', url: `${path}?${query}y` });

      assert.notEqual(fits.statusCode, 414);
      assert.equal(over.statusCode, 414);
      assert.match(over.json().message, new RegExp(`not be longer than ${kilobytes} kB$`));
    });
  }

  it('a query that is too long is a page to a browser', async () => {
    const answer = await app.inject({
      method: 'GET',
      url: `/authorize?x=${'y'.repeat(17_000)}`,
      headers: { accept: 'text/html' },
    });

    assert.equal(answer.statusCode, 414);
    assert.match(answer.body, /^<!doctype html>/);
    assert.ok(answer.body.length < 60_000, 'what was sent is not shown');
  });

  for (const ids of ['['.repeat(20_000), `${'['.repeat(5000)}${']'.repeat(5000)}`]) {
    it(`calendarIds of ${ids.length} brackets are refused`, async () => {
      const authorization = `Bearer ${await server.token('read')}`;
      const times = 'start=2026-11-01T00%3A00%3A00Z&end=2026-11-02T00%3A00%3A00Z';

      const answer = await app.inject({
        method: 'GET',
        url: `/events?${times}&calendarIds=${ids}`,
        headers: { authorization },
      });

      assert.equal(answer.statusCode, 400);
      assert.match(answer.json().message, /calendarIds must be JSON/);
    });
  }
});
