/** Details that a form can show about a server without calendars: ProviderError's `detail`. */
import assert from 'node:assert/strict';
import { createServer, type Server, type Socket } from 'node:net';
import { afterEach, beforeEach, describe, it } from 'node:test';

import type { PasswordLogin } from '../../../src/calendars/calendar-provider.ts';
import { ProviderError } from '../../../src/calendars/provider-error.ts';
import { createEgress, type Egress } from '../../../src/lib/egress/egress.ts';
import type { PrivateNetwork } from '../../../src/lib/egress/private-network.ts';
import { caldavProvider } from '../../../src/providers/caldav/caldav-provider.ts';
import { counterpart } from '../../harness/counterpart.ts';
import { freePort, listen } from '../../harness/loopback.ts';
import { OddCalDav } from '../../servers/odd-caldav.ts';
import { USERS } from '../../servers/process.ts';
import { recordingLog } from '../../servers/recording-log.ts';
import { OPENSSL, startTlsFront, type TlsFront } from '../../servers/tls-front.ts';

describe('why a CalDAV server was not found', () => {
  let server: OddCalDav;
  let egress: Egress;
  let service: { name: string; port: number }[];
  const { log } = recordingLog();
  const OPENED: PrivateNetwork = { mode: 'hosts', hosts: ['dav.test', 'beneath.dav.test'] };

  beforeEach(async () => {
    server = new OddCalDav();
    service = [];
    await server.start();
    egress = egressWith(OPENED);
  });
  afterEach(async () => {
    await egress.close();
    await server.stop();
  });

  const addresses: Readonly<Record<string, readonly string[]>> = {
    'dav.test': ['127.0.0.1'],
    'beneath.dav.test': ['127.0.0.1'],
    'empty.test': [],
  };
  const egressWith = (privateNetwork: PrivateNetwork, code = 'ENOTFOUND') =>
    createEgress({
      privateNetwork,
      lookup: async (host) => {
        const known = addresses[host];
        if (known === undefined) throw Object.assign(new Error(`getaddrinfo ${code} ${host}`), { code });
        return known.map((address) => ({ address, family: 4 }));
      },
    });
  const portOf = ({ origin }: OddCalDav) => Number(new URL(origin).port);
  const dns = {
    resolveSrv: async () => service.map((record) => ({ ...record, priority: 0, weight: 0 })),
    resolveTxt: async () => [],
  };
  const failure = async (typed: string | undefined, login: Partial<PasswordLogin> = {}) => {
    const { signIn } = caldavProvider({ egress, log, now: Date.now, dns });
    const server = typed === undefined ? {} : { server: typed };
    try {
      await signIn.verify({ ...server, username: 'ada', password: USERS.ada ?? '', ...login });
    } catch (error) {
      assert.ok(error instanceof ProviderError, String(error));
      return [error.kind, error.detail];
    }
    throw new Error('The account was linked');
  };

  it('reports a host name that does not exist', async () => {
    assert.deepEqual(await failure('unknown.test'), ['unavailable', 'host_unknown']);
    assert.deepEqual(await failure('https://unknown.test:8443/dav/'), ['unavailable', 'host_unknown']);
    assert.deepEqual(await failure('empty.test'), ['unavailable', 'host_unknown']);
    assert.deepEqual(await failure(undefined, { username: 'ada@unknown.test' }), [
      'unavailable',
      'host_unknown',
    ]);
  });

  it('reports a name that the DNS fails to resolve as one that does not exist', async () => {
    egress = egressWith(OPENED, 'EAI_AGAIN');

    assert.deepEqual(await failure('unknown.test'), ['unavailable', 'host_unknown']);
  });

  it('reports a refused connection, over http and https', async () => {
    const port = await freePort();

    for (const typed of [`http://dav.test:${port}`, `dav.test:${port}`])
      assert.deepEqual(await failure(typed), ['unavailable', 'connection_refused'], typed);
  });

  it('reports a site without CalDAV, whatever its response', async () => {
    for (const answer of [
      { status: 200, body: '<html></html>' },
      { status: 404 },
      { status: 405 },
      { status: 207, body: 'x' },
    ]) {
      server.odd = () => answer;

      const typed = `http://dav.test:${portOf(server)}/`;
      assert.deepEqual(await failure(typed), ['invalid_response', 'no_caldav'], `${answer.status}`);
    }
  });

  it('reports a server that responds with 503 as unavailable, without a detail', async () => {
    server.odd = () => ({ status: 503 });

    assert.deepEqual(await failure(`http://dav.test:${portOf(server)}`), ['unavailable', undefined]);
  });

  it('reports a server that accepts no passwords', async () => {
    server.odd = () => ({ status: 401, headers: { 'www-authenticate': 'Digest realm="x", nonce="y"' } });

    const typed = `http://dav.test:${portOf(server)}`;
    assert.deepEqual(await failure(typed), ['invalid_response', 'no_basic']);
  });

  it('reports a server that redirects to another host', async () => {
    server.odd = () => ({ status: 301, headers: { location: 'https://other.test/' } });

    const typed = `http://dav.test:${portOf(server)}`;
    assert.deepEqual(await failure(typed), ['invalid_response', 'foreign_address']);
  });

  it('reports a missing http://, and sends the server no password', async () => {
    assert.deepEqual(await failure(`dav.test:${portOf(server)}/secret/path`), ['unavailable', 'plain_http']);

    assert.deepEqual(
      server.calls.map(({ method, path, authorization }) => [method, path, authorization]),
      [['OPTIONS', '/', undefined]],
    );
  });

  it('reports a missing http:// for a server that closes https connections', async () => {
    const deaf = hangingUp();
    const { port } = new URL(await listen(deaf));

    assert.deepEqual(await failure(`dav.test:${port}`), ['unavailable', 'plain_http']);

    await new Promise((resolve) => deaf.close(resolve));
  });

  it('a missing http:// is not told where http is not allowed, and nothing is asked', async () => {
    egress = egressWith({ mode: 'deny' });

    assert.deepEqual(await failure(`dav.test:${portOf(server)}`), ['forbidden_address', undefined]);

    assert.deepEqual(server.calls, []);
  });

  for (const [name, answer] of [
    ['sends http on to https', { status: 301, headers: { location: 'https://dav.test/' } }],
    ['does not understand http', { status: 400 }],
  ] as const)
    it(`does not report a missing http:// for a server that ${name}`, async () => {
      server.odd = () => answer;

      const typed = `dav.test:${portOf(server)}`;
      assert.deepEqual(await failure(typed), ['unavailable', 'connection_refused']);
    });

  it('a wrong password tells more than where else there is nothing', async () => {
    service = [{ name: 'unknown.dav.test', port: 443 }];
    server.odd = ({ path }) => (path === '/' ? { status: 404 } : undefined);

    const typed = `http://dav.test:${portOf(server)}`;
    assert.deepEqual(await failure(typed, { password: 'wrong' }), ['unauthorized', undefined]);
  });

  it('a foreign server of the domain’s records tells more than that the domain has no site', async () => {
    service = [{ name: 'hoster.test', port: 443 }];

    assert.deepEqual(await failure(undefined, { username: 'ada@unknown.test' }), [
      'invalid_response',
      'foreign_address',
    ]);
  });

  describe('with a certificate', counterpart('OpenSSL', OPENSSL), () => {
    let front: TlsFront;

    beforeEach(async () => {
      front = await startTlsFront(['other.test'], () => server.origin);
    });
    afterEach(() => front.stop());

    it('reports an untrusted certificate', async () => {
      assert.deepEqual(await failure(`dav.test:${front.port}`), ['unavailable', 'certificate']);
      assert.deepEqual(server.calls, []);
    });

    it('reports the certificate of another host', async () => {
      front.trust();

      assert.deepEqual(await failure(`dav.test:${front.port}`), ['unavailable', 'certificate']);
    });

    it('the certificate of the server in the records tells more than a refused domain', async () => {
      service = [{ name: 'beneath.dav.test', port: front.port }];

      const typed = `dav.test:${await freePort()}`;
      assert.deepEqual(await failure(typed), ['unavailable', 'certificate']);
    });
  });
});

/** Creates a server that closes the connection at a TLS handshake and responds to everything else. */
function hangingUp(): Server {
  return createServer((socket: Socket) => {
    socket.on('error', () => socket.destroy());
    socket.once('data', (first) => {
      if (first[0] === 0x16) return socket.destroy();
      socket.end('HTTP/1.1 200 OK\r\ncontent-length: 0\r\nconnection: close\r\n\r\n');
    });
  });
}
