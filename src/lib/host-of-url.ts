/** Returns an address's host without port: all ports of a host share its limits. Empty for text that is no URL. */
export const hostOfUrl = (address: string): string =>
  (URL.parse(address)?.hostname ?? '').replace(/\.+$/, '');
