/**
 * Content lines, RFC 5545 §3.1: unfolding, and the name, parameters and value of one line. In linear time. A
 * line that cannot be read is left out; the others are not affected.
 */
import { ICalendarError } from './icalendar-error.ts';

export type ContentLine = {
  /** In upper case. */
  readonly name: string;
  /** Values by name in upper case; unquoted, RFC 6868 undone. */
  readonly parameters: ReadonlyMap<string, readonly string[]>;
  /** Still escaped: the caller knows the value's type. */
  readonly value: string;
};

/** Text from bytes. Lines may be folded in the middle of a UTF-8 character, so folds are undone first. */
export function decodeICalendar(bytes: Uint8Array): string {
  const unfolded = Buffer.alloc(bytes.length);
  let length = 0;
  for (let index = 0; index < bytes.length; index += 1) {
    const fold = foldAt(bytes, index);
    if (fold > 0) index += fold - 1;
    else unfolded[length++] = bytes[index] ?? 0;
  }
  return new TextDecoder().decode(unfolded.subarray(0, length));
}

const [TAB, LINE_FEED, CARRIAGE_RETURN, SPACE] = [9, 10, 13, 32];

/** The length of the fold that begins there, or 0. */
function foldAt(bytes: Uint8Array, index: number): number {
  const lineEnd = bytes[index] === CARRIAGE_RETURN ? 2 : 1;
  if (bytes[index + lineEnd - 1] !== LINE_FEED) return 0;
  const next = bytes[index + lineEnd];
  return next === SPACE || next === TAB ? lineEnd + 1 : 0;
}

/** Lines as they are folded; ten times what the largest calendars in use have. */
const MOST_LINES = 200_000;

/**
 * The unfolded lines that are not empty. Bare line feeds and carriage returns end lines too. Throws ICalendarError for
 * more than 200,000 lines.
 */
export function* unfoldLines(text: string): Generator<string> {
  let parts: string[] = [];
  for (const line of foldedLines(text)) {
    if (line.startsWith(' ') || line.startsWith('\t')) parts.push(line.slice(1));
    else {
      if (parts.length > 0) yield parts.join('');
      parts = line === '' ? [] : [line];
    }
  }
  if (parts.length > 0) yield parts.join('');
}

function* foldedLines(text: string): Generator<string> {
  let at = text.startsWith('\uFEFF') ? 1 : 0;
  let carriageReturn = text.indexOf('\r');
  let count = 0;
  while (at < text.length) {
    count += 1;
    if (count > MOST_LINES) throw new ICalendarError('The calendar has more than 200,000 lines');
    if (carriageReturn !== -1 && carriageReturn < at) carriageReturn = text.indexOf('\r', at);
    const lineFeed = text.indexOf('\n', at);
    const ends = [carriageReturn, lineFeed].filter((end) => end !== -1);
    const end = Math.min(text.length, ...ends);
    yield text.slice(at, end);
    at = end + (text.startsWith('\r\n', end) ? 2 : 1);
  }
}

/** No line in use has a hundredth of this before its value. */
const LONGEST_PARAMETERS = 50_000;

/** `undefined` for a line without a name or without a value. */
export function parseContentLine(line: string): ContentLine | undefined {
  const nameMatch = /^\s*([\w-]+)/.exec(line);
  if (nameMatch?.[1] === undefined) return undefined;
  const parameters = new Map<string, readonly string[]>();
  let at = nameMatch[0].length;
  while (line[at] === ';') {
    const end = endOfZone(line, at + 1) ?? endOfParameter(line, at + 1);
    if (end === undefined) return undefined;
    const equals = line.indexOf('=', at + 1);
    // A parameter without a value means nothing, but what follows it may.
    if (equals !== -1 && equals < end) {
      const name = line
        .slice(at + 1, equals)
        .trim()
        .toUpperCase();
      parameters.set(name, parameterValues(line.slice(equals + 1, end)));
    }
    at = end;
  }
  if (line[at] !== ':') return undefined;
  return { name: nameMatch[1].toUpperCase(), parameters, value: line.slice(at + 1) };
}

/**
 * Exchange writes `TZID=tzone://Microsoft/Custom` and `TZID=(UTC+01:00) Paris` without the quotes a colon needs: such a
 * zone ends before the date.
 */
function endOfZone(line: string, from: number): number | undefined {
  UNQUOTED_ZONE.lastIndex = from;
  const match = UNQUOTED_ZONE.exec(line);
  return match === null ? undefined : from + match[0].length;
}

const UNQUOTED_ZONE = /TZID=[^";]{1,200}?(?=:\d{8}|;)/iy;

/** The first `;` or `:` outside quotes; `undefined` when there is none within reach. */
function endOfParameter(line: string, from: number): number | undefined {
  const end = Math.min(line.length, LONGEST_PARAMETERS);
  let quoted = false;
  for (let at = from; at < end; at += 1) {
    const character = line[at];
    if (character === '"') quoted = !quoted;
    else if (!quoted && (character === ';' || character === ':')) return at;
  }
  return undefined;
}

/** Splits at the commas outside quotes. */
function parameterValues(text: string): string[] {
  // What stands at odd places of the pieces between quotes stood inside them.
  const pieces = text.split('"');
  const values = [''];
  for (const [index, piece] of pieces.entries()) {
    const [first = '', ...others] = index % 2 === 1 ? [piece] : piece.split(',');
    values.push(`${values.pop() ?? ''}${first}`, ...others);
  }
  return values.map((value) => value.replace(/\^[n'^]/g, undoCaret));
}

/** RFC 6868 §3. */
const undoCaret = (pair: string): string => (pair === '^n' ? '\n' : pair === "^'" ? '"' : '^');

/** The first value of a parameter. */
export const parameterOf = ({ parameters }: ContentLine, name: string): string | undefined =>
  parameters.get(name)?.[0];

/** A longer text is cut. */
const LONGEST_TEXT = 500_000;

/** Undoes the escapes of a TEXT value, RFC 5545 §3.3.11. */
export function textOf(property: ContentLine): string {
  const value = property.value.slice(0, LONGEST_TEXT);
  if (!value.includes('\\')) return value;
  return value.replace(/\\([\\;,:"nN])/g, (_pair, character: string) =>
    character === 'n' || character === 'N' ? '\n' : character,
  );
}
