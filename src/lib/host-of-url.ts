/**
 * The host that an address names, without its port, since all ports of a host are one machine to be fair to; empty for
 * text that is no address.
 */
export function hostOfUrl(address: string): string {
  return (URL.parse(address)?.hostname ?? '').replace(/\.+$/, '');
}
