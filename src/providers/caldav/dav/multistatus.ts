/** `multistatus` responses, RFC 4918 §13 and §14.16, with the sync token of RFC 6578 §6.4. */
import { ProviderError } from '../../../calendars/provider-error.ts';
import { caldav, dav } from './dav-names.ts';
import { child, listHrefs, parseXml, readElementText, type XmlElement, xmlParts } from './xml.ts';

export type DavResponse = {
  readonly href: string;
  /** The status of the whole resource; `undefined` if each property has its own. */
  readonly status: number | undefined;
  /** The status of `resourcetype` if the server did not return it. */
  readonly typeStatus: number | undefined;
  /** By name, only those with a 2xx status. */
  readonly properties: ReadonlyMap<string, XmlElement>;
};

export type Multistatus<Kept = DavResponse> = {
  readonly responses: readonly Kept[];
  readonly syncToken: string | undefined;
};

/** Parses a multistatus and holds only the results of `keep`. Fails as `invalid_response` for any other body. */
export function readMultistatus<Kept>(
  body: string,
  keep: (response: DavResponse) => Kept,
): Multistatus<Kept> {
  const parts = multistatusParts(body, keep);
  const responses: Kept[] = [];
  for (;;) {
    const part = parts.next();
    if (part.done === true) return { responses, syncToken: part.value.syncToken };
    for (const entry of part.value) responses.push(entry);
  }
}

/**
 * Parses by slices of the body. Yields the results of `keep` as they come, never an empty list, and returns the sync
 * token. If the body turns out to be broken, the results already yielded remain valid.
 */
export function* multistatusParts<Kept>(
  body: string,
  keep: (response: DavResponse) => Kept,
): Generator<Kept[], { readonly syncToken: string | undefined }> {
  const root = yield* xmlParts(body, (member, rootName) => {
    requireMultistatus(rootName);
    return member.name === dav('response') ? readResponse(member).map(keep) : undefined;
  });
  requireMultistatus(root.name);
  return { syncToken: readElementText(child(root, dav('sync-token'))) };
}

function requireMultistatus(rootName: string): void {
  if (rootName !== dav('multistatus'))
    throw new ProviderError('invalid_response', 'The server does not respond as a CalDAV server');
}

/** Servers name one; servers that combine several name a few hundred. */
const MOST_HREFS = 10_000;

/** Returns one response for each href: a response with a status may name several (RFC 4918 §14.24). */
function readResponse(element: XmlElement): DavResponse[] {
  const status = parseHttpStatus(child(element, dav('status')));
  const properties = new Map<string, XmlElement>();
  let typeStatus: number | undefined;
  for (const propstat of element.children.filter(({ name }) => name === dav('propstat'))) {
    // Without a status the property exists: some servers leave it out.
    const code = parseHttpStatus(child(propstat, dav('status'))) ?? 200;
    const prop = child(propstat, dav('prop'));
    if (code < 200 || code > 299) {
      if (child(prop, dav('resourcetype')) !== undefined) typeStatus = code;
      continue;
    }
    for (const property of prop?.children ?? []) properties.set(property.name, property);
  }
  const hrefs = listHrefs(element);
  if (hrefs.length > MOST_HREFS)
    throw new ProviderError('invalid_response', 'The server responds with too many resources at once');
  return hrefs.map((href) => ({ href, status, typeStatus, properties }));
}

/** Parses `HTTP/1.1 404 Not Found`, RFC 9112 §4. */
function parseHttpStatus(element: XmlElement | undefined): number | undefined {
  const [, code] = /^HTTP\/\S+\s+(\d{3})\b/.exec(readElementText(element) ?? '') ?? [];
  return code === undefined ? undefined : Number(code);
}

/** Returns the preconditions and postconditions in an error body (RFC 4918 §16); empty if it is not XML. */
export function conditionsIn(body: string): readonly XmlElement[] {
  const root = parseRoot(body);
  return root?.name === dav('error') ? root.children : [];
}

/** Returns whether an error body names this precondition, whatever its root is called. */
export function namesCondition(body: string, condition: string): boolean {
  if (!body.includes(condition)) return false;
  const names = [dav(condition), caldav(condition)];
  return parseRoot(body)?.children.some(({ name }) => names.includes(name)) === true;
}

function parseRoot(body: string): XmlElement | undefined {
  try {
    return parseXml(body);
  } catch (failure) {
    if (failure instanceof ProviderError) return undefined;
    throw failure;
  }
}
