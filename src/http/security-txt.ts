/** The address for reporting vulnerabilities of this instance (RFC 9116). */

/** The validity of the text: less than a year, as RFC 9116 §2.5.5 recommends. */
const HOLDS_FOR_MS = 180 * 24 * 3600 * 1000;
/** The text expires at a midnight, so that it is the same all day. */
const DAY_MS = 24 * 3600 * 1000;

export type SecurityTxtSubject = {
  /** A mailto: or https: address. */
  readonly contact: string;
  /** The public origin. */
  readonly publicUrl: string;
  /** Epoch milliseconds. */
  readonly now: number;
};

/** Returns the document, with CRLF after each line. It contains its own address if that is https. */
export function securityTxt({ contact, publicUrl, now }: SecurityTxtSubject): string {
  const expires = Math.floor((now + HOLDS_FOR_MS) / DAY_MS) * DAY_MS;
  const lines = [
    // As a URL, nothing in it can begin another line.
    `Contact: ${new URL(contact).href}`,
    `Expires: ${new Date(expires).toISOString()}`,
    'Preferred-Languages: en',
    ...(publicUrl.startsWith('https:') ? [`Canonical: ${publicUrl}${SECURITY_TXT_PATH}`] : []),
  ];
  return lines.map((line) => `${line}\r\n`).join('');
}

/** The path that RFC 9116 §3 requires. */
export const SECURITY_TXT_PATH = '/.well-known/security.txt';
