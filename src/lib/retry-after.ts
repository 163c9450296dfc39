/** Retry-After, RFC 9110 §10.2.3. */

/** Limits the delay: a server that asks for more is faulty, and must not stop accounts for years. */
const MOST_MS = 24 * 3_600_000;

/** Returns the milliseconds to wait, at most a day, or `undefined`. A date is relative to the response's own `Date`. */
export function parseRetryAfter(header: (name: string) => string | undefined): number | undefined {
  const value = header('retry-after')?.trim() ?? '';
  if (/^\d{1,9}$/.test(value)) return Math.min(Number(value) * 1000, MOST_MS);
  const wait = Date.parse(value) - Date.parse(header('date') ?? '');
  return Number.isFinite(wait) && wait > 0 ? Math.min(wait, MOST_MS) : undefined;
}
