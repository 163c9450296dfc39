/** Origins for credentials: `https://dav.example.com:8443`, `https://*.example.com`, loopback `http://127.0.0.1:*`. */
import { isLoopbackHost } from './private-network.ts';

/** Whether a URL is in one of the origins. A wildcard matches one or more whole labels. */
export const isPinned = (origins: readonly string[], url: URL): boolean =>
  origins.some((origin) => matches(origin, url));

function matches(origin: string, url: URL): boolean {
  const host = /^(https?:\/\/[^/]+):\*$/.exec(origin)?.[1];
  if (host !== undefined) return isLoopbackHost(url.hostname) && `${url.protocol}//${url.hostname}` === host;
  const wildcard = /^https:\/\/\*(\.[^/:*]+)$/.exec(origin)?.[1];
  if (wildcard === undefined) return url.origin === origin;
  return url.protocol === 'https:' && url.port === '' && url.hostname.endsWith(wildcard);
}
