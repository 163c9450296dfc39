/** Names of WebDAV and CalDAV, in Clark notation, and the XML of requests. */

const NAMESPACES = {
  DAV: 'DAV:',
  CALDAV: 'urn:ietf:params:xml:ns:caldav',
  CALENDARSERVER: 'http://calendarserver.org/ns/',
  APPLE: 'http://apple.com/ns/ical/',
} as const;

export const dav = (local: string): string => `{${NAMESPACES.DAV}}${local}`;
export const caldav = (local: string): string => `{${NAMESPACES.CALDAV}}${local}`;
export const calendarServer = (local: string): string => `{${NAMESPACES.CALENDARSERVER}}${local}`;
export const apple = (local: string): string => `{${NAMESPACES.APPLE}}${local}`;

const PREFIXES: Readonly<Record<string, string>> = {
  [NAMESPACES.DAV]: 'd',
  [NAMESPACES.CALDAV]: 'c',
  [NAMESPACES.CALENDARSERVER]: 'cs',
  [NAMESPACES.APPLE]: 'ic',
};

const DECLARATIONS = Object.entries(PREFIXES)
  .map(([namespace, prefix]) => `xmlns:${prefix}="${namespace}"`)
  .join(' ');

/** Returns a name with the prefix that our requests declare, or else its local part alone. */
export function prefixed(name: string): string {
  const [, namespace = '', local = ''] = /^\{([^}]*)\}(.*)$/.exec(name) ?? [];
  const prefix = PREFIXES[namespace];
  return prefix === undefined ? local : `${prefix}:${local}`;
}

export function davDocument(root: string, content: string): string {
  return `<?xml version="1.0" encoding="utf-8"?>\n<${root} ${DECLARATIONS}>${content}</${root}>`;
}

export function propElement(names: readonly string[]): string {
  return `<d:prop>${names.map((name) => `<${prefixed(name)}/>`).join('')}</d:prop>`;
}

export function escapeXml(text: string): string {
  return text
    .replaceAll('&', '&amp;')
    .replaceAll('<', '&lt;')
    .replaceAll('>', '&gt;')
    .replaceAll('"', '&quot;');
}
