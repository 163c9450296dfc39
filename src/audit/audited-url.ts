/** The address without what can be a secret of its receiver: user, password, and the values of the query. */
export function auditedUrl(url: string): string {
  const parsed = URL.parse(url);
  if (parsed === null) return '';
  const { protocol, host, pathname, search } = parsed;
  return `${protocol}//${host}${pathname}${search === '' ? '' : '?…'}`;
}
