/** Ranges of network addresses as settings write them. */
import { isIP, isIPv6 } from 'node:net';
import ipaddr from 'ipaddr.js';

const NAMED: Readonly<Record<string, readonly string[]>> = {
  loopback: ['127.0.0.0/8', '::1/128'],
  linklocal: ['169.254.0.0/16', 'fe80::/10'],
  uniquelocal: ['10.0.0.0/8', '172.16.0.0/12', '192.168.0.0/16', 'fc00::/7'],
};

/** Returns a test for addresses within `ranges`: addresses, CIDR ranges or the names above. Throws if one is malformed. */
export function addressRanges(ranges: readonly string[]): (address: string) => boolean {
  const parsed = ranges.flatMap((range) => NAMED[range] ?? [range]).map(parseRange);
  return (text) => {
    if (!ipaddr.isValid(text)) return false;
    const address = ipaddr.process(text);
    return parsed.some(([first, bits]) => first.kind() === address.kind() && address.match(first, bits));
  };
}

function parseRange(text: string): readonly [ipaddr.IPv4 | ipaddr.IPv6, number] {
  const range = text.includes('/') ? text : `${text}/${isIPv6(text) ? 128 : 32}`;
  // Short forms such as 10/8 would be read as 0.0.0.10/8.
  if (isIP(range.split('/')[0] ?? '') === 0 || !ipaddr.isValidCIDR(range))
    throw new Error(`must be a list of address ranges such as 10.0.0.0/8, not "${text}"`);
  return ipaddr.parseCIDR(range);
}
