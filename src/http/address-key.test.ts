import assert from 'node:assert/strict';
import { describe, it } from 'node:test';

import { addressKey, callerKey, toNetworks } from './address-key.ts';

describe('an address', () => {
  it('counts an IPv6 address as its /64, in every spelling', () => {
    const key = addressKey('2001:db8:1:2::1');

    for (const same of [
      '2001:db8:1:2:ffff:ffff:ffff:ffff',
      '2001:0DB8:0001:0002::',
      '2001:db8:1:2::9%eth0',
    ]) {
      assert.equal(addressKey(same), key, same);
    }
    assert.notEqual(addressKey('2001:db8:1:3::1'), key);
  });

  it('counts an IPv4 address for itself, also in an IPv6 address', () => {
    assert.equal(addressKey('::ffff:192.0.2.1'), addressKey('192.0.2.1'));
    assert.notEqual(addressKey('::ffff:192.0.2.2'), addressKey('::ffff:192.0.2.1'));
  });

  it('uses text that is no address unchanged, except for its length', () => {
    assert.equal(addressKey('unknown'), 'unknown');
    assert.ok(addressKey('x'.repeat(60_000)).length < 1000);
  });
});

describe('the networks of an address', () => {
  it('have three sizes, for IPv4 and for IPv6', () => {
    const ipv4 = ['192.0.0.0/16', '192.0.2.0/24', '192.0.2.7/32'];
    assert.deepEqual(toNetworks('192.0.2.7'), ipv4);
    assert.deepEqual(toNetworks('::ffff:192.0.2.7'), ipv4);
    const ipv6 = ['2001:db8::/32', '2001:db8:1::/48', '2001:db8:1:2::/64'];
    assert.deepEqual(toNetworks('2001:db8:1:2:3::4'), ipv6);
    assert.deepEqual(toNetworks('2001:DB8:1:2:3::4%eth0'), ipv6);
  });

  it('are the text itself if it is no address', () => {
    assert.deepEqual(toNetworks('unknown'), ['unknown', 'unknown', 'unknown']);
  });
});

describe('a caller', () => {
  const address = '2001:db8::1';

  it('is one application at one address', () => {
    const key = callerKey({ clientId: 'acme', address });

    assert.equal(callerKey({ clientId: 'acme', address: '2001:db8::2' }), key);
    assert.notEqual(callerKey({ clientId: 'other', address }), key);
    assert.notEqual(callerKey({ clientId: 'acme', address: '192.0.2.1' }), key);
  });

  it('has a key of limited length, however long the client id', () => {
    assert.ok(callerKey({ clientId: 'x'.repeat(60_000), address }).length < 1000);
  });
});
