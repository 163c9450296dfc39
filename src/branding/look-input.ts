/** Parses the branding and the facts of an application from text. */
import { ApiError } from '../http/refusal.ts';
import { isLoopbackHost } from '../lib/egress/private-network.ts';
import { SETTINGS } from './settings-error.ts';

export const MOST_EMAIL_CHARACTERS = 254;
export const MOST_URL_CHARACTERS = 2048;

const refusal = (sentence: string): ApiError => new ApiError(SETTINGS.invalid_client_metadata, sentence);

/** Returns `#rrggbb` in lower case, from `#rrggbb` or `#rgb` in any case. Throws ApiError 400. */
export function readPrimaryColor(text: string): string {
  const [, digits] = /^#([\da-f]{3}|[\da-f]{6})$/i.exec(text) ?? [];
  if (digits === undefined) throw refusal('The primary color must be #rrggbb or #rgb, such as #1f4fd8');
  const pairs = digits.length === 3 ? digits.replace(/./g, '$&$&') : digits;
  return `#${pairs.toLowerCase()}`;
}

/** Returns the address if a `mailto:` link can contain it without encoding. Throws ApiError 400. */
export function readSupportEmail(text: string): string {
  const label = '[\\p{L}\\p{N}](?:[\\p{L}\\p{N}-]*[\\p{L}\\p{N}])?';
  // RFC 5321 allows more characters. This excludes all that have a meaning in a link's address.
  const address = new RegExp(`^[\\p{L}\\p{N}.!$*+/=^_~-]+@${label}(?:\\.${label})+$`, 'u');
  if (text.length > MOST_EMAIL_CHARACTERS || !address.test(text)) {
    throw refusal('The support email must be one address, such as help@example.com');
  }
  return text;
}

/** Readers that return the text or throw ApiError 400. Privacy and terms URLs may be http on this machine. */
export const FACT_READERS = {
  applicationUrl: (text: string) => readHttpsUrl(text, 'application URL'),
  supportEmail: readSupportEmail,
  supportUrl: (text: string) => readHttpsUrl(text, 'support URL'),
  privacyUrl: (text: string) => readPageUrl(text, 'privacy URL'),
  termsUrl: (text: string) => readPageUrl(text, 'terms URL'),
} as const;

/** Returns the new value of a fact: `null` (removes it) for an empty text, `undefined` for no text. */
export const readFact = (
  fact: keyof typeof FACT_READERS,
  text: string | undefined,
): string | null | undefined => (text === '' ? null : text && FACT_READERS[fact](text));

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
