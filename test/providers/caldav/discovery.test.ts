/** From what a user types to a linked account, and what is said when that fails (RFC 6764). */
import assert from 'node:assert/strict';
import { afterEach, beforeEach, describe, it } from 'node:test';

import { ProviderError, type ProviderErrorKind } from '../../../src/calendars/provider-error.ts';
import { createEgress, type Egress } from '../../../src/lib/egress/egress.ts';
import { appleProvider } from '../../../src/providers/apple/apple-provider.ts';
import { caldavProvider } from '../../../src/providers/caldav/caldav-provider.ts';
import { belongsTo, readServerAddress } from '../../../src/providers/caldav/dav/server-address.ts';
import type { ServiceDns } from '../../../src/providers/caldav/dav/service-records.ts';
import { type Canary, startCanary } from '../../servers/canary.ts';
import {
  CALENDAR,
  type DavAnswer,
  multistatus,
  OddCalDav,
  present,
  principalNamed,
} from '../../servers/odd-caldav.ts';
import { USERS } from '../../servers/process.ts';
import { recordingLog } from '../../servers/recording-log.ts';

const failsAs =
  (kind: ProviderErrorKind, message = /./) =>
  (failure: unknown) =>
    failure instanceof ProviderError && failure.kind === kind && message.test(failure.message);

