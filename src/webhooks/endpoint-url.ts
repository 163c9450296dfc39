/** Checks whether deliveries could reach a URL with this instance's configuration. Each connection checks it again. */
import { addressPolicy, bareHost, literalOf } from '../lib/egress/address-policy.ts';
import { EgressError } from '../lib/egress/egress-error.ts';
import type { PrivateNetwork } from '../lib/egress/private-network.ts';

/**
 * Returns why not, as the end of a sentence ("The webhook URL …"); `undefined` if no problem is known. Names are
 * resolved when a delivery is sent. `url` is absolute.
 */
export function unreachableProblem(url: string, privateNetwork: PrivateNetwork): string | undefined {
  const { protocol, hostname } = new URL(url);
  // RFC 6761 §6.3: such names are loopback, whatever a resolver returns.
  const isLocal = /(^|\.)localhost$/.test(bareHost(hostname));
  const address = isLocal ? '127.0.0.1' : literalOf(hostname);
  if (address === undefined) return undefined;
  try {
    addressPolicy(privateNetwork).check(protocol, hostname, address);
    return undefined;
  } catch (refusal) {
    if (!(refusal instanceof EgressError)) throw refusal;
    return `cannot be reached: ${refusal.message}. KALENDS_PRIVATE_NETWORK opens addresses of your own network`;
  }
}
