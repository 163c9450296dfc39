/**
 * Parses XML for WebDAV, with resolved namespaces. Refuses DTDs and other entities, and limits depth and number of
 * elements.
 */
import { SaxesParser, type SaxesTagNS } from 'saxes';

import { ProviderError } from '../../../calendars/provider-error.ts';

export type XmlElement = {
  /** `{namespace}local`. */
  readonly name: string;
  readonly attributes: Readonly<Record<string, string>>;
  readonly children: readonly XmlElement[];
  /** The element's own text, CDATA included, without that of its children. */
  readonly text: string;
};

type OpenElement = { name: string; attributes: Record<string, string>; children: XmlElement[]; text: string };

const MOST_DEPTH = 32;
/** A listing of 20,000 resources has about 200,000. */
const MOST_ELEMENTS = 250_000;
const MOST_MARKUP = 600_000;
const MOST_ATTRIBUTES = 32;
/** In the whole document: some servers declare a namespace on each element. */
const MOST_ATTRIBUTES_IN_ALL = 250_000;
/** Escaped characters are slow to read; calendar data in ten megabytes has a tenth of this many. */
const MOST_REFERENCES = 500_000;

/**
 * Returns the document's root. Fails as `invalid_response` for XML that is malformed or over a limit. Drops children of
 * the root for which `takes` returns true, so that a long listing is held one member at a time.
 */
export function parseXml(document: string, takes: (member: XmlElement) => boolean = () => false): XmlElement {
  const parts = xmlParts(document, (member) => (takes(member) ? [] : undefined));
  for (;;) {
    const part = parts.next();
    if (part.done === true) return part.value;
  }
}

/** Returns what to keep of a child of the root, which is then dropped; `undefined` leaves it in the tree. */
export type TakeMember<Kept> = (member: XmlElement, rootName: string) => readonly Kept[] | undefined;

/** The characters that are parsed in one go, which takes about a millisecond. */
const SLICE = 64 * 1024;

/** Parses by slices. Yields the results of `take` as they come, and returns the root with the other children. */
export function* xmlParts<Kept>(document: string, take: TakeMember<Kept>): Generator<Kept[], XmlElement> {
  if (hasMore(document, '<', MOST_MARKUP)) throw unreadable('it has too much markup');
  if (hasMore(document, '&', MOST_REFERENCES)) throw unreadable('it escapes too many characters');
  let members: Kept[] = [];
  const { parser, rootOf } = treeParser((member, rootName) => {
    const accepted = take(member, rootName);
    for (const each of accepted ?? []) members.push(each);
    return accepted !== undefined;
  });
  for (let at = 0; at < document.length; at += SLICE) {
    parser.write(document.slice(at, at + SLICE));
    if (members.length === 0) continue;
    yield members;
    members = [];
  }
  parser.close();
  if (members.length > 0) yield members;
  const root = rootOf();
  if (root === undefined) throw unreadable('it is empty');
  return root;
}

/** Creates a parser that builds the tree without the children that `takes` accepts. */
function treeParser(takes: (member: XmlElement, rootName: string) => boolean) {
  const parser = new SaxesParser({ xmlns: true });
  const open: OpenElement[] = [];
  let root: XmlElement | undefined;
  parser.on('error', (cause) => {
    throw unreadable('it is not well-formed', cause);
  });
  parser.on('doctype', () => {
    throw unreadable('it has a document type');
  });
  limitAttributes(parser);
  let count = 0;
  parser.on('opentag', (tag) => {
    count += 1;
    if (count > MOST_ELEMENTS) throw unreadable('it has too many elements');
    if (open.length >= MOST_DEPTH) throw unreadable('it is nested too deep');
    open.push(toElement(tag));
  });
  const addText = (text: string) => {
    const last = open.at(-1);
    if (last !== undefined) last.text += text;
  };
  parser.on('text', addText);
  parser.on('cdata', addText);
  parser.on('closetag', () => {
    const closed = open.pop();
    if (closed === undefined) return;
    const parent = open.at(-1);
    if (parent === undefined) root = closed;
    else if (open.length > 1 || !takes(closed, parent.name)) parent.children.push(closed);
  });
  return { parser, rootOf: () => root };
}

function limitAttributes(parser: SaxesParser<{ xmlns: true }>): void {
  let ofElement = 0;
  let inAll = 0;
  parser.on('opentagstart', () => {
    ofElement = 0;
  });
  parser.on('attribute', () => {
    ofElement += 1;
    inAll += 1;
    if (ofElement > MOST_ATTRIBUTES) throw unreadable('an element has too many attributes');
    if (inAll > MOST_ATTRIBUTES_IN_ALL) throw unreadable('it has too many attributes');
  });
}

function hasMore(text: string, character: string, most: number): boolean {
  let count = 0;
  for (let at = text.indexOf(character); at >= 0; at = text.indexOf(character, at + 1)) {
    count += 1;
    if (count > most) return true;
  }
  return false;
}

function toElement(tag: SaxesTagNS): OpenElement {
  const attributes: Record<string, string> = {};
  for (const { local, value, prefix } of Object.values(tag.attributes))
    if (prefix !== 'xmlns') attributes[local] = value;
  return { name: `{${tag.uri}}${tag.local}`, attributes, children: [], text: '' };
}

const unreadable = (why: string, cause?: unknown): ProviderError =>
  new ProviderError('invalid_response', `The server's XML cannot be read: ${why}`, { cause });

export function child(element: XmlElement | undefined, name: string): XmlElement | undefined {
  return element?.children.find((candidate) => candidate.name === name);
}

/** Returns the trimmed text of an element; `undefined` if it is empty. */
export function readElementText(element: XmlElement | undefined): string | undefined {
  return element?.text.trim() || undefined;
}

/** No server has longer addresses, and parsing one of ten megabytes takes seconds. */
const LONGEST_HREF = 8192;

/** Returns the `<d:href>` texts directly inside an element, without those longer than 8 KB. */
export function listHrefs(element: XmlElement | undefined): string[] {
  const hrefs = element?.children.filter(({ name }) => name === '{DAV:}href') ?? [];
  return hrefs.map(({ text }) => text.trim()).filter((href) => href !== '' && href.length <= LONGEST_HREF);
}
