/** Content lines, RFC 5545 §3.1: unfolds them and parses names, parameters and values in linear time. */
import { type ResourceBudget, resourceBudget, spend, TooComplexError } from './resource-budget.ts';

export type ContentLine = {
  /** In upper case. */
  readonly name: string;
  /** Values by name in upper case; unquoted, RFC 6868 undone. */
  readonly parameters: ReadonlyMap<string, readonly string[]>;
  /** Still escaped: the caller knows the value's type. */
  readonly value: string;
};

/** Decodes bytes to text. If lines are folded in the middle of a UTF-8 character, folds are undone first. */
export function decodeICalendar(bytes: Uint8Array): string {
  if (!hasCutCharacter(bytes)) return new TextDecoder().decode(bytes);
  const unfolded = Buffer.alloc(bytes.length);
  let length = 0;
  for (let index = 0; index < bytes.length; index += 1) {
    const fold = foldAt(bytes, index);
    if (fold > 0) index += fold - 1;
    else unfolded[length++] = bytes[index] ?? 0;
  }
  return new TextDecoder().decode(unfolded.subarray(0, length));
}

/** Returns whether a fold splits a UTF-8 character. */
function hasCutCharacter(bytes: Uint8Array): boolean {
  for (let at = bytes.indexOf(LINE_FEED); at !== -1; at = bytes.indexOf(LINE_FEED, at + 1)) {
    const fold = foldAt(bytes, at);
    if (fold > 0 && ((bytes[at + fold] ?? 0) & 0b1100_0000) === 0b1000_0000) return true;
  }
  return false;
}

const [TAB, LINE_FEED, CARRIAGE_RETURN, SPACE] = [9, 10, 13, 32];

/** Returns the length of the fold that begins there, or 0. */
function foldAt(bytes: Uint8Array, index: number): number {
  const lineEnd = bytes[index] === CARRIAGE_RETURN ? 2 : 1;
  if (bytes[index + lineEnd - 1] !== LINE_FEED) return 0;
  const next = bytes[index + lineEnd];
  return next === SPACE || next === TAB ? lineEnd + 1 : 0;
}

/**
 * Returns the unfolded lines that are not empty. Bare line feeds end lines too. Bare carriage returns do only if the
 * first line ends in one: inside a stranger's text they would begin other lines. Throws TooComplexError.
 */
export function unfoldLines(written: string, budget = resourceBudget()): string[] {
  const text = endsInReturns(written) ? written.replaceAll('\r', '\n') : written;
  const lines: string[] = [];
  /** The pieces of the current line if it is folded. */
  let parts: string[] = [];
  const join = () => {
    if (parts.length > 0) lines.push(`${lines.pop() ?? ''}${parts.join('')}`);
    parts = [];
  };
  // A fold after an empty line continues nothing: it is a line of its own.
  let isBegun = false;
  for (let at = text.startsWith('\uFEFF') ? 1 : 0; at < text.length; ) {
    spend(budget, 'lines');
    const lineFeed = text.indexOf('\n', at);
    const next = lineFeed === -1 ? text.length : lineFeed + 1;
    let end = lineFeed === -1 ? text.length : lineFeed;
    while (end > at && text.charCodeAt(end - 1) === CARRIAGE_RETURN) end -= 1;
    const first = text.charCodeAt(at);
    if ((first === SPACE || first === TAB) && end > at) {
      if (isBegun) parts.push(text.slice(at + 1, end));
      else lines.push(text.slice(at + 1, end));
      isBegun = true;
    } else {
      join();
      isBegun = end > at;
      if (isBegun) lines.push(text.slice(at, end));
    }
    at = next;
  }
  join();
  return lines;
}

/** Returns whether the lines of a text end in bare carriage returns, judged by its first line. */
export const endsInReturns = (text: string): boolean => /^[^\r\n]*\r(?![\r\n])/.test(text);

/** Real lines have less than a hundredth of this before their value. */
const LONGEST_PARAMETERS = 50_000;
const MOST_PARAMETERS = 100;

