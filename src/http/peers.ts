/** Which ends of connections are not the callers themselves: the limit of one address is not for them. */
import { addressRanges } from '../lib/address-ranges.ts';

/** What is at the other end of a connection; `proxy`: one of those that are trusted, with many callers behind it. */
export type Peer = 'caller' | 'proxy' | 'loopback';

/** Tells by its network address what is at the other end, with the proxies as KALENDS_TRUST_PROXY has them. */
export function peers(trust: number | readonly string[] | undefined): (address: string) => Peer {
  const isProxy = trustedProxies(trust);
  return (address) => (isLoopback(address) ? 'loopback' : isProxy(address) ? 'proxy' : 'caller');
}

const isLoopback = addressRanges(['loopback']);

/** Returns a function that tells whether an address is a trusted proxy's. If proxies are counted, every one is. */
export function trustedProxies(trust: number | readonly string[] | undefined): (address: string) => boolean {
  if (trust === undefined) return () => false;
  if (typeof trust === 'number') return () => trust >= 1;
  return addressRanges(trust);
}
