/** Compares addresses, which servers spell in many ways (RFC 3986 §6.2.2). */
import { ProviderError } from '../../../calendars/provider-error.ts';

/** Returns the address of a calendar. Fails as `not_found` if the href is not an absolute URL. */
export function calendarUrl(href: string): URL {
  const url = URL.parse(href);
  if (url === null) throw new ProviderError('not_found', 'The calendar has no valid address');
  return url;
}

/** Returns the address of a resource within a collection, which may be spelled without its last slash. */
export const urlWithin = (collection: URL, name: string): URL =>
  new URL(name, `${withoutSlash(collection.href)}/`);

export const withoutSlash = (path: string): string => path.replace(/\/$/, '');

/** Returns the decoded last segment of an href; `undefined` for the root. */
export function lastSegment(href: string): string | undefined {
  const segment = href.split('/').filter(Boolean).at(-1);
  return segment === undefined ? undefined : percentDecoded(segment);
}

/** Decodes the text. Returns it unchanged if a percent sign encodes nothing. */
export function percentDecoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch (error) {
    if (error instanceof URIError) return text;
    throw error;
  }
}

/** Returns the path for comparison; `undefined` if it is no URL or on another host. `%2F` stays: it is not `/`. */
export function comparableHref(href: string, collection: URL): string | undefined {
  const url = URL.parse(href, collection);
  if (url === null || url.host !== collection.host) return undefined;
  return comparablePath(url.pathname) + url.search;
}

/** Returns a path, spelled so that equivalent paths are equal. */
export function comparablePath(path: string): string {
  const encoded = path.replace(/%(?![\da-fA-F]{2})/g, '%25');
  return encoded.replace(/%[\da-fA-F]{2}/g, (octet) => {
    const character = String.fromCharCode(Number.parseInt(octet.slice(1), 16));
    return /[\w.~-]/.test(character) ? character : octet.toUpperCase();
  });
}

/** Returns a collection's path for comparison, ignoring its last slash and optional encoding. */
export const plainPath = ({ pathname }: URL): string =>
  withoutSlash(comparablePath(pathname)).replace(ENCODED_IN_PATHS, percentDecodedOctet) || '/';

/** Characters that need no encoding in a path (RFC 3986 §3.3), but that some servers encode. */
const ENCODED_IN_PATHS = /%(?:21|24|26|27|28|29|2A|2B|2C|3A|3B|3D|40)/g;

const percentDecodedOctet = (octet: string): string =>
  String.fromCharCode(Number.parseInt(octet.slice(1), 16));
