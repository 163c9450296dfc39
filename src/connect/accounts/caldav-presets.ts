/** Known CalDAV servers, from the help pages of providers. An outdated entry only gives users a wrong hint. */

/** The placeholder for the part of an address that only the user knows. No host can have this name (RFC 2606 §3). */
export const YOUR_SERVER = 'your-server.example';

export type CalDavPreset = {
  /** Used in the addresses of the pages. */
  readonly id: string;
  /** The brand; not translated. */
  readonly name: string;
  /** Complete, or with YOUR_SERVER. */
  readonly server: string;
  readonly username: 'email' | 'name';
  /** `app`: only app passwords work; `app_2fa`: so with two-factor authentication; `usual`: there are none. */
  readonly password: 'app' | 'app_2fa' | 'usual';
  /** Where users create the app password: a page of the provider, or a place in the software of the user's server. */
  readonly passwordMade?: { readonly page: string } | { readonly inside: 'nextcloud' | 'zimbra' };
  /** Domains of servers and e-mail addresses, with their subdomains. */
  readonly domains: readonly string[];
  /** A part of the path by which the software is recognized. */
  readonly path?: string;
  /** Another of the domains. The server's address there differs only in its ending. */
  readonly region?: string;
};

/** In display order, the most used first. */
export const CALDAV_PRESETS: readonly CalDavPreset[] = [
  {
    id: 'nextcloud',
    name: 'Nextcloud',
    server: `https://${YOUR_SERVER}/remote.php/dav`,
    username: 'name',
    password: 'app_2fa',
    passwordMade: { inside: 'nextcloud' },
    domains: [],
    path: '/remote.php/',
  },
  {
    id: 'fastmail',
    name: 'Fastmail',
    server: 'https://caldav.fastmail.com/',
    username: 'email',
    password: 'app',
    passwordMade: { page: 'https://app.fastmail.com/settings/security' },
    domains: ['fastmail.com', 'fastmail.fm'],
  },
  {
    id: 'mailbox-org',
    name: 'mailbox.org',
    server: 'https://dav.mailbox.org/',
    username: 'email',
    password: 'app_2fa',
    passwordMade: { page: 'https://login.mailbox.org/' },
    domains: ['mailbox.org'],
  },
  {
    id: 'synology',
    name: 'Synology',
    server: `https://${YOUR_SERVER}:5001/caldav/`,
    username: 'name',
    password: 'usual',
    domains: ['synology.me'],
  },
  {
    id: 'zoho',
    name: 'Zoho',
    server: 'https://calendar.zoho.com/caldav/',
    username: 'email',
    password: 'app_2fa',
    passwordMade: { page: 'https://accounts.zoho.com/home#security/app_password' },
    domains: ['zoho.com', 'zoho.eu', 'zoho.in', 'zoho.jp', 'zoho.sa', 'zoho.com.au', 'zohomail.com'],
    region: 'zoho.eu',
  },
  {
    id: 'yandex',
    name: 'Yandex',
    server: 'https://caldav.yandex.ru/',
    username: 'email',
    password: 'app',
    passwordMade: { page: 'https://id.yandex.com/security/app-passwords' },
    domains: ['yandex.ru', 'yandex.com', 'yandex.by', 'yandex.kz', 'yandex.com.tr', 'ya.ru'],
  },
  {
    id: 'gmx',
    name: 'GMX',
    server: 'https://caldav.gmx.net/',
    username: 'email',
    password: 'app_2fa',
    domains: ['gmx.net', 'gmx.de', 'gmx.at', 'gmx.ch', 'gmx.com'],
    region: 'gmx.com',
  },
  {
    id: 'posteo',
    name: 'Posteo',
    server: 'https://posteo.de:8443/',
    username: 'email',
    password: 'usual',
    domains: ['posteo.de', 'posteo.net', 'posteo.org'],
  },
  {
    id: 'radicale',
    name: 'Radicale',
    server: `https://${YOUR_SERVER}:5232/`,
    username: 'name',
    password: 'usual',
    domains: [],
  },
  {
    id: 'baikal',
    name: 'Baïkal',
    server: `https://${YOUR_SERVER}/dav.php/`,
    username: 'name',
    password: 'usual',
    domains: [],
    path: '/dav.php',
  },
  {
    id: 'sogo',
    name: 'SOGo',
    server: `https://${YOUR_SERVER}/SOGo/dav/`,
    username: 'name',
    password: 'usual',
    domains: [],
    path: '/SOGo/',
  },
  {
    id: 'zimbra',
    name: 'Zimbra',
    server: `https://${YOUR_SERVER}/dav/`,
    username: 'email',
    password: 'app_2fa',
    passwordMade: { inside: 'zimbra' },
    domains: [],
  },
];

export const findPreset = (id: string | undefined): CalDavPreset | undefined =>
  CALDAV_PRESETS.find((preset) => preset.id === id);

/** Returns whether the user has to complete the address. */
export const isPattern = ({ server }: CalDavPreset): boolean => server.includes(YOUR_SERVER);

export const isUnfilled = (server: string): boolean => server.toLowerCase().includes(YOUR_SERVER);

/** Returns the preset by domain, else by chosen software or path. A chosen provider counts only at its own address. */
export function detectPreset(server: string, chosen: CalDavPreset | undefined): CalDavPreset | undefined {
  const typed = server.trim();
  if (typed === '') return chosen;
  const url = URL.parse(
    /^[a-z][a-z\d+.-]*:\/\//i.test(typed) ? typed : `https://${typed.replace(/^.*@/s, '')}`,
  );
  if (url === null) return undefined;
  const { hostname, pathname } = url;
  const byDomain = CALDAV_PRESETS.find(({ domains }) =>
    domains.some((domain) => hostname === domain || hostname.endsWith(`.${domain}`)),
  );
  const bySoftware = chosen !== undefined && isPattern(chosen) ? chosen : undefined;
  return byDomain ?? bySoftware ?? CALDAV_PRESETS.find(({ path }) => path && pathname.includes(path));
}

type Typed = { readonly server: string; readonly username: string };

/** Returns a `webcal:` address typed for a login. It is that of a calendar, never of a server. */
export const webcalAmong = (typed: Typed): string | undefined => among(typed, isWebcal);

/** Returns a `webcal:` or `.ics` address. The latter may also be a file on a server. */
export const feedAmong = (typed: Typed): string | undefined =>
  among(typed, (text) => isWebcal(text) || isFile(text));

const among = ({ server, username }: Typed, is: (text: string) => boolean): string | undefined =>
  [server, username].map((text) => text.trim()).find(is);

const isWebcal = (text: string): boolean => /^webcals?:\/\//i.test(text);

const isFile = (text: string): boolean =>
  /^https?:\/\//i.test(text) && /\.ics$/i.test(URL.parse(text)?.pathname ?? '');
