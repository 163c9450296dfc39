/** Requests to addresses that a developer chose: public hosts alone, whatever is opened for others, and one text for the rest. */
import assert from 'node:assert/strict';
import http from 'node:http';
import net from 'node:net';
import { after, before, describe, it } from 'node:test';

import type { buildConnector } from 'undici';

import { createEgress, type Egress } from '../../../src/lib/egress/egress.ts';
import { EgressError } from '../../../src/lib/egress/egress-error.ts';
import { close, listen } from '../../harness/loopback.ts';
import { type Canary, startCanary } from '../../servers/canary.ts';
import { type DnsServer, startDns } from '../../servers/dns.ts';
import { FORBIDDEN_ANSWERS, FORBIDDEN_HOSTS } from './addresses.ts';
import { connecting, NOWHERE } from './nowhere.ts';

const OPENED = ['intranet.test', 'rebinding.test', '127.0.0.1', '10.0.0.1', '::1'];
const NAMES = Object.fromEntries(FORBIDDEN_ANSWERS.map((answer, index) => [`name-${index}.test`, [answer]]));

describe('requests to addresses that a developer chose', () => {
  let canary: Canary;
  let dns: DnsServer;
  let redirector: http.Server;
  let port: number;
  let egress: Egress;

  /** `public.test` is the redirector, at a public address and without TLS; everything else is as undici connects. */
  const withPublicHost: typeof buildConnector = (options) => {
    const connect = connecting(options);
    return (target, callback) => {
      if (target.hostname !== 'public.test') return connect(target, callback);
      const socket = net.connect(port, '127.0.0.1', () => callback(null, socket));
      Object.defineProperty(socket, 'remoteAddress', { value: NOWHERE });
    };
  };

  before(async () => {
    canary = await startCanary();
    redirector = http.createServer((request, response) => {
      const target = new URL(request.url ?? '', 'http://public.test').searchParams.get('to') ?? '';
      response.writeHead(302, { location: encodeURI(target) }).end();
    });
    port = Number(new URL(await listen(redirector)).port);
    dns = await startDns({
      ...{ 'intranet.test': [['127.0.0.1']], 'ten.test': [['10.0.0.1']], ...NAMES },
      'rebinding.test': [[NOWHERE], ['127.0.0.1']],
    });
    const privateNetwork = { mode: 'hosts', hosts: [...OPENED, ...Object.keys(NAMES)] } as const;
    egress = createEgress({ privateNetwork, lookup: dns.lookup, connecting: withPublicHost });
  });
  after(async () => {
    await egress.close();
    await close(redirector);
    await dns.stop();
    await canary.stop();
  });

  /** Returns kind, detail and message of the error, with HOST in place of the host. */
  const refusal = async (url: string): Promise<string> => {
    const failure = await egress
      .request({ method: 'GET', url, publicOnly: true, timeoutMs: 60_000 })
      .catch(Object);
    assert.ok(failure instanceof EgressError, url);
    const { kind, detail, message } = failure;
    return JSON.stringify([kind, detail, message.replace(/^\S+ (?=is)/, 'HOST ')]);
  };
  const NOT_PUBLIC = JSON.stringify(['forbidden_address', null, 'HOST is not a public host']);
  const viaRedirect = (url: string) => `https://public.test/?to=${encodeURIComponent(url)}`;

  it('reach an opened host if the developer did not choose it', async () => {
    const before = canary.connections();
    await egress.request({ method: 'GET', url: `http://intranet.test:${canary.port}/` });

    assert.equal(canary.connections(), before + 1);
  });

  it('do not use a connection that is open for others', async () => {
    const url = `http://intranet.test:${canary.port}/pooled`;
    await egress.request({ method: 'GET', url });
    const [before, seen] = [canary.connections(), canary.requests.length];

    assert.equal(await refusal(url), NOT_PUBLIC);
    assert.deepEqual([canary.connections(), canary.requests.length], [before, seen]);
  });

  it('connect to no private name, however it is reached, and say the same as of an unknown one', async () => {
    const before = canary.connections();
    const names = ['intranet.test', 'ten.test', 'unknown.test', 'UNKNOWN.test.', ...Object.keys(NAMES)];
    const urls = names.map((name) => `https://${name}:${canary.port}/`);
    for (const url of [...urls, `http://intranet.test:${canary.port}/`, 'http://unknown.test/']) {
      assert.equal(await refusal(url), NOT_PUBLIC, url);
      assert.equal(await refusal(viaRedirect(url)), NOT_PUBLIC, url);
    }
    assert.equal(canary.connections(), before);
  });

  it('connect to no private address in any spelling, and say the same as of an unknown name', async () => {
    const before = canary.connections();
    // Others are no host: they have a user name, or are no URL.
    const hosts = FORBIDDEN_HOSTS.filter((host) => {
      const url = URL.parse(`https://${host}/`);
      return url !== null && url.username === '' && !host.includes('#');
    });
    for (const host of hosts)
      for (const url of [`https://${host}:${canary.port}/`, `http://${host}:${canary.port}/`]) {
        assert.equal(await refusal(url), NOT_PUBLIC, url);
        // The redirector encodes what is encoded.
        if (host === encodeURI(host) && !host.includes('%'))
          assert.equal(await refusal(viaRedirect(url)), NOT_PUBLIC, url);
      }
    assert.ok(hosts.length > 60);
    assert.equal(canary.connections(), before);
  });

  it('connect to the address that was checked, although the name changes its answer', async () => {
    const before = canary.connections();
    const url = `https://rebinding.test:${canary.port}/`;
    const first = await refusal(url);

    assert.match(first, /unreachable/);
    assert.equal(await refusal(url), NOT_PUBLIC);
    assert.equal(canary.connections(), before);
  });

  it('reach this machine only if that is all that is opened', async () => {
    const url = `http://127.0.0.1:${canary.port}/`;
    for (const mode of ['deny', 'allow', 'loopback'] as const) {
      const one = createEgress({ privateNetwork: { mode } });
      const answer = one.request({ method: 'GET', url, publicOnly: true });
      if (mode === 'loopback') assert.equal((await answer).status, 200);
      else await assert.rejects(answer, /^EgressError: 127\.0\.0\.1 is not a public host$/);
      await one.close();
    }
  });
});
