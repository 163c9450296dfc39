/** Compares /openapi.json with the program: its routes, its responses, its errors. */
import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { after, before, describe, it } from 'node:test';

import type { FastifyInstance } from 'fastify';
import Schema from 'typebox/schema';

import type { OpenApiDocument, OpenApiOperation } from '../../src/api-reference/openapi-document.ts';
import { ERROR_GROUPS } from '../../src/documentation/error-index.ts';
import { createSealer } from '../../src/lib/sealing.ts';
import { version } from '../../src/lib/version.ts';
import { calendar, event, resource } from '../contract/mirror-rows.ts';
import { type CalendarServer, link, openCalendarServer } from '../harness/calendar-server.ts';
import { openWholeApp, type Route } from '../harness/whole-app.ts';
import { closed, operationsOf } from './openapi-checks.ts';

const HOME = 'https://dav.example/ada/home/';
const WINDOW = 'start=2026-11-01T00:00:00Z&end=2026-12-01T00:00:00Z';
/** Pages for browsers, and other paths that are no interface for applications. */
const PAGES =
  /^\/(connect\/.*|reconnect\/.*|webhook-receiver\/.*|docs.*|llms.*|dashboard.*|admin\/v1\/.*|authorize\/.*|consent.*|favicon\.ico|robots\.txt)?$/;

