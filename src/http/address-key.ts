/** What counts as one caller where attempts are counted (docs/security.md, Limits). */
import ipaddr from 'ipaddr.js';

/** An application as a request names it, and the network address the request came from. */
export type Caller = { readonly clientId: string; readonly address: string };

/** Real ones are far shorter: of a longer id or address only this much is kept as a key. */
const MOST_CHARACTERS = 200;

/** What counts as one address: an IPv4 address, or the /64 of an IPv6 address, all of which one host can use. */
export function addressKey(address: string): string {
  if (!ipaddr.isValid(address)) return address.slice(0, MOST_CHARACTERS);
  const parsed = ipaddr.process(address);
  if (parsed.kind() === 'ipv4') return parsed.toString();
  return Buffer.from(parsed.toByteArray().slice(0, 8)).toString('hex');
}

/** What counts as one application at one address. */
export const callerKey = ({ clientId, address }: Caller): string =>
  `${addressKey(address)} ${clientId.slice(0, MOST_CHARACTERS)}`;
