/** Application hosts: what they have of the whole program, and how a request's host is known. */
import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { after, before, describe, it } from 'node:test';

import type { FastifyInstance } from 'fastify';

import { applicationHostRules } from '../../src/http/application-hosts.ts';
import { createSealer } from '../../src/lib/sealing.ts';
import { type CalendarServer, openCalendarServer } from '../harness/calendar-server.ts';
import { openWholeApp, type Route } from '../harness/whole-app.ts';
import { lastAnswer, openSmallServer, type SmallServer } from './small-server.ts';

const PUBLIC = 'https://kalends.example';
const SETTINGS = { applicationHosts: 'https://id.hooks.example', url: PUBLIC, trustProxy: undefined };
const HOST = 'acme.hooks.example';
const LIST = '/.well-known/webhook-keys';
/** At the origin's root, beside the interface. */
const METADATA = '/.well-known/oauth-authorization-server';
const DOCUMENTS = [LIST, METADATA, `${METADATA}/fapi2`, '/.well-known/jwks.json'];

describe('an application host of the whole program', () => {
  let server: CalendarServer;
  let app: FastifyInstance;
  let routes: readonly Route[];
  before(async () => {
    const sealer = createSealer(randomBytes(32));
    server = await openCalendarServer({ sealer });
    const hosts = applicationHostRules(SETTINGS, server.deps);
    ({ app, routes } = await openWholeApp(server, sealer, { hosts }));
  });
  after(async () => {
    await app?.close();
    await server?.close();
  });
  const at = (host: string, { method, path }: Route) =>
    app.inject({ method: method.toUpperCase() as 'GET', url: path, headers: { host } });
  const paths = () => new Set(routes.map(({ path }) => path));
  /** The interface has each of its paths under a prefix too. */
  const isInterface = ({ path }: Route) =>
    ['/api', '/api/oauth'].some((prefix) => paths().has(prefix + path)) ||
    (/^\/(api|fapi2)\//.test(path) && !/\/authorize$/.test(path));

  it('the interface answers at an application host as at the public one, under all its prefixes', async () => {
    const offered = routes.filter((route) => isInterface(route) && route.path !== '/authorize');
    for (const path of [
      '/events',
      '/api/events',
      '/api/oauth/events',
      '/token',
      '/api/oauth/token',
      '/fapi2/token',
    ])
      assert.ok(
        offered.some((route) => route.path === path),
        path,
      );

    for (const route of offered) {
      const [expected, answer] = [await at('kalends.example', route), await at(HOST, route)];
      const which = `${route.method} ${route.path}`;
      assert.equal(answer.headers['set-cookie'], undefined, which);
      assert.deepEqual([answer.statusCode, answer.body], [expected.statusCode, expected.body], which);
    }
  });

  it('everything else is 404 at an application host and sets no cookie', async () => {
    const pages = routes.filter(
      (route) =>
        !isInterface(route) &&
        !DOCUMENTS.includes(route.path) &&
        !/\/authorize$|^(\/api)?\/health$/.test(route.path),
    );
    assert.ok(pages.length > 80);

    for (const route of [
      ...pages,
      { method: 'post', path: '/authorize' },
      { method: 'head', path: '/authorize' },
    ]) {
      const answer = await at(HOST, route);
      const which = `${route.method} ${route.path}`;
      assert.deepEqual([answer.statusCode, answer.headers['set-cookie']], [404, undefined], which);
      assert.ok(answer.headers['x-content-type-options'], which);
    }
  });

  it('a host with another port or more labels has nothing, not even the interface', async () => {
    for (const host of [`${HOST}:8443`, `a.${HOST}`, '.hooks.example', '*.hooks.example'])
      for (const path of ['/dashboard', '/api/events', '/authorize', LIST, `${LIST}/acme`])
        assert.equal((await at(host, { method: 'GET', path })).statusCode, 404, `${host} ${path}`);
  });

  it('/authorize leads to the same path and query at the public URL', async () => {
    for (const path of ['/authorize', '/api/oauth/authorize', '/fapi2/authorize'])
      for (const query of [
        '',
        '?client_id=acme&state=a%2Fb?c',
        '?x=//evil.example',
        '?\u00e9',
        `?${'a'.repeat(9000)}`,
      ]) {
        const answer = await at(HOST, { method: 'GET', path: path + query });
        assert.equal(answer.statusCode, 302);
        assert.equal(
          answer.headers.location,
          new URL(PUBLIC).origin + encodeURI(path + query).replaceAll('%25', '%'),
        );
        assert.equal(answer.headers['set-cookie'], undefined);
      }
  });

  it('no spelling of /authorize leads elsewhere', async () => {
    for (const path of [
      '//evil.example/authorize',
      '/%61uthorize',
      '/authorize/',
      '/authorize;@evil.example',
      '/x/../authorize',
      '/\\evil.example/authorize',
    ]) {
      const { statusCode, headers } = await at(HOST, { method: 'GET', path });
      if (statusCode === 302) assert.equal(new URL(String(headers.location)).origin, PUBLIC, path);
      else assert.equal(statusCode, 404, path);
    }
  });

  it('the metadata at an application host is that of the public URL', async () => {
    const answer = await at(HOST, { method: 'GET', path: '/.well-known/oauth-authorization-server' });

    assert.equal(answer.json().issuer, PUBLIC);
  });
});

describe('the key list of an application host', () => {
  const IDS = ['projAb1', 'projCD', 'projcd'];
  const clients = {
    async findClientIdByLabel(label: string) {
      const ids = IDS.filter((id) => id.toLowerCase() === label);
      return ids.length === 1 ? ids[0] : undefined;
    },
  };
  const servers: SmallServer[] = [];
  after(() => Promise.all(servers.map((server) => server.close())));
  /** A server with both lists; each returns its owner. */
  const openLists = async (trustProxy?: number | string[]) => {
    const server = await openSmallServer(
      {
        trustProxy,
        hosts: applicationHostRules({ ...SETTINGS, trustProxy }, { clients }),
      },
      (app) => {
        app.get(LIST, async () => ({ list: 'instance' }));
        app.get<{ Params: { clientId: string } }>(`${LIST}/:clientId`, async ({ params }) => ({
          list: params.clientId,
        }));
      },
    );
    servers.push(server);
    return server;
  };
  const listAt = async (
    app: FastifyInstance,
    host: string,
    url = LIST,
    headers: Record<string, string> = {},
  ) => {
    const answer = await app.inject({ url, headers: { host, ...headers } });
    return answer.statusCode === 200 ? answer.json().list : answer.statusCode;
  };

  it('the key list at an application host is that of the application, whatever the case of the host', async () => {
    const { app } = await openLists();

    for (const host of [
      'projab1.hooks.example',
      'projAb1.Hooks.example',
      'projab1.hooks.example.',
      'projab1.hooks.example:443',
    ])
      for (const url of [LIST, `${LIST}?a=1`, `${LIST}/projAb1`])
        assert.equal(await listAt(app, host, url), 'projAb1');
    for (const host of ['kalends.example', 'hooks.example', 'projab1.hooks.example.evil.example'])
      assert.equal(await listAt(app, host), 'instance', host);
    assert.equal(await listAt(app, 'kalends.example', `${LIST}/projCD`), 'projCD');
  });

  it('the key list at an application host is never another, and 404 if the application is unknown or ambiguous', async () => {
    const { app } = await openLists();

    for (const url of [`${LIST}/projCD`, `${LIST}/PROJAB1`, `${LIST}/`, '/.well-known/webhook%2dkeys'])
      assert.equal(await listAt(app, 'projab1.hooks.example', url), 404, url);
    for (const host of ['projcd.hooks.example', 'nobody.hooks.example', 'projab1.hooks.example:8443'])
      for (const url of [LIST, `${LIST}/projAb1`, `${LIST}/projCD`])
        assert.equal(await listAt(app, host, url), 404);
  });

  it('a request target with a host of its own does not select a list at an application host', async () => {
    const server = await openLists();
    const socket = await server.connection();

    socket.write(
      `GET http://kalends.example${LIST} HTTP/1.1\r\nhost: projab1.hooks.example\r\nconnection: close\r\n\r\n`,
    );

    assert.equal((await lastAnswer(socket)).status, 404);
  });

  const forwarded = (host: string) => ({ 'x-forwarded-host': host });

  it('a trusted proxy names the host in X-Forwarded-Host, of which the last entry counts', async () => {
    for (const trustProxy of [1, ['127.0.0.0/8']]) {
      const { app } = await openLists(trustProxy);
      const headers = forwarded('kalends.example, projAb1.hooks.example');

      assert.equal(await listAt(app, '127.0.0.1:8080', LIST, headers), 'projAb1');
      assert.equal(
        await listAt(app, '127.0.0.1:8080', LIST, forwarded('projab1.hooks.example, a.example')),
        'instance',
      );
    }
  });

  it('X-Forwarded-Host counts for nothing from others, nor beside a public host in Host', async () => {
    const [direct, proxied] = [await openLists(), await openLists(1)];
    const far = await openLists(['10.0.0.0/8']);
    const headers = forwarded('projab1.hooks.example');

    for (const { app } of [direct, far])
      assert.equal(await listAt(app, '127.0.0.1:8080', LIST, headers), 'instance');
    for (const host of ['kalends.example', 'Kalends.example.:443'])
      assert.equal(await listAt(proxied.app, host, LIST, headers), 'instance', host);
    assert.equal(await listAt(proxied.app, 'nobody.hooks.example', LIST, headers), 404);
    assert.equal(
      await listAt(proxied.app, 'projab1.hooks.example', LIST, forwarded('kalends.example')),
      'projAb1',
    );
  });
});
