import assert from 'node:assert/strict';
import { describe, it } from 'node:test';

import {
  defaultPrivateNetwork,
  isLoopbackHost,
  parsePrivateNetwork,
  publicNetwork,
} from './private-network.ts';

describe('The setting for private addresses', () => {
  it('is loopback by default if the instance is reachable only from this machine, else deny', () => {
    assert.deepEqual(defaultPrivateNetwork('127.0.0.1', 'localhost'), { mode: 'loopback' });
    assert.deepEqual(defaultPrivateNetwork('0.0.0.0', 'localhost'), { mode: 'deny' });
    assert.deepEqual(defaultPrivateNetwork('127.0.0.1', 'kalends.example'), { mode: 'deny' });
  });

  it('is a mode or a list of hosts', () => {
    for (const mode of ['deny', 'loopback', 'allow'] as const)
      assert.deepEqual(parsePrivateNetwork(mode), { mode });
    assert.deepEqual(parsePrivateNetwork('Dav.Internal, 10.0.0.1 ,fd00::1'), {
      ...{ mode: 'hosts', hosts: ['dav.internal', '10.0.0.1', 'fd00::1'] },
    });
    for (const text of ['a.test,', 'http://a.test', 'a test', 'a.test,*'])
      assert.throws(() => parsePrivateNetwork(text), /must be deny, loopback, allow or a list/, text);
  });

  it('allows at most loopback for addresses that developers choose', () => {
    assert.deepEqual(publicNetwork({ mode: 'loopback' }), { mode: 'loopback' });
    for (const network of [
      { mode: 'deny' },
      { mode: 'allow' },
      { mode: 'hosts', hosts: ['a.test'] },
    ] as const)
      assert.deepEqual(publicNetwork(network), { mode: 'deny' });
  });

  it('recognizes the names and addresses of this machine', () => {
    for (const host of [
      'localhost',
      'LOCALHOST',
      'a.localhost',
      '127.9.9.9',
      '[::1]',
      '::1',
      '::ffff:127.0.0.1',
    ])
      assert.equal(isLoopbackHost(host), true, host);
    for (const host of ['10.0.0.1', 'localhost.test', 'notlocalhost', '::2', ''])
      assert.equal(isLoopbackHost(host), false, host);
  });
});
