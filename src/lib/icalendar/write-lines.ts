/** Writing iCalendar, RFC 5545: content lines from names, parameters and values, and the text of components. */
import type { Component } from './component.ts';

/** A TEXT value, §3.3.11. Characters that iCalendar or the XML around it cannot carry are left out. */
export const escapeText = (text: string): string =>
  writable(text)
    .replace(/[\\;,]/g, '\\$&')
    .replaceAll('\n', '\\n');

const writable = (text: string): string => text.toWellFormed().replace(/\r\n?/g, '\n').replace(FORBIDDEN, '');

// biome-ignore lint/suspicious/noControlCharactersInRegex: those are what may not be written.
const FORBIDDEN = /[\x00-\x08\x0b-\x1f\x7f\ufffe\uffff]/g;

/** Parameters by name; those that are `undefined` are left out. */
export type LineParameters = Readonly<Record<string, string | readonly string[] | undefined>>;

/**
 * An unfolded line. The caller escapes `value`, since it knows the type. Line breaks in it are replaced, because they
 * would begin another line.
 */
export function contentLine(name: string, parameters: LineParameters, value: string): string {
  const parameterTexts = Object.entries(parameters).map(([parameter, values]) =>
    values === undefined ? '' : `;${parameter}=${[values].flat().map(parameterText).join(',')}`,
  );
  return `${name}${parameterTexts.join('')}:${value
    .toWellFormed()
    .replace(/[\r\n]+/g, ' ')
    .replace(FORBIDDEN, '')}`;
}

/** §3.2, with what quotes cannot hold as RFC 6868 has it. Quoted only where it must be: old readers know no quotes. */
function parameterText(text: string): string {
  const encoded = writable(text).replaceAll('^', '^^').replaceAll('\n', '^n').replaceAll('"', "^'");
  return /[:;,]/.test(encoded) ? `"${encoded}"` : encoded;
}

/** The text of a component and all within, its lines ended by CRLF and folded. */
export function writeComponent({ name, lines, components }: Component): string {
  const head = [`BEGIN:${name}`, ...lines].map((line) => `${fold(line)}\r\n`);
  return [...head, ...components.map(writeComponent), `END:${name}\r\n`].join('');
}

const MOST_OCTETS = 75;

/** §3.1: no line longer than 75 octets, and no character cut. */
function fold(line: string): string {
  if (line.length <= MOST_OCTETS && Buffer.byteLength(line) <= MOST_OCTETS) return line;
  const lines: string[] = [];
  let from = 0;
  let octets = 0;
  for (let at = 0; at < line.length; ) {
    const code = line.codePointAt(at) ?? 0;
    const length = octetsOf(code);
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

/** In UTF-8. */
function octetsOf(code: number): number {
  if (code < 0x80) return 1;
  if (code < 0x800) return 2;
  return code < 0x10000 ? 3 : 4;
}
