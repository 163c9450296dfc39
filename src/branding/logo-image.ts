/** Turns an uploaded picture into a small square WebP. No byte of the original reaches a browser. */
import { spawn } from 'node:child_process';
import path from 'node:path';
import { buffer } from 'node:stream/consumers';
import { SaxesParser, type SaxesTagNS } from 'saxes';
import { ApiError } from '../http/refusal.ts';
import type { LogoImage } from './branding-store.ts';
import { SETTINGS } from './settings-error.ts';

/** The maximum size of an uploaded picture (docs/wire.md 4.3). */
export const MOST_LOGO_BYTES = 5 * 1024 * 1024;

const DRAWING_SECONDS = 10;
/** The exit code of draw-logo.ts if something is wrong with the picture. */
const UNREADABLE = 2;
/** Its exit code if the library that reads pictures is not installed. */
const NO_LIBRARY = 3;
/** The repository has draw-logo.ts, the published package draw-logo.js. */
const DRAW_LOGO = path.join(import.meta.dirname, `draw-logo${path.extname(import.meta.filename)}`);

type Format = 'PNG' | 'JPEG' | 'WebP' | 'SVG';

/**
 * Draws a PNG, JPEG, WebP or SVG onto a transparent square of at most 192 pixels per side, in at most 16 KB. Draws the
 * first frame of an animation. Throws ApiError 400 with a sentence about `name`, such as "logo", and 422 if the optional
 * package `sharp` is not installed.
 */
export async function logoImage(bytes: Uint8Array, name: string): Promise<LogoImage> {
  const refusal = (problem: string, cause?: unknown) =>
    new ApiError(SETTINGS.invalid_client_metadata, { message: `The ${name} ${problem}`, cause });
  if (bytes.length > MOST_LOGO_BYTES) throw refusal('must not be larger than 5 MB');
  const format = detectFormat(bytes);
  if (format === undefined) {
    throw refusal('must be a PNG, JPEG, WebP or SVG image; its content decides, not its name');
  }
  const problem = format === 'SVG' ? svgProblem(new TextDecoder().decode(bytes)) : undefined;
  if (problem !== undefined) throw refusal(problem);
  const drawing = await draw(bytes);
  if (drawing.problem !== undefined) throw refusal(problemIn(drawing, format), drawing.message);
  return { webp: drawing.webp };
}

/** Detects the format by the first bytes, because a file name or a header can be wrong. */
function detectFormat(bytes: Uint8Array): Format | undefined {
  const head = Buffer.from(bytes.subarray(0, 64)).toString('latin1');
  if (head.startsWith('\x89PNG\r\n\x1a\n')) return 'PNG';
  if (head.startsWith('\xff\xd8\xff')) return 'JPEG';
  if (/^RIFF[\s\S]{4}WEBP/.test(head)) return 'WebP';
  return /^(\xef\xbb\xbf)?\s*</.test(head) ? 'SVG' : undefined;
}

type Drawing =
  | { readonly webp: Buffer; readonly problem: undefined }
  | { readonly problem: 'unreadable' | 'slow' | 'fatal'; readonly message: string };

const TOO_LARGE = /pixel limit|exceed|too large/i;

/** Throws if pictures cannot be drawn at all, whatever their content. */
async function draw(picture: Uint8Array): Promise<Drawing> {
  const timeout = DRAWING_SECONDS * 1000;
  const child = spawn(process.execPath, [DRAW_LOGO], { env: {}, timeout, killSignal: 'SIGKILL' });
  // The child may end before it has read everything. Its exit code gives the reason.
  child.stdin.on('error', () => {});
  child.stdin.end(picture);
  const ended = new Promise<number | null>((resolve, reject) => {
    child.once('error', reject);
    child.once('close', resolve);
  });
  const [webp, stderr, code] = await Promise.all([buffer(child.stdout), buffer(child.stderr), ended]);
  const message = stderr.toString();
  if (code === 0) return { webp, problem: undefined };
  if (code === NO_LIBRARY) throw new ApiError(SETTINGS.pictures_unavailable, { cause: message });
  if (code === UNREADABLE) return { problem: 'unreadable', message };
  // A signal ended it: ours after the timeout, otherwise its own or that of a crash.
  if (code === null) return { problem: child.killed ? 'slow' : 'fatal', message };
  throw new Error(`Logos cannot be rendered here: ${/^\w*Error\b.*/m.exec(message)?.[0] ?? message}`);
}

/** Explains how to fix the picture, which the library's messages do not. */
function problemIn({ problem, message }: Extract<Drawing, { message: string }>, format: Format): string {
  if (problem === 'slow') return `cannot be rendered within ${DRAWING_SECONDS} seconds: simplify it`;
  if (TOO_LARGE.test(message)) {
    return 'cannot be rendered: it has more pixels or parts than a logo needs; 512 by 512 pixels are enough';
  }
  return problem === 'fatal'
    ? `cannot be rendered: the program that read it as ${format} crashed`
    : `cannot be read as ${format}: it is damaged, cut off or empty`;
}

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
