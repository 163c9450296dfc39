/** Keys for counting attempts by caller (docs/security.md, Limits). */
import ipaddr from 'ipaddr.js';

/** The client id that a request claims, and its network address. */
export type Caller = { readonly clientId: string; readonly address: string };

/** Real ids and addresses are far shorter. Longer ones are cut to this length as keys. */
const MOST_CHARACTERS = 200;

/** Returns the key of an address: an IPv4 address, or the /64 of an IPv6 address, all of which one host can use. */
export const addressKey = (address: string): string => toNetworks(address)[2];

/** Returns an address's networks, largest first: IPv6 /32, /48, /64 or IPv4 /16, /24, /32. Other text is only cut. */
export function toNetworks(address: string): readonly [wide: string, site: string, host: string] {
  const text = address.slice(0, MOST_CHARACTERS);
  if (!ipaddr.isValid(address)) return [text, text, text];
  const parsed = ipaddr.process(address);
  const isIpv4 = parsed.kind() === 'ipv4';
  const family = isIpv4 ? ipaddr.IPv4 : ipaddr.IPv6;
  const network = (bits: number) => `${family.networkAddressFromCIDR(`${parsed}/${bits}`)}/${bits}`;
  return isIpv4 ? [network(16), network(24), network(32)] : [network(32), network(48), network(64)];
}

export const callerKey = (caller: Caller): string => toCallerNetworks(caller)[2];

/** Returns the keys of the application in the networks of the address, largest network first. */
export function toCallerNetworks({ clientId, address }: Caller): ReturnType<typeof toNetworks> {
  const client = clientId.slice(0, MOST_CHARACTERS);
  const [wide, site, host] = toNetworks(address);
  return [`${wide} ${client}`, `${site} ${client}`, `${host} ${client}`];
}
