/** Writes iCalendar, RFC 5545: content lines, and the text of components. */
import type { Component } from './component.ts';

/** Writes a TEXT value (§3.3.11), without characters that iCalendar or the XML around it cannot carry. */
export const escapeText = (text: string): string =>
  writable(text)
    .replace(/[\\;,]/g, '\\$&')
    .replaceAll('\n', '\\n');

const writable = (text: string): string => text.toWellFormed().replace(/\r\n?/g, '\n').replace(FORBIDDEN, '');

// biome-ignore lint/suspicious/noControlCharactersInRegex: those are what may not be written.
const FORBIDDEN = /[\x00-\x08\x0b-\x1f\x7f\ufffe\uffff]/g;

/** Parameters by name; those that are `undefined` are left out. */
export type LineParameters = Readonly<Record<string, string | readonly string[] | undefined>>;

/** Returns an unfolded line. The caller escapes `value`; line breaks in it become spaces. */
export function contentLine(name: string, parameters: LineParameters, value: string): string {
  const parameterTexts = Object.entries(parameters).map(([parameter, values]) =>
    values === undefined ? '' : `;${parameter}=${[values].flat().map(parameterText).join(',')}`,
  );
  return `${name}${parameterTexts.join('')}:${value
    .toWellFormed()
    .replace(/[\r\n]+/g, ' ')
    .replace(FORBIDDEN, '')}`;
}

/** Writes a parameter value (§3.2, RFC 6868). It is quoted only if necessary: old readers do not support quotes. */
function parameterText(text: string): string {
  const encoded = writable(text).replaceAll('^', '^^').replaceAll('\n', '^n').replaceAll('"', "^'");
  return /[:;,]/.test(encoded) ? `"${encoded}"` : encoded;
}

/** Returns the text of a component and everything in it, with folded lines that end in CRLF. */
export function writeComponent({ name, lines, components }: Component): string {
  const head = [`BEGIN:${name}`, ...lines].map((line) => `${fold(line)}\r\n`);
  return [...head, ...components.map(writeComponent), `END:${name}\r\n`].join('');
}

const MOST_OCTETS = 75;

/** Folds a line (§3.1) to at most 75 octets without splitting a character. */
function fold(line: string): string {
  if (line.length <= MOST_OCTETS && Buffer.byteLength(line) <= MOST_OCTETS) return line;
  const lines: string[] = [];
  let from = 0;
  let octets = 0;
  for (let at = 0; at < line.length; ) {
    const code = line.codePointAt(at) ?? 0;
    const length = countOctets(code);
    if (octets + length > MOST_OCTETS) {
      lines.push(line.slice(from, at));
      from = at;
      // The space that a folded line begins with.
      octets = 1;
    }
    octets += length;
    at += code > 0xffff ? 2 : 1;
  }
  return [...lines, line.slice(from)].join('\r\n ');
}

/** Returns the UTF-8 length of a code point. */
function countOctets(code: number): number {
  if (code < 0x80) return 1;
  if (code < 0x800) return 2;
  return code < 0x10000 ? 3 : 4;
}
