/** The address of a mail server and the sender of mails, read from text. */

export type MailServer = {
  readonly host: string;
  readonly port: number;
  /** `implicit`: from the first byte. `required` and `offered`: by STARTTLS (RFC 3207). `none`: only on loopback. */
  readonly tls: 'implicit' | 'required' | 'offered' | 'none';
  readonly user?: string;
  readonly password?: string;
};

/** The sender; `name` is empty if it has none. */
export type MailSender = { readonly name: string; readonly address: string };

const SUBMISSION_PORTS: Readonly<Record<string, number>> = { 'smtp:': 587, 'smtps:': 465 };

/**
 * Parses `smtp://` or `smtps://` with an optional user and password. A password is only sent encrypted, except on
 * loopback. Throws an Error whose message continues the name of a setting and never contains the text.
 */
export function parseMailServer(text: string): MailServer {
  const url = URL.parse(text);
  const defaultPort = SUBMISSION_PORTS[url?.protocol ?? ''];
  if (!url || defaultPort === undefined || url.hostname === '')
    throw new Error('must be an smtp:// or smtps:// URL with a host');
  if (!/^\/?$/.test(url.pathname) || url.search || url.hash)
    throw new Error('must not have a path, query or fragment');
  if ((url.username === '') !== (url.password === ''))
    throw new Error('must have both a user and a password, or neither');
  const host = decode(url.hostname).replace(/^\[|\]$/g, '');
  const isLoopback = /^(localhost|127(\.\d{1,3}){3}|::1)$/.test(host);
  const hasPassword = url.password !== '';
  const startTls = isLoopback ? 'none' : hasPassword ? 'required' : 'offered';
  return Object.freeze({
    host,
    port: url.port === '' ? defaultPort : Number(url.port),
    tls: url.protocol === 'smtps:' ? 'implicit' : startTls,
    ...(hasPassword && { user: decode(url.username), password: decode(url.password) }),
  });
}

function decode(text: string): string {
  try {
    const decoded = decodeURIComponent(text);
    if (!/\p{Cc}/u.test(decoded)) return decoded;
  } catch {
    // The error below says it without the text, which may be a password.
  }
  throw new Error('must encode the user and the password as in a URL, such as %40 for @');
}

/** Parses `mail@example.com` or `Kalends <mail@example.com>`. Throws as `parseMailServer` does. */
export function parseMailSender(text: string): MailSender {
  const [, named, bracketed, plain] =
    /^(?:([^<>"\\\p{Cc}]{0,100}?)\s*<([^<>]{1,320})>|([^<>]{1,320}))$/u.exec(text.trim()) ?? [];
  const address = bracketed ?? plain ?? '';
  if (!isMailAddress(address))
    throw new Error('must be an address such as kalends@example.com or Kalends <kalends@example.com>');
  return Object.freeze({ name: named?.trim() ?? '', address });
}

/** Returns whether the text is one address and cannot be read as several. */
export const isMailAddress = (text: string): boolean =>
  text.length <= 320 && /^[^\s@<>(),:;"[\]\\\p{Cc}]+@[^\s@<>(),:;"[\]\\\p{Cc}]+$/u.test(text);
