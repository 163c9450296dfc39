/** Retry-After, RFC 9110 §10.2.3. */

/**
 * How long an answer asks to wait, in milliseconds: seconds or a date, which counts from the answer's own `Date`.
 * `undefined` where it does not say, or says what cannot be read.
 */
export function retryAfterOf(header: (name: string) => string | undefined): number | undefined {
  const value = header('retry-after')?.trim() ?? '';
  if (/^\d{1,9}$/.test(value)) return Number(value) * 1000;
  const wait = Date.parse(value) - Date.parse(header('date') ?? '');
  return Number.isFinite(wait) && wait > 0 ? wait : undefined;
}
