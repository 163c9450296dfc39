/** Which ends of connections are not the callers themselves: the limit of one address is not for them. */
import ipaddr from 'ipaddr.js';

/** What the words of KALENDS_TRUST_PROXY stand for. */
const NAMED: Readonly<Record<string, readonly string[]>> = {
  loopback: ['127.0.0.0/8', '::1/128'],
  linklocal: ['169.254.0.0/16', 'fe80::/10'],
  uniquelocal: ['10.0.0.0/8', '172.16.0.0/12', '192.168.0.0/16', 'fc00::/7'],
};

/** What is at the other end of a connection; `proxy`: one of those that are trusted, with many callers behind it. */
export type Peer = 'caller' | 'proxy' | 'loopback';

/** Tells by its network address what is at the other end, with the proxies as KALENDS_TRUST_PROXY has them. */
export function peers(trust: number | readonly string[] | undefined): (address: string) => Peer {
  const isProxy = trustedProxies(trust);
  return (address) => (isLoopback(address) ? 'loopback' : isProxy(address) ? 'proxy' : 'caller');
}

const isLoopback = (address: string): boolean =>
  ipaddr.isValid(address) && ipaddr.process(address).range() === 'loopback';

/** Where proxies are counted, every connection comes from one. */
function trustedProxies(trust: number | readonly string[] | undefined): (address: string) => boolean {
  if (trust === undefined) return () => false;
  if (typeof trust === 'number') return () => trust >= 1;
  const ranges = trust.flatMap((range) => NAMED[range] ?? [range]).map(rangeOf);
  return (address) => {
    if (!ipaddr.isValid(address)) return false;
    const parsed = ipaddr.process(address);
    return ranges.some(([first, bits]) => first.kind() === parsed.kind() && parsed.match(first, bits));
  };
}

type Range = readonly [ipaddr.IPv4 | ipaddr.IPv6, number];

function rangeOf(text: string): Range {
  if (text.includes('/')) return ipaddr.parseCIDR(text);
  const address = ipaddr.process(text);
  return [address, address.kind() === 'ipv4' ? 32 : 128];
}
