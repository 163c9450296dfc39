/** The stored part of an address: it distinguishes offices but does not identify a host. */
import ipaddr from 'ipaddr.js';

const IPV4_BITS = 24;
const IPV6_BITS = 48;

/** Returns the /24 of an IPv4 address or the /48 of an IPv6 address; otherwise `undefined`. */
export function networkOf(address: string): string | undefined {
  if (!ipaddr.isValid(address)) return undefined;
  const parsed = ipaddr.process(address);
  const bits = parsed.kind() === 'ipv4' ? IPV4_BITS : IPV6_BITS;
  const network = (parsed.kind() === 'ipv4' ? ipaddr.IPv4 : ipaddr.IPv6).networkAddressFromCIDR(
    `${parsed.toString()}/${bits}`,
  );
  return `${network.toString()}/${bits}`;
}
