/**
 * The addresses of known CalDAV servers, from their providers' help pages. An entry that is out of date gives its users
 * a wrong hint, and nothing worse.
 */

/** Stands in an address for the part that only the user knows. No host can have this name (RFC 2606 §3). */
export const YOUR_SERVER = 'your-server.example';

export type CalDavPreset = {
  /** In addresses of ours. */
  readonly id: string;
  /** The brand; not translated. */
  readonly name: string;
  /** Whole, or with YOUR_SERVER in it. */
  readonly server: string;
  readonly username: 'email' | 'name';
  /**
   * `app`: nothing but an app password works; `app_2fa`: with two-factor authentication nothing else does;
   * `usual`: there are no others.
   */
  readonly password: 'app' | 'app_2fa' | 'usual';
  /** Where the app password is made: a page of the provider's, or a place in software that the user's own server runs. */
  readonly passwordMade?: { readonly page: string } | { readonly inside: 'nextcloud' | 'zimbra' };
  /** Domains of servers and e-mail addresses, with all beneath them. */
  readonly domains: readonly string[];
  /** What the path of such a server has in it. */
  readonly path?: string;
  /** Another of its domains, where accounts have the same address with another end. */
  readonly region?: string;
};

/** In the order they are shown: the most used first. */
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

/** The preset with this id. */
export const findPreset = (id: string | undefined): CalDavPreset | undefined =>
  CALDAV_PRESETS.find((preset) => preset.id === id);

/** Whether the user has to put a part of the address in. */
export const isPattern = ({ server }: CalDavPreset): boolean => server.includes(YOUR_SERVER);

/** Whether that part is still to be put in. */
export const isUnfilled = (server: string): boolean => server.toLowerCase().includes(YOUR_SERVER);

/**
 * Whose server was typed: the provider that the host or e-mail address belongs to, else the software that was chosen
 * or that the path is known by. A provider that was chosen no longer counts once another address was typed.
 */
export function presetOf(server: string, chosen: CalDavPreset | undefined): CalDavPreset | undefined {
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

/** What was typed for a login. */
type Typed = { readonly server: string; readonly username: string };

/** A calendar's address among what was typed for a login: where it is one for certain, and no server has one like it. */
export const webcalAmong = (typed: Typed): string | undefined => among(typed, isWebcal);

/** The same where it may as well be that of a file of a server's. */
export const feedAmong = (typed: Typed): string | undefined =>
  among(typed, (text) => isWebcal(text) || isFile(text));

const among = ({ server, username }: Typed, is: (text: string) => boolean): string | undefined =>
  [server, username].map((text) => text.trim()).find(is);

const isWebcal = (text: string): boolean => /^webcals?:\/\//i.test(text);

const isFile = (text: string): boolean =>
  /^https?:\/\//i.test(text) && /\.ics$/i.test(URL.parse(text)?.pathname ?? '');
