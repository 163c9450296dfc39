import assert from 'node:assert/strict';
import { it } from 'node:test';

import { toNetwork } from './request-recorder.ts';

it('keeps the /24 of an IPv4 address, the /48 of an IPv6 address, and nothing of other text', () => {
  const networks = {
    '203.0.113.77': '203.0.113.0/24',
    '::ffff:203.0.113.77': '203.0.113.0/24',
    '2001:db8:1:2:3:4:5:6': '2001:db8:1::/48',
    'fe80::1%eth0': 'fe80::/48',
    'not an address': undefined,
    '': undefined,
  };
  for (const [address, network] of Object.entries(networks))
    assert.equal(toNetwork(address), network, address);
});
