/** Egress besides the check of addresses: redirects, credentials, caps, time limits, slots. */
import assert from 'node:assert/strict';
import http from 'node:http';
import { after, before, beforeEach, describe, it } from 'node:test';
import { deflateSync, gzipSync } from 'node:zlib';

import { createEgress, type Egress } from '../../../src/lib/egress/egress.ts';
import { EgressError, type EgressErrorKind } from '../../../src/lib/egress/egress-error.ts';
import { isPinned } from '../../../src/lib/egress/origins.ts';
import { close, listen } from '../../harness/loopback.ts';

type ReceivedRequest = {
  method: string;
  url: string;
  host: string;
  authorization: string | undefined;
  body: string;
};

const failsAs = (kind: EgressErrorKind) => (failure: unknown) =>
  failure instanceof EgressError && failure.kind === kind;

describe('Egress', () => {
  let server: http.Server;
  let port: number;
  let egress: Egress;
  let requests: ReceivedRequest[];
  let running = 0;
  let most = 0;

  before(async () => {
    server = http.createServer((request, response) => {
      let body = '';
      request.on('data', (chunk) => {
        body += chunk;
      });
      request.on('end', () => {
        const { method = '', url = '', headers } = request;
        requests.push({ method, url, host: headers.host ?? '', authorization: headers.authorization, body });
        answer(url, response);
      });
    });
    port = Number(new URL(await listen(server)).port);
    const hosts = ['entry.test', 'foreign.test'];
    const lookup = async () => [{ address: '127.0.0.1', family: 4 }];
    egress = createEgress({ privateNetwork: { mode: 'hosts', hosts }, lookup });
  });
  beforeEach(() => {
    requests = [];
  });
  after(async () => {
    await egress.close();
    await close(server);
  });

  const entry = (path: string) => `http://entry.test:${port}${path}`;
  const foreign = (path: string) => `http://foreign.test:${port}${path}`;
  const credentials = () => ({ authorization: 'Basic secret', origins: [new URL(entry('/')).origin] });

  function answer(url: string, response: http.ServerResponse): void {
    const { pathname, searchParams } = new URL(url, 'http://entry.test');
    const to = searchParams.get('to');
    if (to !== null) response.writeHead(Number(searchParams.get('status') ?? 302), { location: to }).end();
    else if (pathname === '/round') response.writeHead(302, { location: '/round' }).end();
    else if (pathname === '/large') response.end(Buffer.alloc(2000));
    else if (pathname === '/huge') response.end(Buffer.alloc(9_000_000));
    else if (pathname === '/bomb')
      response.writeHead(200, { 'content-encoding': 'gzip' }).end(gzipSync(Buffer.alloc(50_000_000)));
    else if (pathname === '/packed')
      response.writeHead(200, { 'content-encoding': 'deflate' }).end(deflateSync('unpacked'));
    else if (pathname === '/odd') response.writeHead(200, { 'content-encoding': 'rot13' }).end('x');
    else if (pathname === '/broken') response.writeHead(200, { 'content-encoding': 'gzip' }).end('not gzip');
    else if (pathname === '/slow') setTimeout(() => response.end('late'), 2000).unref();
    else if (pathname === '/silent') return;
    else if (pathname === '/drip') drip(response);
    else if (pathname === '/busy') busy(response);
    else if (pathname === '/reset') response.socket?.destroy();
    else response.end('hello');
  }

  function drip(response: http.ServerResponse): void {
    const timer = setInterval(() => response.write('.'), 20);
    response.on('close', () => clearInterval(timer));
  }

  function busy(response: http.ServerResponse): void {
    running += 1;
    most = Math.max(most, running);
    setTimeout(() => {
      running -= 1;
      response.end();
    }, 20);
  }

  for (const status of [301, 302, 303, 307, 308])
    it(`egress keeps method, body and credentials over a ${status} within the origin`, async () => {
      const url = entry(`/?status=${status}&to=${encodeURIComponent('/there')}`);

      const answered = await egress.request({
        method: 'PROPFIND',
        url,
        body: '<x/>',
        credentials: credentials(),
      });

      assert.equal(answered.url.href, entry('/there'));
      assert.deepEqual(
        requests.map(({ method, body, authorization }) => [method, body, authorization]),
        Array(2).fill(['PROPFIND', '<x/>', 'Basic secret']),
      );
    });

  it('egress turns a POST that was answered with 303 into a GET', async () => {
    await egress.request({ method: 'POST', url: entry('/?status=303&to=/there'), body: 'x' });

    assert.deepEqual(
      requests.map(({ method, body }) => [method, body]),
      [
        ['POST', 'x'],
        ['GET', ''],
      ],
    );
  });

  it('egress leaves credentials out of a request to a foreign origin, and brings them home again', async () => {
    const back = encodeURIComponent(entry('/home'));
    const url = entry(`/?to=${encodeURIComponent(foreign(`/?to=${back}`))}`);

    await egress.request({ method: 'GET', url, credentials: credentials() });

    assert.deepEqual(
      requests.map(({ host, authorization }) => [host.split(':')[0], authorization]),
      [
        ['entry.test', 'Basic secret'],
        ['foreign.test', undefined],
        ['entry.test', 'Basic secret'],
      ],
    );
  });

  it('egress answers with the redirect itself where the caller will not follow', async () => {
    const url = entry(`/?to=${encodeURIComponent(foreign('/'))}`);

    const answered = await egress.request({ method: 'GET', url, mayFollow: () => false });

    assert.equal(answered.status, 302);
    assert.equal(answered.header('location'), foreign('/'));
    assert.equal(requests.length, 1);
  });

  it('egress follows five redirects and no sixth', async () => {
    await assert.rejects(
      egress.request({ method: 'GET', url: entry('/round') }),
      failsAs('too_many_redirects'),
    );

    assert.equal(requests.length, 6);
  });

  it('egress takes credentials out of headers for a fault of its caller', async () => {
    for (const name of ['Authorization', 'cookie', 'PROXY-AUTHORIZATION'])
      await assert.rejects(
        egress.request({ method: 'GET', url: entry('/'), headers: { [name]: 'x' } }),
        TypeError,
      );
    assert.equal(requests.length, 0);
  });

  it('egress reads no more than the cap, sent or unpacked', async () => {
    const large = { method: 'GET', url: entry('/large') };

    await assert.rejects(egress.request({ ...large, maxBytes: 1999 }), failsAs('too_large'));
    await assert.rejects(egress.request({ method: 'GET', url: entry('/bomb') }), failsAs('too_large'));
    assert.equal((await egress.request({ ...large, maxBytes: 2000 })).body.length, 2000);
  });

  it('egress unpacks what was compressed unasked', async () => {
    assert.equal(
      (await egress.request({ method: 'GET', url: entry('/packed') })).body.toString(),
      'unpacked',
    );
  });

  it('egress fails on encodings it does not know or that are broken', async () => {
    for (const path of ['/odd', '/broken', '/reset'])
      await assert.rejects(egress.request({ method: 'GET', url: entry(path) }), failsAs('unreachable'), path);
  });

  it('egress gives up in time, on silence and on an answer that never ends', async () => {
    for (const path of ['/silent', '/drip']) {
      const began = performance.now();
      await assert.rejects(
        egress.request({ method: 'GET', url: entry(path), timeoutMs: 200 }),
        failsAs('timeout'),
      );
      assert.ok(performance.now() - began < 15_000, path);
    }
  });

  it('egress ends a request when its signal is aborted, before it is sent or while it runs', async () => {
    const aborting = new AbortController();
    const running = egress.request({ method: 'GET', url: entry('/silent'), signal: aborting.signal });
    setImmediate(() => aborting.abort());
    await assert.rejects(running, failsAs('timeout'));

    requests.length = 0;
    const late = egress.request({ method: 'GET', url: entry('/'), signal: aborting.signal });
    await assert.rejects(late, failsAs('timeout'));
    assert.equal(requests.length, 0);
  });

  it('egress reads large answers one after the other, however many', async () => {
    for (let answers = 0; answers < 6; answers += 1) {
      const { body } = await egress.request({ method: 'GET', url: entry('/huge'), timeoutMs: 60_000 });
      assert.equal(body.length, 9_000_000);
    }
  });

  it('egress sends at most six requests of an application to a host at a time', async () => {
    const names = { clientId: 'acme', method: 'GET', url: entry('/busy') };
    await Promise.all(
      Array.from({ length: 20 }, (_, user) => egress.request({ ...names, owner: `acme ${user}` })),
    );

    assert.equal(requests.length, 20);
    assert.equal(most, 6);
  });

  it('egress counts waiting for a turn as time', async () => {
    const slow = Array.from({ length: 4 }, () => egress.request({ method: 'GET', url: entry('/slow') }));
    const last = egress.request({ method: 'GET', url: entry('/'), timeoutMs: 200 });

    await assert.rejects(last, failsAs('timeout'));
    await Promise.all(slow);
  });

  it('egress tells unreachable servers and bad certificates apart', async () => {
    const https = `https://entry.test:${port}/`;

    await assert.rejects(egress.request({ method: 'GET', url: https }), failsAs('tls'));
    await assert.rejects(
      egress.request({ method: 'GET', url: 'http://entry.test:1/' }),
      failsAs('unreachable'),
    );
  });

  it('egress names no path, query or credentials in what it says', async () => {
    const url = entry('/reset?token=secret');

    const failure = await egress.request({ method: 'GET', url, credentials: credentials() }).catch(String);

    assert.doesNotMatch(String(failure), /secret|reset/);
  });
});

