/** Comparing etags, which servers and proxies spell in many ways (RFC 9110 §8.8.3). */

/** Returns an etag spelled for comparison: without weakness, quotes and the suffixes of compressing proxies (`-gzip`). */
export function comparableEtag(etag: string): string {
  const strong = etag.trim().replace(/^W\//i, '');
  return strong
    .replace(COMPRESSED, '')
    .replace(/^"(.*)"$/, '$1')
    .replace(COMPRESSED, '');
}

/** Before or after the closing quote. */
const COMPRESSED = /[-;:](gzip|br|deflate|zstd)$/i;

/** Returns whether both etags are known and name the same version. */
export function sameEtag(one: string | undefined, other: string | undefined): boolean {
  if (one === undefined || other === undefined) return false;
  // Most are spelled alike, and this comparison is faster.
  return one === other || comparableEtag(one) === comparableEtag(other);
}
