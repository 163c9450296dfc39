/**
 * Calls every operation of the OpenAPI document with every scope and with foreign ids. Every operation refuses a token
 * without its scope. The response to a grant does not depend on another user's data, nor on the same user's groups that
 * the grant does not cover (docs/security.md T3).
 */
import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { after, before, describe, it } from 'node:test';

import type { FastifyInstance } from 'fastify';

import { firstExample, type OpenApiDocument } from '../../src/api-reference/openapi-document.ts';
import { createSealer } from '../../src/lib/sealing.ts';
import { SCOPES, type Scope, scopeCovers } from '../../src/oauth/scope.ts';
import { calendar, event, resource } from '../contract/mirror-rows.ts';
import { type CalendarServer, link, openCalendarServer } from '../harness/calendar-server.ts';
import { openWholeApp } from '../harness/whole-app.ts';
import { type Documented, operationsOf } from './openapi-checks.ts';

const HOME = 'https://dav.example/ada/home/';
const ACCOUNT = 'https://dav.example/ada/';
/** The values that identify Ada's data, by the name of a parameter or field. */
const ADAS: Readonly<Record<string, string>> = {
  provider: 'caldav',
  account: ACCOUNT,
  calendarId: HOME,
  calendarIds: JSON.stringify({ caldav: [HOME] }),
  eventId: 'secret',
  id: 'secret',
};
const CANARY = 'Canary';
const CALLS = { missing: undefined, ...Object.fromEntries(SCOPES.map((scope) => [scope, scope])) };

type Site = { readonly server: CalendarServer; readonly app: FastifyInstance };

