/** A URL's origin and path: what tells whether two endpoints are at one place. `url` is absolute. */
export function endpointAddress(url: string): string {
  const { origin, pathname } = new URL(url);
  return `${origin}${pathname}`;
}
