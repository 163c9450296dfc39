/** The private addresses that outgoing requests may reach: the setting KALENDS_PRIVATE_NETWORK. */
import ipaddr from 'ipaddr.js';

/** The addresses that are allowed besides the public internet. Plain http is allowed for them too. */
export type PrivateNetwork =
  | { readonly mode: 'deny' }
  | { readonly mode: 'loopback' }
  | { readonly mode: 'allow' }
  | { readonly mode: 'hosts'; readonly hosts: readonly string[] };

/** Returns the part of a setting that does not open the operator's network. */
export const publicNetwork = ({ mode }: PrivateNetwork): PrivateNetwork => ({
  mode: mode === 'loopback' ? mode : 'deny',
});

/** Returns the default of a server that listens on `host` and is reached at `publicHost`. */
export function defaultPrivateNetwork(host: string, publicHost: string): PrivateNetwork {
  return { mode: isLoopbackHost(host) && isLoopbackHost(publicHost) ? 'loopback' : 'deny' };
}

/** Parses the setting. Throws an Error that says what is wrong with it. */
export function parsePrivateNetwork(text: string): PrivateNetwork {
  if (text === 'deny' || text === 'loopback' || text === 'allow') return { mode: text };
  const hosts = text.split(',').map((entry) => entry.trim().toLowerCase());
  const isHost = (entry: string) => /^[a-z\d_.-]+$/.test(entry) || ipaddr.isValid(entry);
  if (!hosts.every(isHost)) throw new Error('must be deny, loopback, allow or a list of host names');
  return { mode: 'hosts', hosts };
}

/** Whether a host name or literal, bracketed or not, names this machine itself. */
export function isLoopbackHost(host: string): boolean {
  const bare = host.replace(/^\[|\]$/g, '').toLowerCase();
  if (bare === 'localhost' || bare.endsWith('.localhost')) return true;
  return ipaddr.isValid(bare) && ipaddr.process(bare).range() === 'loopback';
}