describe('pinned origins', () => {
  const rows: [string, string, boolean][] = [
    ['https://dav.example.com', 'https://dav.example.com/x', true],
    ['https://dav.example.com', 'https://dav.example.com:443/x', true],
    ['https://dav.example.com', 'http://dav.example.com/x', false],
    ['https://dav.example.com', 'https://dav.example.com:8443/x', false],
    ['https://dav.example.com', 'https://dav.example.com.evil.test/', false],
    ['https://dav.example.com', 'https://dav.example.com@evil.test/', false],
    ['https://*.icloud.com', 'https://p42-caldav.icloud.com/x', true],
    ['https://*.icloud.com', 'https://a.b.icloud.com/x', true],
    ['https://*.icloud.com', 'https://icloud.com/', false],
    ['https://*.icloud.com', 'https://evilicloud.com/', false],
    ['https://*.icloud.com', 'https://x.icloud.com.evil.test/', false],
    ['https://*.icloud.com', 'https://x.icloud.com:444/', false],
    ['https://*.icloud.com', 'http://x.icloud.com/', false],
    ['http://127.0.0.1:*', 'http://127.0.0.1:4004/x', true],
    ['http://127.0.0.1:*', 'https://127.0.0.1:4004/x', false],
    ['http://127.0.0.1:*', 'http://127.0.0.2:4004/x', false],
    ['http://127.0.0.1:*', 'http://127.0.0.1.evil.test:4004/x', false],
    ['https://dav.example.com:*', 'https://dav.example.com:8443/x', false],
  ];
  for (const [origin, url, expected] of rows)
    it(`the pinned origin ${origin} ${expected ? 'has' : 'has not'} ${url}`, () => {
      assert.equal(isPinned([origin], new URL(url)), expected);
    });
});
