/** Returns the URL without parts that may be secret: user, password and query values. */
export function auditedUrl(url: string): string {
  const parsed = URL.parse(url);
  if (parsed === null) return '';
  const { protocol, host, pathname, search } = parsed;
  return `${protocol}//${host}${pathname}${search === '' ? '' : '?…'}`;
}