describe('every documented operation', () => {
  const sealer = createSealer(randomBytes(32));
  let site: Site;
  /** The same site without Ada's data. */
  let bare: Site;
  let operations: Documented[];
  before(async () => {
    site = await openSite();
    bare = await openSite();
    const document: OpenApiDocument = (await site.app.inject('/openapi.json')).json();
    operations = operationsOf(document).filter(({ operation }) =>
      operation.security.some((one) => 'accessToken' in one),
    );
    assert.ok(operations.length >= 15);
    for (const { server } of [site, bare]) {
      server.apple.addCalendar(calendar('/ben/', { title: 'Ben’s own' }));
      server.apple.put('/ben/', resource('own', event('2026-11-12T09:00:00', { title: 'Ben’s' })));
      await link(server, { userId: 'ben', provider: 'apple', accountId: 'ben', display: 'ben' });
      const sameUser = {
        userId: 'ada',
        group: 'stranger',
        provider: 'apple',
        accountId: 'stranger',
      } as const;
      await link(server, { ...sameUser, display: 'stranger' });
    }
    site.server.provider.addCalendar(calendar(HOME, { title: CANARY }));
    const secret = { title: CANARY, location: CANARY, description: CANARY, custom: { key: CANARY } };
    site.server.provider.put(HOME, resource('secret', event('2026-11-20T10:37:00', secret)));
    await link(site.server, { accountId: ACCOUNT, display: CANARY });
  });
  after(async () => {
    for (const { app, server } of [site, bare]) {
      await app.close();
      await server.close();
    }
  });

  async function openSite(): Promise<Site> {
    const server = await openCalendarServer({ sealer });
    return { server, app: (await openWholeApp(server, sealer)).app };
  }

  async function call({ app }: Site, one: Documented, token: string | undefined) {
    const { url, body } = requestOf(one);
    const answer = await app.inject({
      method: one.method,
      url,
      headers: token === undefined ? {} : { authorization: `Bearer ${token}` },
      ...(body === undefined ? {} : { payload: body }),
    });
    return { status: answer.statusCode, text: answer.body };
  }

  it('every documented operation is refused to a token that lacks its scope, and to none at all', async () => {
    for (const one of operations.toSorted(readsFirst)) {
      for (const [name, scope] of Object.entries(CALLS)) {
        const token = scope && (await site.server.token(scope));
        const { calls } = site.server.provider;
        const before = calls.length;
        const { status, text } = await call(site, one, token);

        const message = `${one.method} ${one.path} with ${name}: ${status} ${text}`;
        const needed = scopeOf(one);
        if (scope === undefined) assert.equal(status, 401, message);
        else if (scopeCovers(scope, needed))
          assert.doesNotMatch(text, /insufficient_scope|invalid_token/, message);
        else assert.match(`${status} ${text}`, /^403 .*"code":"insufficient_scope"/, message);
        if (scope === undefined || !scopeCovers(scope, needed)) assert.equal(calls.length, before, message);
        if (scope === 'free-busy' && !one.path.endsWith('connection-status'))
          assert.ok(!text.includes(CANARY), message);
        if (scope === 'read-write') await linkAgain();
      }
    }
  });

  it('every documented operation ignores objects of other users and groups with the ids in a request', async () => {
    await linkAgain();
    const before = await adasState();
    const strangers = [
      { userId: 'ben', clientId: 'acme' },
      { userId: 'ada', clientId: 'other' },
      { userId: 'ada', clientId: 'acme', covers: { stranger: 'read-write' } as const },
    ];
    for (const { userId, clientId, covers } of strangers) {
      for (const one of operations.toSorted(readsFirst)) {
        for (const scope of SCOPES) {
          const [heard, unaware] = await Promise.all(
            [site, bare].map(async (where) => {
              const token = await where.server.tokenOf({
                scope,
                userId,
                clientId,
                ...(covers && { covers }),
              });
              return call(where, one, token);
            }),
          );

          const who = `${Object.keys(covers ?? {})} ${userId} at ${clientId}`;
          const message = `${one.method} ${one.path} with ${scope} of ${who}`;
          assert.ok(heard && unaware);
          assert.equal(comparable(heard), comparable(unaware), message);
          assert.ok(!heard.text.includes(CANARY), `${message}: ${heard.text}`);
          assert.notEqual(heard.status, 500, message);
        }
      }
    }
    assert.equal(await adasState(), before, 'nothing of ada’s was changed');
  });

  it('every documented operation returns nothing about users of another application', async () => {
    const request = { ...exampleOf('/availability'), user_ids: ['ada'] };
    const ask = async (client: string) => {
      const authorization = `Basic ${Buffer.from(`${client}:${client}`).toString('base64')}`;
      const options = {
        method: 'POST',
        url: '/availability',
        headers: { authorization },
        payload: request,
      } as const;
      return (await site.app.inject(options)).statusCode;
    };

    assert.equal(await ask('acme'), 200);
    assert.equal(await ask('other'), 404);
  });

  /** Restores Ada's account and event, whatever was written or disconnected. */
  async function linkAgain(): Promise<void> {
    const { provider } = site.server;
    if (!provider.calendars.has(HOME)) provider.addCalendar(calendar(HOME, { title: CANARY }));
    const secret = { title: CANARY, location: CANARY, description: CANARY, custom: { key: CANARY } };
    provider.put(HOME, resource('secret', event('2026-11-20T10:37:00', secret)));
    await link(site.server, { accountId: ACCOUNT, display: CANARY });
    site.server.clock.now += 61_000;
    bare.server.clock.now = site.server.clock.now;
  }

  async function adasState(): Promise<string> {
    const token = await site.server.token();
    const headers = { authorization: `Bearer ${token}` };
    const urls = ['/calendars', '/connection-status', '/event?provider=caldav&eventId=secret&calendarId='];
    const answers = urls.map((url) =>
      site.app.inject({ url: url.endsWith('=') ? url + encodeURIComponent(HOME) : url, headers }),
    );
    const texts = (await Promise.all(answers)).map(({ body, statusCode }) => `${statusCode} ${body}`);
    assert.ok(
      texts.every((text) => text.startsWith('200 ') && text.includes(CANARY)),
      texts.join('\n'),
    );
    // The state of the syncs of her calendars changes with each read.
    return texts.join('\n').replace(/"lastSyncedAt":(null|"[^"]*")(,"firstSync":\{[^}]*\})?/g, '');
  }

  function exampleOf(path: string): Record<string, unknown> {
    const documented = operations.find((one) => one.path === path);
    const { content = {} } = documented?.operation.requestBody ?? {};
    const json = content['application/json'];
    return { ...Object(json && firstExample(json)) };
  }
});

/** Sorts deletions and disconnections last, so that no other operation misses their objects. */
const readsFirst = (a: Documented, b: Documented) => weightOf(a) - weightOf(b);
const weightOf = ({ method, path }: Documented): number =>
  method === 'delete' ? 2 : path === '/disconnect' ? 3 : method === 'get' ? 0 : 1;

function scopeOf({ operation }: Documented): Scope {
  const names = operation.security.flatMap((one) => one.accessToken ?? []);
  const scope = SCOPES.find((one) => names.includes(one));
  assert.ok(scope, operation.operationId);
  return scope;
}

/** Returns the document's own example with Ada's ids. */
function requestOf({ path, operation }: Documented): { url: string; body: object | undefined } {
  const { parameters = [], requestBody } = operation;
  const sent = parameters.filter(
    ({ required, name }) => required || ['calendarIds', 'initial', 'start', 'end'].includes(name),
  );
  const valueFor = (name: string, example: unknown) => ADAS[name] ?? String(example);
  const query = sent
    .filter((one) => one.in === 'query')
    .map(({ name, example }) => [name, valueFor(name, example)]);
  const filled = path.replace(/\{(\w+)\}/g, (_, name: string) => encodeURIComponent(ADAS[name] ?? ''));
  const json = requestBody?.content['application/json'];
  const example = json && firstExample(json);
  const body =
    example === undefined
      ? undefined
      : Object.fromEntries(
          Object.entries(Object(example)).map(([name, value]) => [name, ADAS[name] ?? value]),
        );
  const search = new URLSearchParams(query).toString();
  return { url: search === '' ? filled : `${filled}?${search}`, body };
}

/** Leaves out what differs each time. */
const comparable = ({ status, text }: { status: number; text: string }): string =>
  `${status} ${text.replace(/"(cursor|requestId|syncStateUpdatedAt|since)":"[^"]*"/g, '"$1":"…"')}`;
