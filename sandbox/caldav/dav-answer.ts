/** Responses in XML: multistatus (RFC 4918 §13), and errors with a precondition (§16). */
import { davDocument, prefixed } from '../../src/providers/caldav/dav/dav-names.ts';
import type { XmlElement } from '../../src/providers/caldav/dav/xml.ts';
import { SandboxRefusal } from '../core/sandbox-refusal.ts';
import type { SandboxAnswer } from '../core/sandbox-server.ts';

const XML_TYPE = 'application/xml; charset=utf-8';

/** Carriage returns survive only as references: parsers turn bare ones into line feeds. */
export const xmlText = (text: string): string =>
  text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;').replaceAll('\r', '&#13;');

const attributeText = (text: string): string =>
  xmlText(text).replaceAll('"', '&quot;').replaceAll('\n', '&#10;');

/** Renders an element with this Clark name, empty if there is no content. */
export function element(name: string, content = '', attributes = ''): string {
  const [, namespace = '', local = ''] = /^\{([^}]*)\}(.*)$/.exec(name) ?? [];
  const prefixedName = prefixed(name);
  const tag = prefixedName.includes(':') ? prefixedName : `x:${local}`;
  const declaration = prefixedName.includes(':') ? '' : ` xmlns:x="${attributeText(namespace)}"`;
  return content === ''
    ? `<${tag}${declaration}${attributes}/>`
    : `<${tag}${declaration}${attributes}>${content}</${tag}>`;
}

/** Renders the content of an element that a client sent, so that it can be sent again. */
export function innerXml({ text, children }: XmlElement): string {
  const nested = children.map((part) => {
    const attributes = Object.entries(part.attributes).map(
      ([name, value]) => ` ${name}="${attributeText(value)}"`,
    );
    return element(part.name, innerXml(part), attributes.join(''));
  });
  return xmlText(text) + nested.join('');
}

/** The properties of a resource with their inner XML; an absent property has none. */
export type PropertyValues = ReadonlyMap<string, string | undefined>;

/** Renders one response with the present properties (200) and the missing ones (404). */
export function propertyResponse(href: string, values: PropertyValues): string {
  const entries = [...values];
  const present = entries.flatMap(([name, inner]) => (inner === undefined ? [] : element(name, inner)));
  const missing = entries.flatMap(([name, inner]) => (inner === undefined ? element(name) : []));
  const parts = [propstat(present, '200 OK'), propstat(missing, '404 Not Found')].join('');
  // RFC 4918 §14.24: a response has a propstat at least.
  return `<d:response><d:href>${xmlText(href)}</d:href>${parts || propstat([''], '200 OK')}</d:response>`;
}

function propstat(properties: readonly string[], status: string): string {
  if (properties.length === 0) return '';
  return `<d:propstat><d:prop>${properties.join('')}</d:prop><d:status>HTTP/1.1 ${status}</d:status></d:propstat>`;
}

/** Renders a response about a resource as a whole. */
export const statusResponse = (href: string, status: string, more = ''): string =>
  `<d:response><d:href>${xmlText(href)}</d:href><d:status>HTTP/1.1 ${status}</d:status>${more}</d:response>`;

export function multistatus(responses: readonly string[], more = ''): SandboxAnswer {
  const body = davDocument('d:multistatus', responses.join('') + more);
  return { status: 207, headers: { 'content-type': XML_TYPE }, body };
}

/** Returns an error with a precondition of this name, including its prefix: `c:no-uid-conflict`. */
export const failedCondition = (status: number, condition: string, message: string): SandboxRefusal =>
  new SandboxRefusal(status, condition, message);

/** Renders the body of an error: the precondition if its reason is one, otherwise a text. */
export function errorAnswer({
  status,
  reason,
  message,
}: {
  status: number;
  reason?: string;
  message?: string;
}): SandboxAnswer {
  if (reason !== undefined && /^(d|c|cs):[\w-]+$/.test(reason)) {
    const body = davDocument('d:error', `<${reason}/>`);
    return { status, headers: { 'content-type': XML_TYPE }, body };
  }
  const text = message ?? reason ?? `Refused with ${status}`;
  return { status, headers: { 'content-type': 'text/plain; charset=utf-8' }, body: `${text}\n` };
}
