/** The methods of each route, and the response to any other method. */
import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { after, before, describe, it } from 'node:test';

import type { FastifyInstance } from 'fastify';

import { createSealer } from '../../src/lib/sealing.ts';
import { type CalendarServer, openCalendarServer } from '../harness/calendar-server.ts';
import { openWholeApp } from '../harness/whole-app.ts';

const METHODS = ['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS'] as const;
/** Where a GET changes something, or is a page that can only be seen. */
const WITHOUT_HEAD =
  /\/authorize$|^\/connect\/(?!logos\/)|^\/reconnect\/|^\/dashboard(\/|$)|^(\/api|\/api\/oauth)?\/webhooks\/listeners\//;

let server: CalendarServer;
let app: FastifyInstance;
const methodsOf = new Map<string, Set<string>>();
before(async () => {
  const sealer = createSealer(randomBytes(32));
  server = await openCalendarServer({ sealer });
  const whole = await openWholeApp(server, sealer);
  app = whole.app;
  for (const { method, path } of whole.routes.filter((route) => !route.path.includes('*')))
    methodsOf.set(path, (methodsOf.get(path) ?? new Set()).add(method.toUpperCase()));
});
after(async () => {
  await app?.close();
  await server?.close();
});

/** Returns the methods at a path, including those of routes with a parameter instead of one of its words. */
function methodsAt(path: string): Set<string> {
  const isMatch = (pattern: string) => new RegExp(`^${pattern.replace(/:\w+/g, '[^/]+')}$`).test(path);
  return new Set([...methodsOf].flatMap(([pattern, methods]) => (isMatch(pattern) ? [...methods] : [])));
}

describe('the methods of every route', () => {
  it('a method that a route does not have is 405 with those that it has, on every route', async () => {
    assert.ok(methodsOf.size > 80);
    for (const path of methodsOf.keys()) {
      const methods = methodsAt(path);
      for (const method of METHODS.filter((name) => !methods.has(name))) {
        const answer = await app.inject({ method, url: path });
        const which = `${method} ${path} answered ${answer.statusCode}: ${answer.body}`;

        assert.equal(answer.statusCode, 405, which);
        const allowed = String(answer.headers.allow).split(', ');
        for (const one of methods) assert.ok(allowed.includes(one), which);
        assert.ok(!allowed.includes(method), which);
        // The dashboard has answers of its own.
        if (method !== 'HEAD' && answer.json().error !== 'refused')
          assert.equal(answer.json().code, 'method_not_allowed', which);
      }
    }
    assert.equal((await app.inject({ method: 'POST', url: '/nothing' })).statusCode, 404);
  });

  it('HEAD is there wherever a GET changes nothing, and nowhere else', () => {
    for (const [path, methods] of methodsOf)
      if (methods.has('GET')) assert.equal(methods.has('HEAD'), !WITHOUT_HEAD.test(path), path);
  });

  it('HEAD answers what GET does, without the body', async () => {
    const headers = { authorization: `Bearer ${await server.token()}` };
    for (const url of ['/health', '/ready', '/docs', '/.well-known/jwks.json', '/api/connection-status']) {
      const [get, head] = [
        await app.inject({ method: 'GET', url, headers }),
        await app.inject({ method: 'HEAD', url, headers }),
      ];

      assert.deepEqual([head.statusCode, head.body], [200, ''], url);
      assert.equal(head.headers['content-length'], get.headers['content-length'], url);
      assert.equal(head.headers['content-type'], get.headers['content-type'], url);
    }
  });

  it('HEAD starts no flow', async () => {
    const url = '/authorize?client_id=acme&user_id=new&redirect_uri=https%3A%2F%2Fapp.example%2Fcb';

    const answer = await app.inject({ method: 'HEAD', url });

    assert.deepEqual([answer.statusCode, answer.headers.allow], [405, 'GET']);
    assert.equal(answer.headers['set-cookie'], undefined);
    assert.equal(await server.deps.users.isUser('acme', 'new'), false);
  });
});
