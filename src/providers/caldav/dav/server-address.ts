/** The server as a user names it (an e-mail address, a host or a URL), and the addresses that follow from it. */
import { ProviderError } from '../../../calendars/provider-error.ts';

export type ServerAddress = {
  /** Where to start. */
  readonly url: URL;
  /** The domain whose service records and well-known address are asked. */
  readonly domain: string;
  /** The origins that may be given the password. */
  readonly origins: readonly string[];
};

/**
 * Where well-known mail providers keep their calendars, so that no redirect to a foreign host has to be
 * trusted. From their help pages; an outdated entry costs an error, no more.
 */
const PRESETS: Readonly<Record<string, string>> = {
  'fastmail.com': 'https://caldav.fastmail.com/dav/',
  'mailbox.org': 'https://dav.mailbox.org/',
  'gmx.net': 'https://caldav.gmx.net/',
  'gmx.de': 'https://caldav.gmx.net/',
  'web.de': 'https://caldav.web.de/',
  'posteo.de': 'https://posteo.de:8443/',
  'zoho.com': 'https://calendar.zoho.com/caldav/',
  'yandex.com': 'https://caldav.yandex.ru/',
  'yandex.ru': 'https://caldav.yandex.ru/',
  'icloud.com': 'https://caldav.icloud.com/',
};

/** Apple spreads one account over numbered hosts, which the home set names. */
export const ICLOUD_ORIGINS: readonly string[] = ['https://*.icloud.com', 'https://*.icloud.com.cn'];

/** Where to look for a server that answers at neither the typed nor the well-known address. */
export const COMMON_PATHS: readonly string[] = [
  '/remote.php/dav',
  '/dav/',
  '/dav.php',
  '/SOGo/dav/',
  '/caldav.php',
  '/caldav/',
  '/ucaldav/',
];

/** Fails with ProviderError `invalid_response` when the text names no server. */
export function readServerAddress(text: string): ServerAddress {
  const typed = text.trim();
  const [, domain] = /^[^\s/@]+@([^\s/@]+)$/.exec(typed) ?? [];
  const preset = PRESETS[(domain ?? typed).toLowerCase()];
  const address = preset ?? (/^[a-z][a-z\d+.-]*:\/\//i.test(typed) ? typed : `https://${domain ?? typed}/`);
  const url = URL.parse(address);
  if (url === null || !/^https?:$/.test(url.protocol) || /\s/.test(typed))
    throw new ProviderError('invalid_response', 'The server is not a valid address');
  if (url.username !== '' || url.password !== '') {
    const message = 'The server address must not contain a user name or password';
    throw new ProviderError('invalid_response', message);
  }
  url.hash = '';
  return { url, domain: (domain ?? url.hostname).toLowerCase(), origins: originsOf(url) };
}

/** The origins that an account of a server at this address is pinned to from the start. */
export function originsOf(url: URL): readonly string[] {
  return /\.icloud\.com(\.cn)?$/.test(url.hostname) ? [url.origin, ...ICLOUD_ORIGINS] : [url.origin];
}

/**
 * Whether an address that the server or its domain's records name may be given the password as well: https on
 * the same host or beneath the same domain. DNS can be forged (RFC 6764 §8) and a redirect may be an open one, so
 * any other address is shown to the user instead.
 */
export function belongsTo(server: ServerAddress, target: URL): boolean {
  if (target.protocol !== 'https:') return false;
  return [server.url.hostname, server.domain].some(
    (host) => target.hostname === host || (/[a-z]$/i.test(host) && target.hostname.endsWith(`.${host}`)),
  );
}
