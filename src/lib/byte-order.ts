/** Compares texts by UTF-8 bytes, as both databases do (`dialect.byBytes`); UTF-16 sorts surrogates too early. */
export function byBytes(a: string, b: string): number {
  const length = Math.min(a.length, b.length);
  for (let i = 0; i < length; i += 1) {
    const difference = a.charCodeAt(i) - b.charCodeAt(i);
    if (difference !== 0) return rankCodeUnit(a.charCodeAt(i)) - rankCodeUnit(b.charCodeAt(i));
  }
  return a.length - b.length;
}

/** Ranks surrogates after all other code units. */
const rankCodeUnit = (unit: number): number => (unit >= 0xd800 && unit <= 0xdfff ? unit + 0x10000 : unit);
