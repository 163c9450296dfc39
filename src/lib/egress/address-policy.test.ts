import assert from 'node:assert/strict';
import { describe, it } from 'node:test';

import { addressPolicy, bareHost, isPublicAddress, parseHostLiteral } from './address-policy.ts';
import type { PrivateNetwork } from './private-network.ts';

const check = (network: PrivateNetwork, protocol: string, host: string, address: string): string => {
  try {
    addressPolicy(network).check(protocol, host, address);
    return 'allowed';
  } catch (refusal) {
    return String(refusal);
  }
};
const NOT_PUBLIC = 'EgressError: a.test is not a public host';
const HTTPS_ONLY = 'EgressError: a.test can be reached with https only';

describe('The addresses that requests may reach', () => {
  const modes: readonly (readonly [PrivateNetwork, Readonly<Record<string, string>>])[] = [
    [{ mode: 'deny' }, {}],
    [{ mode: 'loopback' }, { '127.0.0.1': 'allowed', '::1': 'allowed', '::ffff:127.1.1.1': 'allowed' }],
    [
      { mode: 'allow' },
      {
        ...{ '127.0.0.1': 'allowed', '::1': 'allowed', '::ffff:127.1.1.1': 'allowed', '10.1.1.1': 'allowed' },
        ...{ 'fd00::1': 'allowed', '100.64.1.1': 'allowed', '192.168.1.1': 'allowed' },
      },
    ],
    [
      { mode: 'hosts', hosts: ['b.test', '::ffff:10.1.1.1', '[::1]'] },
      { '10.1.1.1': 'allowed', '::1': 'allowed' },
    ],
  ];
  for (const [network, opened] of modes)
    it(`${JSON.stringify(network)} allows only its private addresses, with http too`, () => {
      const addresses = [
        '127.0.0.1',
        '::1',
        '::ffff:127.1.1.1',
        '10.1.1.1',
        'fd00::1',
        '100.64.1.1',
        '192.168.1.1',
      ];
      for (const address of [
        ...addresses,
        '169.254.169.254',
        'fe80::1',
        '0.0.0.0',
        '224.0.0.1',
        'b.test',
        '',
      ])
        for (const protocol of ['https:', 'http:'])
          assert.equal(check(network, protocol, 'a.test', address), opened[address] ?? NOT_PUBLIC, address);
      assert.equal(check(network, 'https:', 'a.test', '1.1.1.1'), 'allowed');
      assert.equal(check(network, 'http:', 'a.test', '1.1.1.1'), HTTPS_ONLY);
    });

  it('a listed name is allowed at every address and in every spelling', () => {
    const network: PrivateNetwork = { mode: 'hosts', hosts: ['a.test'] };
    for (const host of ['a.test', 'A.test', 'a.test.'])
      for (const address of ['10.1.1.1', '169.254.169.254', '1.1.1.1'])
        assert.equal(check(network, 'http:', host, address), 'allowed');
    assert.equal(check(network, 'http:', 'a.test', ''), NOT_PUBLIC);
    assert.match(check(network, 'http:', 'b.a.test', '10.1.1.1'), /not a public host/);
  });

  it('a host counts as private once it had an address that is not public', () => {
    const policy = addressPolicy({ mode: 'allow' });
    policy.check('https:', 'public.test', '1.1.1.1');
    policy.check('https:', 'private.test', '10.1.1.1');
    assert.throws(() => policy.check('https:', 'refused.test', '169.254.169.254'));

    const hosts = ['public.test', 'private.test', 'PRIVATE.test.', 'refused.test', 'unknown.test'];
    assert.deepEqual(hosts.map(policy.isPrivate), [false, true, true, false, false]);
  });

  it('every host counts as private once 10,000 are', () => {
    const policy = addressPolicy({ mode: 'allow' });
    for (let index = 0; index < 9_999; index += 1) policy.check('https:', `${index}.test`, '10.1.1.1');
    assert.equal(policy.isPrivate('unknown.test'), false);
    policy.check('https:', 'last.test', '10.1.1.1');

    assert.equal(policy.isPrivate('unknown.test'), true);
  });

  it('a name or other text is not a public address', () => {
    for (const text of ['', 'a.test', '1.1.1', '1.1.1.1.', '[2606:4700::1]'])
      assert.equal(isPublicAddress(text), false, text);
  });

  it('an address with an embedded IPv4 address is public if that one is', () => {
    for (const [address, isPublic] of [
      ...[['64:ff9b::1.1.1.1', true] as const, ['64:ff9b::10.0.0.1', false] as const],
      ...[['2a00:1450::5efe:1.1.1.1', true] as const, ['2a00:1450::5efe:10.0.0.1', false] as const],
      ...[['2a00:1450::200:5efe:10.0.0.1', false] as const, ['2a00:1450::100:5efe:10.0.0.1', true] as const],
      ...[['2a00:1450::5eff:10.0.0.1', true] as const, ['::ffff:10.0.0.1', false] as const],
    ])
      assert.equal(isPublicAddress(address), isPublic, address);
  });

  it('recognizes hosts that are addresses, with or without brackets', () => {
    assert.deepEqual(['[::1]', '127.0.0.1', '127.0.0.1.', 'a.test', '127.1'].map(parseHostLiteral), [
      ...['::1', '127.0.0.1', '127.0.0.1', undefined, undefined],
    ]);
    assert.equal(bareHost('[FE80::1]'), 'fe80::1');
  });
});
