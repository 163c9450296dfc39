/** The addresses that outgoing requests may reach: global unicast, and those that KALENDS_PRIVATE_NETWORK opens. */
import { isIP } from 'node:net';
import ipaddr from 'ipaddr.js';
import { EgressError, notPublic } from './egress-error.ts';
import type { PrivateNetwork } from './private-network.ts';

/** RFC 6052 §2.1: hosts without IPv4 reach it this way; the embedded address decides. */
const NAT64 = ipaddr.IPv6.parseCIDR('64:ff9b::/96');
/** RFC 4291 §2.4: all that is currently routable. Leaves out IPv4-compatible addresses, among others. */
const GLOBAL_UNICAST = ipaddr.IPv6.parseCIDR('2000::/3');

/** The ranges that `allow` opens. Link-local stays closed: cloud machines serve credentials at 169.254.169.254. */
const PRIVATE_RANGES: readonly string[] = ['loopback', 'private', 'uniqueLocal', 'carrierGradeNat'];

export type AddressPolicy = {
  /**
   * Throws EgressError `forbidden_address` unless `host`, which is `address` or resolves to it, may be reached with
   * this protocol. Plain http is allowed only for opened private addresses.
   */
  check(protocol: string, host: string, address: string): void;
  /** Whether this host ever had an address that is not public. */
  isPrivate(host: string): boolean;
};

/** Limits the set. Beyond it every host counts as private. */
const MOST_PRIVATE_HOSTS = 10_000;

export function addressPolicy(network: PrivateNetwork): AddressPolicy {
  const privateHosts = new Set<string>();
  return {
    check(protocol, host, address) {
      const opened = opens(network, host, address);
      const isPublic = isPublicAddress(address);
      if (!opened && !isPublic) throw notPublic(host);
      // The operator's network has few of them.
      if (!isPublic && privateHosts.size < MOST_PRIVATE_HOSTS) privateHosts.add(bareHost(host));
      if (!opened && protocol !== 'https:')
        throw new EgressError('forbidden_address', `${host} can be reached with https only`);
    },
    isPrivate: (host) => privateHosts.size >= MOST_PRIVATE_HOSTS || privateHosts.has(bareHost(host)),
  };
}

/** Returns the address if a URL's host is one, or undefined if it is a name. URLs normalize IPv4 spellings. */
export function parseHostLiteral(host: string): string | undefined {
  const bare = bareHost(host);
  return isIP(bare) === 0 ? undefined : bare;
}

/** Returns a URL's host without brackets and the dot of the root. */
export const bareHost = (host: string): string =>
  host
    .replace(/^\[|\]$/g, '')
    .replace(/\.$/, '')
    .toLowerCase();

/** Whether an address is public: unicast, not tunnelled to anything that is not. */
export function isPublicAddress(address: string): boolean {
  if (isIP(address) === 0) return false;
  const parsed = ipaddr.process(address);
  if (parsed instanceof ipaddr.IPv4) return parsed.range() === 'unicast';
  if (parsed.match(NAT64)) return embeddedIPv4(parsed).range() === 'unicast';
  if (!parsed.match(GLOBAL_UNICAST)) return false;
  return parsed.range() === 'unicast' && !isPrivateIsatap(parsed);
}

/** RFC 5214 §6.1: an interface identifier that carries an IPv4 address to tunnel to. */
function isPrivateIsatap(address: ipaddr.IPv6): boolean {
  const [, , , , flags = 0, marker] = address.parts;
  return marker === 0x5efe && (flags & 0xfdff) === 0 && embeddedIPv4(address).range() !== 'unicast';
}

const embeddedIPv4 = (address: ipaddr.IPv6): ipaddr.IPv4 => new ipaddr.IPv4(address.toByteArray().slice(12));

function opens(network: PrivateNetwork, host: string, address: string): boolean {
  if (network.mode === 'deny' || isIP(address) === 0) return false;
  const range = ipaddr.process(address).range();
  if (network.mode === 'loopback') return range === 'loopback';
  if (network.mode === 'allow') return PRIVATE_RANGES.includes(range);
  const bare = bareHost(host);
  return network.hosts.some((entry) => entry === bare || isSameAddress(entry, address));
}

function isSameAddress(entry: string, address: string): boolean {
  const bare = bareHost(entry);
  if (isIP(bare) === 0) return false;
  return ipaddr.process(bare).toString() === ipaddr.process(address).toString();
}
