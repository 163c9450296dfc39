/** Checks whether this instance could deliver to a URL. Each connection checks it again. */
import { addressPolicy, bareHost, parseHostLiteral } from '../lib/egress/address-policy.ts';
import { EgressError } from '../lib/egress/egress-error.ts';
import type { PrivateNetwork } from '../lib/egress/private-network.ts';

/**
 * Returns the problem of an absolute URL as the end of a sentence ("The webhook URL …"), or `undefined` if none is
 * known. Names are resolved only at delivery.
 */
export function unreachableProblem(url: string, privateNetwork: PrivateNetwork): string | undefined {
  const { protocol, hostname } = new URL(url);
  // Such names are loopback (RFC 6761 §6.3), whatever a resolver returns.
  const isLocal = /(^|\.)localhost$/.test(bareHost(hostname));
  const address = isLocal ? '127.0.0.1' : parseHostLiteral(hostname);
  if (address === undefined) return undefined;
  try {
    addressPolicy(privateNetwork).check(protocol, hostname, address);
    return undefined;
  } catch (refusal) {
    if (!(refusal instanceof EgressError)) throw refusal;
    return `cannot be reached: ${refusal.message}. KALENDS_PRIVATE_NETWORK can allow addresses of your own network`;
  }
}
