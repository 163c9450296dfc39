/** Whether a caller wants a page or JSON (RFC 9110 §12.5.1; docs/wire.md 3.1). */

/**
 * True for whoever names HTML and does not prefer JSON to it: browsers do. A bare wildcard, or no
 * Accept header, is a program's.
 */
export function prefersPage(accept: string | undefined): boolean {
  const page = Math.max(
    ...['text/html', 'application/xhtml+xml', 'text/*'].map((type) => quality(accept, type)),
  );
  return page > 0 && page >= quality(accept, 'application/json');
}

function quality(accept: string | undefined, type: string): number {
  for (const range of (accept ?? '').toLowerCase().split(',')) {
    const [name, ...parameters] = range.split(';').map((part) => part.trim());
    if (name !== type) continue;
    const weight = parameters.find((parameter) => parameter.startsWith('q='))?.slice(2) ?? '1';
    return /^[01](\.\d{0,3})?$/.test(weight) ? Number(weight) : 0;
  }
  return 0;
}
