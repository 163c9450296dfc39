/** Refuses SVG that loads something or needs too much to draw. Scripts are harmless: only pixels are served. */
import { SaxesParser, type SaxesTagNS } from 'saxes';

/** Hand-drawn logos have a few hundred. */
const MOST_ELEMENTS = 20_000;
const MOST_DEPTH = 200;

const SVG = 'http://www.w3.org/2000/svg';
/** Namespaces whose attributes affect the drawing. */
const DRAWN_NAMESPACES = ['', SVG, 'http://www.w3.org/1999/xlink', 'http://www.w3.org/XML/1998/namespace'];

/** Returns the problem of the document as the end of a sentence ("The logo …"), or `undefined`. */
export function svgProblem(text: string): string | undefined {
  try {
    readThrough(text);
    return undefined;
  } catch (reason) {
    if (reason instanceof SvgProblem) return reason.message;
    // The parser's message begins with the position. The rest quotes the document and is omitted.
    const [, line, column] = /^(\d+):(\d+):/.exec(reason instanceof Error ? reason.message : '') ?? [];
    return `is not well-formed SVG${line === undefined ? '' : ` (line ${line}, column ${column})`}`;
  }
}

class SvgProblem extends Error {}

function readThrough(text: string): void {
  const parser = new SaxesParser({ xmlns: true });
  let elements = 0;
  // The text of each open element, joined across comments and children, as the drawing library reads a style sheet.
  const texts: string[] = [];
  const read = (text: string) => {
    texts.push((texts.pop() ?? '') + text);
  };
  parser.on('error', (error) => {
    throw error;
  });
  parser.on('xmldecl', ({ encoding = 'utf-8' }) => {
    // The drawing library would decode the same bytes as a different text.
    if (!/^(utf-8|us-ascii)$/i.test(encoding)) throw new SvgProblem('must be UTF-8, not another encoding');
  });
  parser.on('doctype', () => {
    throw new SvgProblem('must not have a <!DOCTYPE …>: remove it and the entities that it declares');
  });
  parser.on('processinginstruction', ({ target }) => {
    if (target.toLowerCase() === 'xml-stylesheet') throw externalReference('a style sheet');
  });
  parser.on('opentag', (tag) => {
    elements += 1;
    texts.push('');
    if (elements === 1 && !isSvg(tag))
      throw new SvgProblem('is XML, but not SVG: its first element is not <svg>');
    if (elements > MOST_ELEMENTS) throw new SvgProblem(`must not have more than ${MOST_ELEMENTS} elements`);
    if (texts.length > MOST_DEPTH)
      throw new SvgProblem(`must not be nested deeper than ${MOST_DEPTH} elements`);
    checkAttributes(tag);
  });
  parser.on('closetag', ({ local }) => {
    const text = texts.pop() ?? '';
    if (local.toLowerCase() === 'style') checkStyles(text);
  });
  parser.on('text', read);
  parser.on('cdata', read);
  parser.write(text).close();
}

const isSvg = ({ local, uri }: SaxesTagNS): boolean => local === 'svg' && uri === SVG;

function checkAttributes({ attributes }: SaxesTagNS): void {
  for (const { local, uri, value } of Object.values(attributes)) {
    if (!DRAWN_NAMESPACES.includes(uri)) continue;
    const refers = ['href', 'src', 'base'].includes(local.toLowerCase());
    if (refers && !isInternal(value)) throw externalReference(`"${shortened(value)}"`);
    // Nothing runs event handlers.
    if (!/^on/i.test(local)) checkStyles(value);
  }
}

/** Checks `url(…)` and `@import`. Refuses escapes, since they could hide either. */
function checkStyles(text: string): void {
  if (/@import/i.test(text)) throw externalReference('a style sheet');
  if (/\\/.test(text) && /[(@]/.test(text)) {
    throw new SvgProblem('must not have escapes (backslashes) in its styles');
  }
  for (const [, target = ''] of text.matchAll(/url\s*\(\s*["']?\s*([^"')]*)/gi))
    if (!isInternal(target)) throw externalReference(`"${shortened(target)}"`);
}

/** Accepts parts of the document itself and embedded raster pictures. */
const isInternal = (reference: string): boolean =>
  /^\s*(#|$|data:image\/(png|jpeg|jpg|webp|gif)[;,])/i.test(reference);

const externalReference = (what: string): SvgProblem =>
  new SvgProblem(`must be self-contained: it refers to ${what}, which is not fetched`);

/** Shortens a text and removes characters that could control a terminal. */
function shortened(text: string): string {
  const printable = text.replace(/\p{C}/gu, '');
  return printable.length > 80 ? `${printable.slice(0, 79)}…` : printable;
}
