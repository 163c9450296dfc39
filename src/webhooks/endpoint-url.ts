/** Whether deliveries could reach a URL as this instance is set up: what is asked again at each connection. */
import { addressPolicy, bareHost, literalOf } from '../lib/egress/address-policy.ts';
import { EgressError } from '../lib/egress/egress-error.ts';
import type { PrivateNetwork } from '../lib/egress/private-network.ts';

/**
 * Why not, as the end of a sentence ("The webhook URL …"); `undefined` where nothing is known against it. What a name
 * resolves to is looked at when a delivery is sent. `url` is absolute.
 */
export function unreachableProblem(url: string, privateNetwork: PrivateNetwork): string | undefined {
  const { protocol, hostname } = new URL(url);
  // RFC 6761 §6.3: such names are loopback whatever a resolver says.
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
