/** The order of two texts by their UTF-8 bytes, in which both databases sort (`dialect.byBytes`). */
export function byBytes(a: string, b: string): number {
  return a === b ? 0 : Buffer.compare(Buffer.from(a), Buffer.from(b));
}
