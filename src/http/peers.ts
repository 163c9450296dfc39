/** Recognizes connections whose other end is not the caller itself: the limit per address does not apply to them. */
import { addressRanges } from '../lib/address-ranges.ts';

/** The other end of a connection. `proxy` is a trusted one, with many callers behind it. */
export type Peer = 'caller' | 'proxy' | 'loopback';

/** Returns a function that classifies the other end by its address, with the proxies of KALENDS_TRUST_PROXY. */
export function peers(trust: number | readonly string[] | undefined): (address: string) => Peer {
  const isProxy = trustedProxies(trust);
  return (address) => (isLoopback(address) ? 'loopback' : isProxy(address) ? 'proxy' : 'caller');
}

const isLoopback = addressRanges(['loopback']);

/** Returns a function that checks whether an address is a trusted proxy's. With a number of proxies, every one is. */
export function trustedProxies(trust: number | readonly string[] | undefined): (address: string) => boolean {
  if (trust === undefined) return () => false;
  if (typeof trust === 'number') return () => trust >= 1;
  return addressRanges(trust);
}
