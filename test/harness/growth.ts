/**
 * Sizes as an attacker picks them: most are small, a few are as large as the limit on reading from a server. About one
 * size in 10^k is 10^k or more, so that a million inputs have every size and take a millisecond each.
 */
import { mkdtempSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';

import fc from 'fast-check';

/** The length limit of texts from a server. */
export const MOST_TEXT = 10_000_000;

type Trials = { readonly numRuns: number; readonly examples?: readonly string[] };

/**
 * Tries the examples, then random texts. Fails with the seed, and with the text in a file: it may have megabytes, so it
 * is neither shrunk nor printed.
 */
export function assertOfGrown(texts: fc.Arbitrary<string>, check: (text: string) => void, trials: Trials) {
  const { numRuns, examples = [] } = trials;
  const found = fc.check(fc.property(fc.noShrink(texts), check), {
    numRuns,
    examples: examples.map((text): [string] => [text]),
    endOnFailure: true,
  });
  if (!found.failed) return;
  const [text = ''] = found.counterexample ?? [];
  const file = path.join(mkdtempSync(path.join(tmpdir(), 'kalends-input-')), 'input.txt');
  writeFileSync(file, text);
  throw new Error(`Failed with seed ${found.seed} on ${file}: ${text.slice(0, 300)}`, {
    cause: found.errorInstance,
  });
}

/**
 * Returns the limit for reading a text from a server, in milliseconds of processor time: short text is read on the main
 * thread (`MOST_AT_ONCE` in src/providers/caldav/dav/dav-reading.ts), longer text in a thread that is ended after two
 * seconds.
 */
export const readingLimit = (text: string): number => (text.length <= READ_HERE ? 100 : 2000);

const READ_HERE = 16_000;

const FINEST = 2 ** 30;

/** Returns sizes from 1 on, heavy-tailed and unbiased: fast-check would otherwise try the largest again and again. */
export const growingSize = (most: number): fc.Arbitrary<number> =>
  fc.noBias(fc.integer({ min: 1, max: FINEST })).map((place) => Math.min(most, Math.floor(FINEST / place)));

/** Repeats a piece; each `#` in it becomes a number from 10 to 99, which differs from one to the next. */
export const grown = (pieces: fc.Arbitrary<string>, most = 1_000_000): fc.Arbitrary<string> =>
  fc.tuple(pieces, growingSize(most)).map(([piece, size]) => repeated(piece, size));

const NUMBERS = 90;

/** Repeats the piece `size` times, but to no more than MOST_TEXT characters. */
export function repeated(piece: string, size: number): string {
  const count = Math.min(size, Math.max(1, Math.floor(MOST_TEXT / Math.max(1, piece.length))));
  if (!piece.includes('#')) return piece.repeat(count);
  const numbered = (from: number, to: number) => {
    const parts: string[] = [];
    for (let index = from; index < to; index += 1) parts.push(piece.replaceAll('#', String(index + 10)));
    return parts.join('');
  };
  const whole = count < NUMBERS ? '' : numbered(0, NUMBERS).repeat(Math.floor(count / NUMBERS));
  return whole + numbered(0, count % NUMBERS);
}

/** Returns the text as if it came from a server: decoded from bytes, and cut to MOST_TEXT. */
export const received = (text: string): string => Buffer.from(text.slice(0, MOST_TEXT)).toString();
