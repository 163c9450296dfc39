/**
 * The order of two texts by their UTF-8 bytes, in which both databases sort (`dialect.byBytes`). That is
 * the order of code points; UTF-16 differs from it only in having surrogates before U+E000 to U+FFFF.
 */
export function byBytes(a: string, b: string): number {
  const length = Math.min(a.length, b.length);
  for (let i = 0; i < length; i += 1) {
    const difference = a.charCodeAt(i) - b.charCodeAt(i);
    if (difference !== 0) return rankOf(a.charCodeAt(i)) - rankOf(b.charCodeAt(i));
  }
  return a.length - b.length;
}

/** Surrogates behind all others. */
const rankOf = (unit: number): number => (unit >= 0xd800 && unit <= 0xdfff ? unit + 0x10000 : unit);
