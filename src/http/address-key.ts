/** Keys for counting attempts by caller (docs/security.md, Limits). */
import ipaddr from 'ipaddr.js';

/** An application as a request names it, and the network address the request came from. */
export type Caller = { readonly clientId: string; readonly address: string };

/** Real ids and addresses are far shorter. Longer ones are cut to this length as keys. */
const MOST_CHARACTERS = 200;

/** Returns the key of an address: an IPv4 address, or the /64 of an IPv6 address, all of which one host can use. */
export const addressKey = (address: string): string => networksOf(address)[2];

/**
 * Returns the networks of an address in CIDR notation, largest first: /32, /48 and /64 of IPv6, /16, /24 and /32 of
 * IPv4. A text that is no address is returned three times, cut to 200 characters.
 */
export function networksOf(address: string): readonly [wide: string, site: string, host: string] {
  const text = address.slice(0, MOST_CHARACTERS);
  if (!ipaddr.isValid(address)) return [text, text, text];
  const parsed = ipaddr.process(address);
  const isIpv4 = parsed.kind() === 'ipv4';
  const family = isIpv4 ? ipaddr.IPv4 : ipaddr.IPv6;
  const network = (bits: number) => `${family.networkAddressFromCIDR(`${parsed}/${bits}`)}/${bits}`;
  return isIpv4 ? [network(16), network(24), network(32)] : [network(32), network(48), network(64)];
}

/** Returns the key of one application at one address. */
export const callerKey = ({ clientId, address }: Caller): string =>
  `${addressKey(address)} ${clientId.slice(0, MOST_CHARACTERS)}`;
