/** The server as a user names it (an e-mail address, a host or a URL), and the addresses that follow from it. */
import { ProviderError } from '../../../calendars/provider-error.ts';

export type ServerAddress = {
  readonly url: URL;
  /** The domain of the service records and the well-known address. */
  readonly domain: string;
  /** An e-mail address was typed: the domain's own host is tried last, because it is usually a web site. */
  readonly byMail?: boolean;
  /** The origins that may get the password. */
  readonly origins: readonly string[];
};

/** The calendar servers of well-known mail providers, so that no redirect to a foreign host must be trusted. */
const SERVERS: readonly (readonly [server: string, ...domains: string[]])[] = [
  ['https://caldav.fastmail.com/dav/', 'fastmail.com', 'fastmail.fm'],
  ['https://dav.mailbox.org/', 'mailbox.org'],
  ['https://caldav.gmx.net/', 'gmx.net', 'gmx.de', 'gmx.at', 'gmx.ch'],
  ['https://caldav.gmx.com/', 'gmx.com'],
  ['https://caldav.web.de/', 'web.de'],
  ['https://posteo.de:8443/', 'posteo.de', 'posteo.net', 'posteo.org'],
  ['https://calendar.zoho.com/caldav/', 'zoho.com', 'zohomail.com'],
  ['https://calendar.zoho.eu/caldav/', 'zoho.eu', 'zohomail.eu'],
  ['https://calendar.zoho.in/caldav/', 'zoho.in', 'zohomail.in'],
  ['https://calendar.zoho.jp/caldav/', 'zoho.jp', 'zohomail.jp'],
  ['https://calendar.zoho.sa/caldav/', 'zoho.sa', 'zohomail.sa'],
  ['https://calendar.zoho.com.au/caldav/', 'zoho.com.au', 'zohomail.com.au'],
  [
    'https://caldav.yandex.ru/',
    ...['yandex.ru', 'yandex.com', 'yandex.by', 'yandex.kz', 'yandex.com.tr', 'ya.ru'],
  ],
  ['https://caldav.icloud.com/', 'icloud.com', 'me.com', 'mac.com'],
];

const SERVER_OF: ReadonlyMap<string, string> = new Map(
  SERVERS.flatMap(([server, ...domains]) => domains.map((domain) => [domain, server] as const)),
);

/** Apple spreads one account over numbered hosts, which the home set names. */
export const ICLOUD_ORIGINS: readonly string[] = ['https://*.icloud.com', 'https://*.icloud.com.cn'];

/** The paths to try if a server responds at neither the typed nor the well-known address. */
export const COMMON_PATHS: readonly string[] = [
  '/remote.php/dav',
  '/dav/',
  '/dav.php',
  '/SOGo/dav/',
  '/caldav.php',
  '/caldav/',
  '/ucaldav/',
];

/** Parses the typed text. Fails with ProviderError `invalid_response` if it names no server. */
export function readServerAddress(text: string): ServerAddress {
  const typed = text.trim();
  const [, domain] = /^[^\s/@]+@([^\s/@]+)$/.exec(typed) ?? [];
  const preset = SERVER_OF.get((domain ?? typed).toLowerCase());
  const address = preset ?? (/^[a-z][a-z\d+.-]*:\/\//i.test(typed) ? typed : `https://${domain ?? typed}/`);
  const url = URL.parse(address);
  if (url === null || !/^https?:$/.test(url.protocol) || /\s/.test(typed))
    throw new ProviderError('invalid_response', 'The server is not a valid address');
  if (url.username !== '' || url.password !== '') {
    const message = 'The server address must not contain a user name or password';
    throw new ProviderError('invalid_response', message);
  }
  url.hash = '';
  const byMail = domain !== undefined && preset === undefined;
  return { url, domain: (domain ?? url.hostname).toLowerCase(), byMail, origins: listOrigins(url) };
}

/** Returns the server of a login that names none: its user name must be an e-mail address. */
export function serverOfMail(username: string): ServerAddress {
  if (!/^[^\s/@]+@[^\s/@]+$/.test(username.trim()))
    throw new ProviderError('invalid_response', 'Enter a server or an e-mail address');
  return readServerAddress(username);
}

/** Returns the initial origins of an account at this address. */
export function listOrigins(url: URL): readonly string[] {
  return /\.icloud\.com(\.cn)?$/.test(url.hostname) ? [url.origin, ...ICLOUD_ORIGINS] : [url.origin];
}

/**
 * Returns whether an address that the server or DNS names may also get the password: https on the same host or beneath
 * the same domain. DNS can be forged (RFC 6764 §8) and redirects can be open, so the user has to confirm others.
 */
export function belongsTo(server: ServerAddress, target: URL): boolean {
  if (target.protocol !== 'https:') return false;
  return [server.url.hostname, server.domain].some(
    (host) => target.hostname === host || (/[a-z]$/i.test(host) && target.hostname.endsWith(`.${host}`)),
  );
}
