/** The part of an address that is kept: enough to tell one office from another, too little to name a host. */
import ipaddr from 'ipaddr.js';

const IPV4_BITS = 24;
const IPV6_BITS = 48;

/** The /24 of an IPv4 address or the /48 of an IPv6 address; `undefined` for what is none. */
export function networkOf(address: string): string | undefined {
  if (!ipaddr.isValid(address)) return undefined;
  const parsed = ipaddr.process(address);
  const bits = parsed.kind() === 'ipv4' ? IPV4_BITS : IPV6_BITS;
  const network = (parsed.kind() === 'ipv4' ? ipaddr.IPv4 : ipaddr.IPv6).networkAddressFromCIDR(
    `${parsed.toString()}/${bits}`,
  );
  return `${network.toString()}/${bits}`;
}
