/** Comparing addresses, which servers spell in many ways (RFC 3986 §6.2.2). */
import { ProviderError } from '../../../calendars/provider-error.ts';

/** The address of a calendar. Fails as `not_found` when the href is no absolute URL. */
export function calendarUrl(href: string): URL {
  const url = URL.parse(href);
  if (url === null) throw new ProviderError('not_found', 'The calendar has no valid address');
  return url;
}

/** The address of a resource within a collection, which may be spelled without its last slash. */
export const urlWithin = (collection: URL, name: string): URL =>
  new URL(name, `${withoutSlash(collection.href)}/`);

export const withoutSlash = (path: string): string => path.replace(/\/$/, '');

/** The last segment of an href as people read it; `undefined` for the root. */
export function lastSegment(href: string): string | undefined {
  const segment = href.split('/').filter(Boolean).at(-1);
  return segment === undefined ? undefined : percentDecoded(segment);
}

/** The text as it is where a percent sign in it encodes nothing: that is the server's own spelling. */
export function percentDecoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch (error) {
    if (error instanceof URIError) return text;
    throw error;
  }
}

/**
 * The path of an href, spelled for comparison: percent-encoding is undone for unreserved characters only, since `%2F`
 * is not `/`. `undefined` when it is no URL, or one of another host.
 */
export function comparableHref(href: string, collection: URL): string | undefined {
  const url = URL.parse(href, collection);
  if (url === null || url.host !== collection.host) return undefined;
  return comparablePath(url.pathname) + url.search;
}

/** A path, spelled so that equivalent ones are equal. */
export function comparablePath(path: string): string {
  const encoded = path.replace(/%(?![\da-fA-F]{2})/g, '%25');
  return encoded.replace(/%[\da-fA-F]{2}/g, (octet) => {
    const character = String.fromCharCode(Number.parseInt(octet.slice(1), 16));
    return /[\w.~-]/.test(character) ? character : octet.toUpperCase();
  });
}

/** The path of a collection, spelled so that those are equal too that differ in their last slash and in what need not be encoded. */
export const plainPath = ({ pathname }: URL): string =>
  withoutSlash(comparablePath(pathname)).replace(ENCODED_IN_PATHS, percentDecodedOctet) || '/';

/** What a path may hold as it is (RFC 3986 §3.3), and some servers encode. */
const ENCODED_IN_PATHS = /%(?:21|24|26|27|28|29|2A|2B|2C|3A|3B|3D|40)/g;

const percentDecodedOctet = (octet: string): string =>
  String.fromCharCode(Number.parseInt(octet.slice(1), 16));
