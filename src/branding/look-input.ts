/** What an application may set of how it looks, read from text: one value kept, or a sentence that says what is wrong. */
import { ApiError } from '../http/refusal.ts';
import { isLoopbackHost } from '../lib/egress/private-network.ts';
import { SETTINGS } from './settings-error.ts';

export const MOST_EMAIL_CHARACTERS = 254;
export const MOST_URL_CHARACTERS = 2048;

const refusal = (sentence: string): ApiError => new ApiError(SETTINGS.invalid_client_metadata, sentence);

/** `#rrggbb` in lower case, of that or `#rgb` in any. Throws ApiError 400. */
export function readPrimaryColor(text: string): string {
  const [, digits] = /^#([\da-f]{3}|[\da-f]{6})$/i.exec(text) ?? [];
  if (digits === undefined) throw refusal('The primary color must be #rrggbb or #rgb, such as #1f4fd8');
  const pairs = digits.length === 3 ? digits.replace(/./g, '$&$&') : digits;
  return `#${pairs.toLowerCase()}`;
}

/** One address that can stand behind `mailto:` as it is. Throws ApiError 400. */
export function readSupportEmail(text: string): string {
  const label = '[\\p{L}\\p{N}](?:[\\p{L}\\p{N}-]*[\\p{L}\\p{N}])?';
  // Of the characters RFC 5321 allows, not those that mean something in an address of a link.
  const address = new RegExp(`^[\\p{L}\\p{N}.!$*+/=^_~-]+@${label}(?:\\.${label})+$`, 'u');
  if (text.length > MOST_EMAIL_CHARACTERS || !address.test(text)) {
    throw refusal('The support e-mail must be one address, such as help@example.com');
  }
  return text;
}

/**
 * Readers of the facts of an application. A reader returns the text, or throws ApiError 400. Privacy and terms accept http on
 * this machine too.
 */
export const FACT_READERS = {
  applicationUrl: (text: string) => readHttpsUrl(text, 'application URL'),
  supportEmail: readSupportEmail,
  supportUrl: (text: string) => readHttpsUrl(text, 'support URL'),
  privacyUrl: (text: string) => readPageUrl(text, 'privacy URL'),
  termsUrl: (text: string) => readPageUrl(text, 'terms URL'),
} as const;

/** Returns the new value of a fact: `null` for an empty text, which removes it, and `undefined` for no text. */
export function readFact(
  fact: keyof typeof FACT_READERS,
  text: string | undefined,
): string | null | undefined {
  return text === '' ? null : text && FACT_READERS[fact](text);
}

/** Applications under development have their pages on this machine. */
function readPageUrl(text: string, name: string): string {
  const url = URL.parse(text);
  if (url?.protocol !== 'http:' || !isLoopbackHost(url.hostname)) return readHttpsUrl(text, name);
  readHttpsUrl(text.replace(/^http:/i, 'https:'), name);
  return text;
}

function readHttpsUrl(text: string, name: string): string {
  const url = text.length <= MOST_URL_CHARACTERS && /^[\x21-\x7e]+$/.test(text) ? URL.parse(text) : null;
  // Without both slashes it is relative to our own pages (URL Standard §4.4).
  const isAbsolute = url !== null && /^https:\/\/[^/]/i.test(text);
  if (!isAbsolute || /[\\"<>^`{|}]/.test(text)) {
    throw refusal(`The ${name} must be an absolute https address, such as https://example.com/help`);
  }
  if (url.username !== '' || url.password !== '') {
    throw refusal(`The ${name} must have no user name or password`);
  }
  return text;
}
