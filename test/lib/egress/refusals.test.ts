/** Requests that egress refuses, and the texts of those errors. */
import assert from 'node:assert/strict';
import net from 'node:net';
import { describe, it } from 'node:test';

import type { buildConnector } from 'undici';

import { accountEgress } from '../../../src/lib/egress/account-egress.ts';
import { createEgress, type Egress, type EgressRequest } from '../../../src/lib/egress/egress.ts';
import { noAddresses } from '../../harness/no-network.ts';
import { startCanary } from '../../servers/canary.ts';

describe('Requests that egress refuses', () => {
  it('an address with a user name or password, or of another scheme', async () => {
    const egress = createEgress({ privateNetwork: { mode: 'allow' } });
    for (const address of ['http://user@127.0.0.1/', 'http://:secret@127.0.0.1/', 'ftp://127.0.0.1/'])
      await assert.rejects(
        egress.request({ method: 'GET', url: address }),
        /^EgressError: Only https addresses without a user name are requested$/,
      );
    await egress.close();
  });

  it('an unknown name is called so, unless a developer chose it', async () => {
    const unknown = () => Promise.reject(Object.assign(new Error('unknown'), { code: 'ENOTFOUND' }));
    for (const [lookup, text] of [
      [unknown, 'is not a known host name'],
      [noAddresses, 'has no address'],
    ] as const) {
      const egress = createEgress({ privateNetwork: { mode: 'deny' }, lookup });
      const request = { method: 'GET', url: 'https://a.test/' };
      await assert.rejects(egress.request(request), { message: `a.test ${text}`, kind: 'unreachable' });
      const ofDeveloper = egress.request({ ...request, publicOnly: true });
      await assert.rejects(ofDeveloper, {
        message: 'a.test is not a public host',
        kind: 'forbidden_address',
      });
      await egress.close();
    }
  });

  it('a connection that leads to another address than the one that was checked', async () => {
    const canary = await startCanary();
    const closed = Promise.withResolvers<void>();
    const connecting: typeof buildConnector = () => (_target, callback) => {
      const socket = net.connect(canary.port, '127.0.0.1', () => callback(null, socket));
      socket.on('close', () => closed.resolve());
    };
    const egress = createEgress({ privateNetwork: { mode: 'deny' }, connecting });
    const request = egress.request({ method: 'GET', url: 'https://1.1.1.1/' });

    await assert.rejects(request, { message: '1.1.1.1 is not a public host', kind: 'forbidden_address' });
    await closed.promise;
    assert.deepEqual([canary.connections(), canary.requests.length], [1, 0]);
    await egress.close();
    await canary.stop();
  });
});

describe('Egress for an account', () => {
  const requests: EgressRequest[] = [];
  const egress: Egress = {
    async request(request) {
      requests.push(request);
      return { status: 200, url: new URL(request.url), header: () => undefined, body: Buffer.of() };
    },
    close: () => Promise.reject(new Error('Others use it too')),
  };

  it('names the account and its user in each request, and closes nothing', async () => {
    const ofAccount = accountEgress(egress, { clientId: 'acme', userId: 'ada' }, 'account');
    await ofAccount.request({ method: 'GET', url: 'https://a.test/' });
    await ofAccount.close();

    assert.deepEqual(requests, [
      { method: 'GET', url: 'https://a.test/', account: 'account', clientId: 'acme', owner: 'acme ada' },
    ]);
  });
});