describe('linking a CalDAV account', () => {
  let server: OddCalDav;
  let foreign: OddCalDav;
  let canary: Canary;
  let egress: Egress;
  let service: { name: string; port: number }[];
  const lookups: string[] = [];
  const { log } = recordingLog();

  const dns: ServiceDns = {
    async resolveSrv(name: string) {
      lookups.push(name);
      return service.map((record) => ({ ...record, priority: 0, weight: 0 }));
    },
    async resolveTxt() {
      return [['path=/dav/start/']];
    },
  };

  beforeEach(async () => {
    server = new OddCalDav();
    foreign = new OddCalDav();
    await Promise.all([server.start(), foreign.start()]);
    canary = await startCanary();
    service = [];
    lookups.length = 0;
    // Only these two hosts are allowed: wherever else the server points to is a private address.
    const lookup = async (host: string) => {
      if (/^(dav|other)\.test$/.test(host)) return [{ address: '127.0.0.1', family: 4 }];
      throw Object.assign(new Error(`getaddrinfo ENOTFOUND ${host}`), { code: 'ENOTFOUND' });
    };
    const hosts = ['dav.test', 'other.test'];
    egress = createEgress({ privateNetwork: { mode: 'hosts', hosts }, lookup });
  });
  afterEach(async () => {
    await egress.close();
    await Promise.all([server.stop(), foreign.stop(), canary.stop()]);
  });

  const at = (host: string, { origin }: OddCalDav) => origin.replace('127.0.0.1', host);
  const typed = () => at('dav.test', server);
  const verify = (overrides: { server?: string; password?: string } = {}) =>
    caldavProvider({ egress, log, now: Date.now, dns }).signIn.verify({
      server: typed(),
      username: 'ada',
      password: USERS.ada ?? '',
      ...overrides,
    });
  const answerAt = (path: string, answer: DavAnswer) => {
    server.odd = (call) => (call.path === path ? answer : undefined);
  };
  const redirect = (location: string, status = 301): DavAnswer => ({ status, headers: { location } });

  it('a CalDAV account is pinned to the origin that was typed', async () => {
    const { credentials, accountId } = await verify();

    assert.deepEqual(credentials.origins, [typed()]);
    assert.equal(accountId, `${typed()}/principal/`);
  });

  for (const status of [301, 302, 303, 307, 308])
    it(`linking follows the well-known address by ${status} with its method`, async () => {
      server.odd = ({ path }) => {
        if (path === '/') return { status: 405 };
        if (path === '/.well-known/caldav') return redirect('/dav/start/', status);
        const principal = principalNamed('/principal/');
        return path === '/dav/start/' ? multistatus(present(path, principal)) : undefined;
      };

      assert.equal((await verify()).accountId, `${typed()}/principal/`);
      assert.ok(server.calls.every(({ method }) => method === 'PROPFIND'));
    });

  it('linking tries the known paths when nothing points to the calendars', async () => {
    server.odd = ({ path }) => {
      const principal = principalNamed('/principal/');
      if (path === '/remote.php/dav') return multistatus(present(path, principal));
      return path.startsWith('/dav/ada/') || path === '/principal/' ? undefined : { status: 404 };
    };

    assert.equal((await verify()).accountId, `${typed()}/principal/`);
  });

  it('a lone calendar of a server without principals is linked', async () => {
    server.odd = ({ path }) => (path === CALENDAR ? undefined : { status: 404 });

    assert.equal((await verify({ server: typed() + CALENDAR })).accountId, typed() + CALENDAR);
  });

  const detours: [string, () => void][] = [
    ['a redirect of the typed address', () => answerAt('/', redirect(`${at('other.test', foreign)}/`))],
    [
      'the well-known address',
      () => {
        server.odd = ({ path }) => {
          if (path === '/principal/' || path === '/dav/ada/') return undefined;
          return path === '/.well-known/caldav' ? redirect(`${at('other.test', foreign)}/`) : { status: 404 };
        };
      },
    ],
    [
      'the principal',
      () =>
        answerAt('/', multistatus(present('/', principalNamed(`${at('other.test', foreign)}/principal/`)))),
    ],
    [
      'the calendar home',
      () =>
        answerAt(
          '/principal/',
          multistatus(
            present(
              '/principal/',
              `${principalNamed('/principal/')}<c:calendar-home-set><d:href>${at('other.test', foreign)}/dav/ada/</d:href></c:calendar-home-set>`,
            ),
          ),
        ),
    ],
    [
      'a redirect of the calendar home',
      () => answerAt('/dav/ada/', redirect(`${at('other.test', foreign)}/dav/ada/`)),
    ],
  ];
  for (const [name, detour] of detours)
    it(`linking requests nothing from a foreign origin that ${name} names, and says which it is`, async () => {
      detour();

      await assert.rejects(
        verify(),
        failsAs('invalid_response', /points to http:\/\/other\.test:\d+: if you trust it/),
      );

      assert.deepEqual(foreign.calls, []);
    });

  it('linking requests nothing from a foreign origin that a service record names', async () => {
    service = [{ name: 'other.test', port: Number(new URL(foreign.origin).port) }];
    server.odd = () => ({ status: 404 });

    await assert.rejects(verify(), failsAs('invalid_response', /points to https:\/\/other\.test/));

    assert.deepEqual(lookups, ['_caldavs._tcp.dav.test']);
    assert.deepEqual(foreign.calls, []);
  });

  for (const where of ['/', '/principal/', '/dav/ada/'])
    it(`linking reaches no private address that ${where} redirects to`, async () => {
      for (const host of ['127.0.0.1', 'localhost', '[::1]', '0x7f.1', '2130706433']) {
        answerAt(where, redirect(`http://${host}:${canary.port}/`));
        await assert.rejects(verify(), ProviderError);
      }

      assert.equal(canary.connections(), 0);
    });

  it('linking leaves out calendars whose address is foreign or private', async () => {
    const types = '<d:resourcetype><d:collection/><c:calendar/></d:resourcetype>';
    const list = [
      CALENDAR,
      `http://127.0.0.1:${canary.port}/cal/`,
      `${at('other.test', foreign)}/dav/ada/x/`,
    ];
    const { credentials } = await verify();
    answerAt('/dav/ada/', multistatus(list.map((href) => present(href, types)).join('')));

    const account = caldavProvider({ egress, log, now: Date.now, dns }).open(credentials);

    assert.deepEqual(
      (await account.listCalendars()).map(({ href }) => href),
      [typed() + CALENDAR],
    );
    assert.equal(canary.connections() + foreign.calls.length, 0);
  });

  it('a wrong password is tried once', async () => {
    await assert.rejects(verify({ password: 'wrong' }), failsAs('unauthorized'));

    assert.equal(server.calls.length, 1);
  });

  it('a principal that is nobody is taken for a wrong password', async () => {
    const nobody = '<d:current-user-principal><d:unauthenticated/></d:current-user-principal>';
    answerAt('/', multistatus(present('/', nobody)));

    await assert.rejects(verify(), failsAs('unauthorized'));
  });

  it('the password is not blamed where the server takes none', async () => {
    server.odd = () => ({ status: 401, headers: { 'www-authenticate': 'Digest realm="x", nonce="y"' } });

    await assert.rejects(verify(), failsAs('invalid_response'));
  });

  it('linking says no_calendars when there is none for events', async () => {
    answerAt(
      '/dav/ada/',
      multistatus(present('/dav/ada/', '<d:resourcetype><d:collection/></d:resourcetype>')),
    );

    await assert.rejects(verify(), failsAs('no_calendars'));
  });

  const others: [string, DavAnswer, ProviderErrorKind][] = [
    [
      'a web page',
      { status: 200, body: '<html></html>', headers: { 'content-type': 'text/html' } },
      'invalid_response',
    ],
    ['404 everywhere', { status: 404 }, 'invalid_response'],
    ['403 everywhere', { status: 403 }, 'invalid_response'],
    ['207 without XML', { status: 207, body: 'hello' }, 'invalid_response'],
    ['207 with other XML', { status: 207, body: '<html/>' }, 'invalid_response'],
    ['an error of its own', { status: 500 }, 'unavailable'],
    ['too many requests', { status: 429, headers: { 'retry-after': '3' } }, 'rate_limited'],
  ];
  for (const [name, answer, kind] of others)
    it(`reports a server that responds with ${name} as ${kind}`, async () => {
      server.odd = () => answer;

      await assert.rejects(verify(), failsAs(kind));
    });

  it('reports an unknown host, a closed port and a bad certificate as unavailable', async () => {
    for (const address of ['https://unknown.test/', 'http://dav.test:1/', typed().replace('http:', 'https:')])
      await assert.rejects(verify({ server: address }), failsAs('unavailable'), address);
  });

  it('reports a private address as forbidden', async () => {
    for (const address of [
      'http://127.0.0.1/',
      '10.0.0.1',
      'https://localhost:8443',
      'ada@localhost',
      '[::1]',
    ])
      await assert.rejects(verify({ server: address }), failsAs('forbidden_address'), address);
  });

  it('what is no server address is refused', async () => {
    for (const text of [
      'a b',
      'https://',
      'http://x y/',
      'ftp://dav.test/',
      'https://ada:pw@dav.test/',
      '//',
      '%%',
    ])
      await assert.rejects(verify({ server: text }), failsAs('invalid_response'), text);
  });

  describe('at Apple', () => {
    const apple = (password: string) =>
      appleProvider({ egress, log, now: Date.now, serverUrl: typed() }).signIn.verify({
        username: ' Ada@iCloud.test ',
        password,
      });

    it('distinguishes a password that Apple refuses from other failures', async () => {
      await assert.rejects(apple('abcd-efgh-ijkl-mnop'), failsAs('unauthorized'));
    });

    it('an account at Apple is known by its address in lower case', async () => {
      const basicOfAda = Buffer.from('Ada@iCloud.test:abcd-efgh-ijkl-mnop').toString('base64');
      const principal = principalNamed('/p/');
      const home = `${principal}<c:calendar-home-set><d:href>/h/</d:href></c:calendar-home-set>`;
      const calendar = '<d:resourcetype><d:collection/><c:calendar/></d:resourcetype>';
      server.odd = ({ path, authorization }) => {
        if (authorization !== `Basic ${basicOfAda}`) return { status: 401 };
        const properties: Record<string, string> = { '/': principal, '/p/': home, '/h/': calendar };
        return multistatus(present(path, properties[path] ?? ''));
      };

      const account = await apple('abcd-efgh-ijkl-mnop');

      assert.deepEqual(
        [account.accountId, account.identity, account.provesOwner, account.display],
        ['ada@icloud.test', 'ada@icloud.test', true, 'Ada@iCloud.test'],
      );
      assert.deepEqual(lookups, []);
    });
  });
});