/** Parses a line; `undefined` without a name or a value. Throws TooComplexError over `budget` or 100 parameters. */
export function parseContentLine(line: string, budget?: ResourceBudget): ContentLine | undefined {
  const nameMatch = /^\s*([\w-]+)/.exec(line);
  if (nameMatch?.[1] === undefined) return undefined;
  const parameters = new Map<string, readonly string[]>();
  let at = nameMatch[0].length;
  for (let count = 1; line[at] === ';'; count += 1) {
    if (count > MOST_PARAMETERS) throw new TooComplexError('it has a line with more than 100 parameters');
    const end = endOfZone(line, at + 1) ?? endOfParameter(line, at + 1);
    if (end === undefined) return undefined;
    const parameter = line.slice(at + 1, end);
    const equals = parameter.indexOf('=');
    // A parameter without a value means nothing, but the rest of the line may.
    const values = equals === -1 ? [] : parameterValues(parameter.slice(equals + 1), budget);
    if (budget !== undefined) {
      spend(budget, 'parameters', Math.max(1, values.length));
      spend(budget, 'parameterCharacters', parameter.length);
    }
    if (equals !== -1) parameters.set(parameter.slice(0, equals).trim().toUpperCase(), values);
    at = end;
  }
  if (line[at] !== ':') return undefined;
  return { name: nameMatch[1].toUpperCase(), parameters, value: line.slice(at + 1) };
}

/** Finds the end of an unquoted TZID with colons, such as Exchange's `TZID=(UTC+01:00) Paris`. */
function endOfZone(line: string, from: number): number | undefined {
  UNQUOTED_ZONE.lastIndex = from;
  const match = UNQUOTED_ZONE.exec(line);
  return match === null ? undefined : from + match[0].length;
}

const UNQUOTED_ZONE = /TZID=[^";]{1,200}?(?=:(?:\d{8}|\s{0,9}[A-Z][A-Z-]{3,19}\s{0,9}=)|;)/iy;

/** Returns the position of the first `;` or `:` outside quotes; `undefined` if there is none within reach. */
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

/** Splits at the commas outside quotes. Quotes and carets count as escapes. */
function parameterValues(text: string, budget: ResourceBudget | undefined): string[] {
  if (!/[",^]/.test(text)) return [text];
  // Pieces with odd indexes were inside quotes.
  const pieces = text.split('"');
  const values = [''];
  for (const [index, piece] of pieces.entries()) {
    const [first = '', ...others] = index % 2 === 1 ? [piece] : piece.split(',');
    values.push(`${values.pop() ?? ''}${first}`);
    for (const other of others) values.push(other);
  }
  let escapes = pieces.length;
  /** RFC 6868 §3. */
  const undoCaret = (pair: string): string => {
    escapes += 1;
    return pair === '^n' ? '\n' : pair === "^'" ? '"' : '^';
  };
  const read = values.map((value) => value.replace(/\^[n'^]/g, undoCaret));
  if (budget !== undefined) spend(budget, 'escapes', escapes);
  return read;
}

export const findParameter = ({ parameters }: ContentLine, name: string): string | undefined =>
  parameters.get(name)?.[0];

/** Limits a text. A longer one is cut. */
const LONGEST_TEXT = 500_000;

/** Undoes the escapes of a TEXT value (RFC 5545 §3.3.11). Throws TooComplexError for more than `budget` has left. */
export function unescapeText(property: ContentLine, budget?: ResourceBudget): string {
  const value = property.value.slice(0, LONGEST_TEXT);
  let backslash = value.indexOf('\\');
  if (backslash === -1) return value;
  const pieces: string[] = [];
  let at = 0;
  for (; backslash !== -1; backslash = value.indexOf('\\', backslash + 2)) {
    const unescaped = ESCAPED.get(value[backslash + 1] ?? '');
    if (unescaped === undefined) continue;
    pieces.push(value.slice(at, backslash), unescaped);
    at = backslash + 2;
  }
  if (budget !== undefined) spend(budget, 'escapes', pieces.length / 2);
  return pieces.join('') + value.slice(at);
}

const ESCAPED = new Map([...'\\;,:"'].map((character) => [character, character]));
ESCAPED.set('n', '\n').set('N', '\n');