describe('the API reference', () => {
  let server: CalendarServer;
  let app: FastifyInstance;
  let routes: readonly Route[];
  let document: OpenApiDocument;
  let token: string;
  before(async () => {
    const sealer = createSealer(randomBytes(32));
    server = await openCalendarServer({ sealer });
    const { provider } = server;
    provider.addCalendar(calendar(HOME, { color: '#0b8043', description: 'Home' }));
    provider.put(
      HOME,
      resource(
        'single',
        event('2026-11-10T09:00:00', {
          attendees: [{ email: 'a@example.com', name: 'A', status: 'accepted', organizer: true }],
          custom: { a: 1 },
          conference: 'https://meet.google.com/abc-defg-hij',
          location: 'Room 1',
          description: 'Words',
        }),
      ),
      resource(
        'weekly',
        event('2026-10-05T09:00:00', {
          recurrence: { rrules: ['FREQ=WEEKLY;BYDAY=MO'], rdates: [], exdates: [] },
        }),
        event('2026-11-10T15:00:00', {
          recurrenceId: { type: 'zoned', local: '2026-11-09T09:00:00', zone: 'Europe/Paris' },
        }),
      ),
      resource('trip', {
        ...event('2026-11-15T00:00:00'),
        start: { type: 'date', date: '2026-11-15' },
        end: { type: 'date', date: '2026-11-17' },
      }),
    );
    await link(server);
    token = await server.token();
    ({ app, routes } = await openWholeApp(server, sealer));
    document = (await app.inject('/openapi.json')).json();
  });
  after(async () => {
    await app.close();
    await server.close();
  });

  /** Returns the operation of a request, whatever the id in its path. */
  function operationAt(method: string, url: string): OpenApiOperation {
    const [place = ''] = url.split('?');
    const methods = document.paths[place] ?? document.paths[place.replace(/[^/]+$/, '{id}')];
    const operation = methods?.[method];
    assert.ok(operation, `${method} ${place} is documented`);
    return operation;
  }

  /** Sends a request, and checks the response against its operation's schema for the status. */
  async function call(method: 'get' | 'post' | 'put' | 'delete', url: string, options: Call = {}) {
    const { body, bearer = token, headers = {}, status = 200 } = options;
    const answer = await app.inject({
      method,
      url,
      headers: { ...(bearer === '' ? {} : { authorization: `Bearer ${bearer}` }), ...headers },
      ...(body === undefined ? {} : { payload: body }),
    });
    const message = `${method} ${url}: ${answer.statusCode} ${answer.body}`;
    assert.equal(answer.statusCode, status, message);
    const documented = operationAt(method, url).responses[status];
    assert.ok(documented, `${message} is a documented status`);
    const schema = documented.content?.['application/json']?.schema;
    assert.ok(schema, message);
    const validator = Schema.Compile({ ...closed(schema, document) });
    const [valid, errors] = validator.Errors(answer.json());
    assert.ok(valid, `${message}\n${JSON.stringify(errors)}`);
    return answer;
  }

  it('the API reference has every public JSON route, and no other', () => {
    const expected = new Set<string>();
    for (const { method, path } of routes) {
      const place = path.replace(/^\/api(\/oauth)?(?=\/)|^\/fapi2(?=\/\w+$)/, '').replace(/:(\w+)/g, '{$1}');
      if (method !== 'head' && !PAGES.test(place)) expected.add(`${method} ${place}`);
    }
    const served = new Set(routes.map(({ method, path }) => `${method} ${path.replace(/:(\w+)/g, '{$1}')}`));

    const documented = operationsOf(document).map(({ method, path }) => `${method} ${path}`);
    assert.deepEqual(documented.toSorted(), [...expected].toSorted());
    for (const one of documented) assert.ok(served.has(one), `${one} is at the origin's root`);
  });

  it('the API responds as its reference says: reading', async () => {
    await call('get', '/calendars');
    await call('get', '/connection-status');
    const { events } = (await call('get', `/events?${WINDOW}`)).json();
    assert.ok(events.length >= 6);
    await call('get', `/events?${WINDOW}&singleEvents=false`);
    await call('get', `/events?${WINDOW}`, { bearer: await server.token('free-busy') });
    await call('get', `/events/${encodeURIComponent(events[0].id)}`);
    await call('get', `/event?provider=caldav&calendarId=${encodeURIComponent(HOME)}&eventId=weekly`);
    await call('get', '/events/changes?initial=true');
    await call('get', `/free-busy?${WINDOW}`);
    const body = { start: '2026-11-20T00:00:00Z', end: '2026-11-21T00:00:00Z', duration: 30 };
    await call('post', '/availability', { body });
  });

  it('the API responds as its reference says: writing', async () => {
    const place = { provider: 'caldav', calendarId: HOME };
    const times = { start: '2026-11-20T09:00:00Z', end: '2026-11-20T10:00:00Z' };
    const created = await call('post', '/event', {
      body: { ...place, ...times, title: 'Planning', attendees: ['b@example.com'], custom: { b: 2 } },
      headers: { 'idempotency-key': 'one' },
    });
    const eventId: string = created.json().id;
    await call('put', '/event', { body: { ...place, eventId, title: 'Planning, moved' } });
    await call('put', '/event', {
      body: { ...place, eventId, title: 'Stale' },
      headers: { 'if-match': '"another"' },
      status: 412,
    });
    await call('post', '/event/rsvp', { body: { ...place, eventId, response: 'accepted' } });
    await call('post', '/event', {
      body: { ...place, ...times, title: 'Another' },
      headers: { 'idempotency-key': 'one' },
      status: 422,
    });
    await call('delete', `/event?${new URLSearchParams({ ...place, eventId })}`);
    await call('delete', `/event?${new URLSearchParams({ ...place, eventId })}`, { status: 404 });
    await call('post', '/event', { body: {}, status: 400 });
  });

  it('the API responds as its reference says: calendars written', async () => {
    const made = await call('post', '/calendars', { body: { provider: 'caldav', title: 'Made' } });
    const named = { provider: 'caldav', calendarId: made.json().id };
    await call('put', '/calendars', { body: { ...named, title: 'Renamed', color: '#1a73e8' } });
    await call('delete', `/calendars?${new URLSearchParams(named)}`);
    await call('delete', `/calendars?${new URLSearchParams(named)}`, { status: 404 });
    await call('post', '/calendars', { body: { provider: 'google', title: 'Nowhere' }, status: 404 });
    await call('put', '/calendars', { body: {}, status: 400 });
  });

  it('the API responds as its reference says: authorization, accounts and the server', async () => {
    const form = { 'content-type': 'application/x-www-form-urlencoded', authorization: 'Basic eDp5' };
    await call('post', '/token', {
      body: 'grant_type=refresh_token&refresh_token=x',
      headers: form,
      status: 401,
    });
    await call('post', '/token', { body: { grant_type: 'refresh_token' }, bearer: '', status: 400 });
    await call('post', '/par', { body: 'user_id=ada', headers: form, status: 401 });
    await call('post', '/introspect', { body: 'token=x', headers: form, status: 401 });
    await call('post', '/revoke', { body: {}, status: 400 });
    await call('post', '/revoke', { body: { token: 'nobody’s' } });
    await call('get', '/authorize?client_id=nobody', {
      status: 401,
      headers: { accept: 'application/json' },
    });
    await call('get', '/health');
    await call('get', '/ready');
    await call('get', '/.well-known/oauth-authorization-server');
    await call('get', '/.well-known/jwks.json');
    await call('get', '/openapi.json');
    await call('post', '/disconnect?provider=google');
    await call('post', '/disconnect', { status: 400 });
  });

  it('the API reference has the errors for parameters that /authorize cannot use', async () => {
    for (const [parameters, error] of [
      ['user_id=ada&scope=all', 'invalid_scope'],
      ['user_id=ada&response_type=token', 'unsupported_response_type'],
      ['user_id=', 'invalid_request'],
    ]) {
      const answer = await call('get', `/authorize?client_id=acme&${parameters}`, {
        status: 400,
        headers: { accept: 'application/json' },
      });
      assert.equal(answer.json().error, error);
    }
  });

  it('the API reference has tokens of applications, and the schemes of applications with keys', () => {
    const { schemas, securitySchemes } = document.components;
    assert.deepEqual(schemas.TokenAnswer?.required, ['access_token', 'token_type', 'expires_in']);
    assert.ok('DPoP' in securitySchemes && 'privateKeyJwt' in securitySchemes);
    for (const { path, operation } of operationsOf(document).filter(({ operation }) =>
      operation.security.some((one) => 'application' in one),
    ))
      assert.ok(
        operation.security.some((one) => 'privateKeyJwt' in one),
        path,
      );
  });

  it('the API reference has the errors for requests without a valid token', async () => {
    const bearing = operationsOf(document).filter(({ operation }) =>
      operation.security.some((one) => 'accessToken' in one),
    );
    assert.ok(bearing.length >= 15);
    for (const { method, path } of bearing) {
      for (const bearer of ['', 'nonsense'])
        await call(method, path.replace('{id}', 'x'), { bearer, status: 401 });
    }
  });

  it('the API reference names every error code of the program', () => {
    // For a path or method that does not exist, a redirect, a page, providers, and a closed connection: no operation
    // has these.
    const elsewhere = [
      'method_not_allowed',
      'access_denied',
      'channel_not_found',
      'link_expired',
      'client_closed_request',
    ];
    const others = ['Settings of applications', 'Administration'];
    const codes = ERROR_GROUPS.filter(({ title }) => !others.includes(title))
      .flatMap(({ errors }) => errors.map(({ code }) => code))
      .filter((code) => !elsewhere.includes(code));
    assert.ok(codes.length >= 60);
    const text = JSON.stringify(document);

    for (const code of codes) assert.ok(text.includes(`"${code}":{"summary"`), code);
  });

  it('the API reference has both errors of refused connections in every operation', () => {
    for (const { path, method, operation } of operationsOf(document))
      for (const status of [429, 503]) {
        const examples = operation.responses[status]?.content?.['application/json']?.examples;
        assert.ok(examples?.too_many_connections, `${method} ${path} ${status}`);
      }
  });

  it('the API reference has the version of the program', () => {
    assert.equal(document.info.version, version());
  });

  it('the API reference has an example of each webhook that matches its schema', () => {
    const webhooks = Object.values(document.webhooks ?? {});
    assert.equal(webhooks.length, 3);
    for (const { post } of webhooks) {
      const { schema = {}, example } = post.requestBody?.content['application/json'] ?? {};
      const [valid, errors] = Schema.Compile({ ...closed(schema, document) }).Errors(example);
      assert.ok(valid, `${post.operationId}: ${JSON.stringify(errors)}`);
    }
  });

  it('the API reference has examples that match its own schemas', () => {
    for (const { operation, path, method } of operationsOf(document)) {
      const answers = Object.entries(operation.responses).map(([status, { content }]) => ({
        status,
        content,
      }));
      for (const { status, content } of [
        ...answers,
        { status: 'body', content: operation.requestBody?.content },
      ])
        for (const { schema, example, examples = {} } of Object.values(content ?? {})) {
          const values = [
            ...(example === undefined ? [] : [example]),
            ...Object.values(examples).map(({ value }) => value),
          ];
          assert.ok(values.length > 0, `${method} ${path} ${status} has an example`);
          const validator = Schema.Compile({ ...closed(schema, document) });
          for (const value of values) {
            const [valid, errors] = validator.Errors(value);
            assert.ok(
              valid,
              `${method} ${path} ${status}: ${JSON.stringify(value)} ${JSON.stringify(errors)}`,
            );
          }
        }
    }
  });

  it('the API reference is an OpenAPI 3.1 document whose references lead somewhere, with unique operation ids', () => {
    assert.match(document.openapi, /^3\.1\.\d$/);
    const ids = operationsOf(document).map(({ operation }) => operation.operationId);
    assert.equal(new Set(ids).size, ids.length);
    const { schemas, securitySchemes } = document.components;
    for (const [, name = ''] of JSON.stringify(document).matchAll(/"\$ref":"#\/components\/schemas\/(\w+)"/g))
      assert.ok(Object.hasOwn(schemas, name), name);
    const named = document.tags.map(({ name }) => name);
    for (const { path, operation } of operationsOf(document)) {
      const { parameters = [], security, responses, tags } = operation;
      const inPath = [...path.matchAll(/\{(\w+)\}/g)].map(([, name]) => name);
      const declared = parameters.filter((one) => one.in === 'path').map(({ name }) => name);
      assert.deepEqual(declared, inPath, path);
      const names = parameters.map((one) => `${one.in} ${one.name}`);
      assert.equal(new Set(names).size, names.length, path);
      assert.ok(
        security.length > 0 && security.every((one) => Object.keys(one).every((k) => k in securitySchemes)),
      );
      assert.ok(
        Object.entries(responses).every(([status, { description }]) => /^\d{3}$/.test(status) && description),
      );
      assert.ok(tags.every((tag) => named.includes(tag)));
    }
  });

  it('the API reference has an anchor for every operation and every shape that its pages link to', async () => {
    const { body: overview } = await app.inject('/docs/api');
    const pages = new Set(
      [...overview.matchAll(/href="(\/docs\/api\/[^"#]+)"/g)].map(([, page = '']) => page),
    );
    const bodies = new Map<string, string>();
    for (const page of pages) {
      const { body } = await app.inject(page);
      bodies.set(page, body);
      for (const [, part = ''] of body.matchAll(/href="(\/docs\/api\/[^"#]+\/\d+)/g)) pages.add(part);
    }

    const all = [...bodies.values()].join('');
    for (const { operation } of operationsOf(document))
      assert.ok(all.includes(`<h2 id="${operation.operationId}">`), operation.operationId);
    for (const [, page = '', anchor] of `${overview}${all}`.matchAll(/href="(\/docs\/api[^"#]*)#([^"]+)"/g))
      assert.ok(bodies.get(page)?.includes(` id="${anchor}"`), `${page}#${anchor}`);
  });
});

type Call = {
  body?: object | string;
  /** Empty for no token. */
  bearer?: string;
  headers?: Record<string, string>;
  status?: number;
};