describe('what a user types as server', () => {
  const rows: [string, string, string][] = [
    ['https://dav.example.com/x/', 'https://dav.example.com/x/', 'dav.example.com'],
    [' dav.example.com ', 'https://dav.example.com/', 'dav.example.com'],
    ['dav.example.com:8443/cal', 'https://dav.example.com:8443/cal/', 'dav.example.com'],
    ['ada@Example.com', 'https://example.com/', 'example.com'],
    ['ada@fastmail.com', 'https://caldav.fastmail.com/dav/', 'fastmail.com'],
    ['me@icloud.com', 'https://caldav.icloud.com/', 'icloud.com'],
  ];
  for (const [text, url, domain] of rows)
    it(`what a user types as server, ${JSON.stringify(text)}, is read as ${url}`, () => {
      const server = readServerAddress(text);

      assert.deepEqual([server.url.href, server.domain], [url, domain]);
    });

  it('iCloud is pinned to all hosts of iCloud', () => {
    assert.ok(readServerAddress('me@icloud.com').origins.includes('https://*.icloud.com'));
  });

  const targets: [string, string, boolean][] = [
    ['example.com', 'https://dav.example.com/', true],
    ['example.com', 'https://example.com:8443/', true],
    ['http://example.com', 'https://example.com/', true],
    ['ada@example.com', 'https://dav.example.com/', true],
    ['example.com', 'http://dav.example.com/', false],
    ['example.com', 'https://dav.example.org/', false],
    ['example.com', 'https://notexample.com/', false],
    ['dav.example.com', 'https://example.com/', false],
    ['a.co.uk', 'https://b.co.uk/', false],
    ['https://192.0.2.1', 'https://evil.192.0.2.1.test/', false],
  ];
  for (const [text, target, expected] of targets)
    it(`the password for ${text} ${expected ? 'goes' : 'does not go'} to ${target}`, () => {
      assert.equal(belongsTo(readServerAddress(text), new URL(target)), expected);
    });
});
