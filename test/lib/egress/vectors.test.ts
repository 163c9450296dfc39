/** The egress rules against every way round them that is known: nothing private is reached. */
import assert from 'node:assert/strict';
import http from 'node:http';
import { after, before, describe, it } from 'node:test';

import { isPublicAddress } from '../../../src/lib/egress/address-policy.ts';
import { createEgress, type Egress } from '../../../src/lib/egress/egress.ts';
import { EgressError } from '../../../src/lib/egress/egress-error.ts';
import { close, listen } from '../../harness/loopback.ts';
import { type Canary, startCanary } from '../../servers/canary.ts';
import { type DnsServer, startDns } from '../../servers/dns.ts';
import { FORBIDDEN_ANSWERS, FORBIDDEN_HOSTS, PUBLIC_ADDRESSES } from './addresses.ts';
import { connecting, NOWHERE } from './nowhere.ts';

const forbidden = (failure: unknown) =>
  failure instanceof EgressError && failure.kind === 'forbidden_address';

const NAMES = Object.fromEntries(FORBIDDEN_ANSWERS.map((answer, index) => [`name-${index}.test`, [answer]]));

describe('the egress rules', () => {
  let canary: Canary;
  let dns: DnsServer;
  let redirector: http.Server;
  let port: number;
  let egress: Egress;

  before(async () => {
    canary = await startCanary();
    redirector = http.createServer((request, response) => {
      const target = new URL(request.url ?? '', 'http://entry.test').searchParams.get('to') ?? '';
      response.writeHead(302, { location: encodeURI(target) }).end();
    });
    port = Number(new URL(await listen(redirector)).port);
    dns = await startDns({
      'entry.test': [['127.0.0.1']],
      'rebinding.test': [[NOWHERE], ['127.0.0.1']],
      ...NAMES,
    });
    const privateNetwork = { mode: 'hosts', hosts: ['entry.test'] } as const;
    egress = createEgress({ privateNetwork, lookup: dns.lookup, connecting });
  });
  after(async () => {
    await egress.close();
    await close(redirector);
    await dns.stop();
    await canary.stop();
  });

  const urlsOf = (host: string): string[] =>
    ['https', 'http'].map((scheme) => {
      // The port belongs in front of what is no host any more.
      const [, name = host, rest = ''] = /^([^#\\]*)(.*)$/.exec(host) ?? [];
      return `${scheme}://${name}:${canary.port}${rest}/`;
    });
  const request = (url: string) =>
    egress.request({
      method: 'GET',
      url,
      timeoutMs: 60_000,
      credentials: { authorization: 'Basic secret', origins: [`http://entry.test:${port}`] },
    });

  it('the table of egress rules has at least 60 vectors', () => {
    assert.ok(FORBIDDEN_HOSTS.length + FORBIDDEN_ANSWERS.length >= 60);
  });

  it('a request would reach the canary, were it not for the egress rules', async () => {
    const open = createEgress({ privateNetwork: { mode: 'loopback' }, lookup: dns.lookup });
    const before = canary.connections();

    await open.request({ method: 'GET', url: `http://0x7f.1:${canary.port}/` });
    await open.request({ method: 'GET', url: `http://name-0.test:${canary.port}/` });
    await open.close();

    assert.equal(canary.connections(), before + 2);
  });

  for (const host of FORBIDDEN_HOSTS)
    it(`egress refuses the host ${host}, asked for or redirected to`, async () => {
      const before = canary.connections();

      for (const url of urlsOf(host)) {
        await assert.rejects(request(url), forbidden, url);
        const redirect = `http://entry.test:${port}/?to=${encodeURIComponent(url)}`;
        await assert.rejects(request(redirect), forbidden, redirect);
      }

      assert.equal(canary.connections(), before);
    });

  for (const [index, addresses] of FORBIDDEN_ANSWERS.entries())
    it(`egress refuses a name at ${addresses.join(' and ')}, asked for or redirected to`, async () => {
      const before = canary.connections();

      for (const url of urlsOf(`name-${index}.test`)) {
        await assert.rejects(request(url), forbidden, url);
        const redirect = `http://entry.test:${port}/?to=${encodeURIComponent(url)}`;
        await assert.rejects(request(redirect), forbidden, redirect);
      }

      assert.equal(canary.connections(), before);
    });

  it('egress connects to the very address it checked, whatever the name means a moment later', async () => {
    const before = canary.connections();

    const outcomes: unknown[] = [];
    for (let count = 0; count < 5; count += 1)
      outcomes.push(
        await request(`https://rebinding.test:${canary.port}/`).catch((failure: unknown) => failure),
      );

    const [first, ...later] = outcomes;
    assert.ok(first instanceof EgressError && first.kind === 'unreachable', String(first));
    assert.ok(later.every(forbidden));
    assert.equal(dns.queries('rebinding.test'), 5);
    assert.equal(canary.connections(), before);
  });

  it('egress refuses schemes other than https and http', async () => {
    for (const url of ['file:///etc/passwd', 'ftp://example.com/', 'gopher://example.com/', 'data:,x', ''])
      await assert.rejects(request(url), forbidden, url);
  });

  it('egress refuses plain http to a public address', async () => {
    await assert.rejects(request('http://1.1.1.1/'), forbidden);
  });

  it('egress opens every private range but link-local with `allow`', async () => {
    const open = createEgress({ privateNetwork: { mode: 'allow' }, lookup: dns.lookup });

    await open.request({ method: 'GET', url: `http://127.0.0.1:${canary.port}/` });
    for (const host of ['169.254.169.254', '[fe80::1]', '0.0.0.0', '255.255.255.255', '[2002:7f00:1::]'])
      await assert.rejects(open.request({ method: 'GET', url: `http://${host}/` }), forbidden, host);
    await open.close();
  });

  it('egress takes every public address for one', () => {
    assert.deepEqual(
      PUBLIC_ADDRESSES.filter((address) => !isPublicAddress(address)),
      [],
    );
  });

  it('the canary saw no credentials in all of these requests', () => {
    assert.deepEqual(
      canary.requests.filter(({ authorization }) => authorization !== undefined),
      [],
    );
  });
});
