/** Comparing what servers spell in many ways: hrefs (RFC 3986 §6.2.2) and etags (RFC 9110 §8.8.3). */

/**
 * An href in the one spelling that compares: its path, percent-encoding undone for unreserved
 * characters only, since `%2F` is not `/`. Undefined when it is no URL, or one of another origin.
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

/**
 * An etag in the spelling that compares: without weakness, quotes, and what compressing front ends
 * append (Apache's `-gzip`).
 */
export function comparableEtag(etag: string): string {
  const strong = etag.trim().replace(/^W\//i, '');
  return strong
    .replace(COMPRESSED, '')
    .replace(/^"(.*)"$/, '$1')
    .replace(COMPRESSED, '');
}

/** Inside of the quotes or behind them. */
const COMPRESSED = /[-;:](gzip|br|deflate|zstd)$/i;

/** Whether both are known and name the same version. */
export function sameEtag(one: string | undefined, other: string | undefined): boolean {
  return one !== undefined && other !== undefined && comparableEtag(one) === comparableEtag(other);
}
