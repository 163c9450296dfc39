/** The address of a feed as people paste it, its secret parts, and the name that replaces it. */
import { createHmac } from 'node:crypto';

import { ProviderError } from '../../../calendars/provider-error.ts';

/**
 * Returns the https (or http) address; `webcal://` means https. Fails as `invalid_response` with the detail
 * `no_address` for other text, and `address_credentials` if it has a user name or password.
 */
export function readFeedAddress(text: string): URL {
  const typed = text.trim();
  const url = URL.parse(spelledAsUrl(typed));
  if (url === null || !/^https?:$/.test(url.protocol) || /\s/.test(typed) || isMail(typed))
    throw new ProviderError('invalid_response', 'This is not the URL of a calendar', {
      detail: 'no_address',
    });
  if (url.username !== '' || url.password !== '')
    throw new ProviderError('invalid_response', 'The address must not contain a user name or password', {
      detail: 'address_credentials',
    });
  url.hash = '';
  return url;
}

function spelledAsUrl(typed: string): string {
  if (/^webcals?:\/\//i.test(typed)) return typed.replace(/^webcals?/i, 'https');
  return /^[a-z][a-z\d+.-]*:\/\//i.test(typed) ? typed : `https://${typed}`;
}

const isMail = (typed: string): boolean => /^[^\s/:@]+@[^\s/:@]+$/.test(typed);

/**
 * Returns the name of the address on the wire and in logs, the same for every user of the instance: host and digest.
 * `key` belongs to the instance: without it, an address that can be guessed could be found from its digest
 * (docs/security.md T13).
 */
export function nameOfFeed(url: URL, key: Uint8Array): string {
  return `feed://${url.host}/${createHmac('sha256', key).update(url.href).digest('base64url')}`;
}

/** Matches a part that may be secret. A part without a digit is a word that the calendar's text may well use. */
const SECRET = /^(?=.*\d).{8,}$/su;

export const listSecrets = (addresses: readonly string[]): string[] =>
  addresses.flatMap((address) => secretsIn(new URL(address)));

/** Returns path and query as a whole, and their long parts that are no words, as written and decoded. */
function secretsIn({ pathname, search, searchParams }: URL): string[] {
  const segments = [...pathname.split('/'), ...search.slice(1).split(/[&=]/)];
  const parts = [...segments, ...segments.map(decoded), ...searchParams.values()];
  const whole = pathname + search;
  return [...new Set([...parts.filter((part) => SECRET.test(part)), ...(whole.length > 1 ? [whole] : [])])];
}

/** Returns a test for lines with a URL, of any scheme, at the host of an address and with one of the secrets. */
export function linksTo(addresses: readonly string[]): (line: string) => boolean {
  const hosts = addresses.map((address) => new URL(address).hostname);
  const secrets = listSecrets(addresses);
  const isLink = (text: string): boolean => {
    if (!hosts.includes(URL.parse(`https://${text}`)?.hostname ?? '')) return false;
    const plain = decoded(text);
    return secrets.some((secret) => text.includes(secret) || plain.includes(secret));
  };
  return (line) => line.split('://').slice(1).some(isLink);
}

function decoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text; // Its percent signs are meant as they are.
  }
}
