/** Where to report weaknesses of this instance, as RFC 9116 has it. */

/** How long the text says that it holds: less than a year, as RFC 9116 §2.5.5 asks. */
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

/** The document, with CRLF behind each line. It names its own address where that is https. */
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

/** Where RFC 9116 §3 has it. */
export const SECURITY_TXT_PATH = '/.well-known/security.txt';
