/** Addresses of webhook endpoints, and which of them count as the same. */
import path from 'node:path';
import { isLoopbackHost } from './private-network.ts';

/** Returns the origin and path of the absolute `url`, as stored beside it. */
export function endpointAddress(url: string): string {
  const { origin, pathname } = new URL(url);
  return `${origin}${pathname}`;
}

/** Returns the same text for common spellings of the absolute `url`. It is a convenience, not a protection. */
export function comparableAddress(url: string): string {
  const { protocol, hostname, port, pathname } = new URL(url);
  const host = hostname.replace(/\.$/, '');
  // By bytes: unlike `decodeURIComponent`, this accepts every path.
  const decoded = pathname.replace(/%[\da-f]{2}/gi, (byte) =>
    String.fromCharCode(Number(`0x${byte.slice(1)}`)),
  );
  const place = path.posix.normalize(decoded).toLowerCase().replace(/\/$/, '');
  return `${protocol}//${isLoopbackHost(host) ? 'localhost' : host}:${port}${place}`;
}
