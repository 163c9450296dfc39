/**
 * Sizes as an attacker picks them: most are small, a few are as large as what is read of a server at all. A size of 10^k
 * or more comes about once in 10^k times, so that a million inputs have every size and take a millisecond each.
 */
import { mkdtempSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';

import fc from 'fast-check';

/** Texts are no longer than what is read of a server. */
export const MOST_TEXT = 10_000_000;

type Trials = { readonly numRuns: number; readonly examples?: readonly string[] };

/**
 * Tries the examples, then texts by chance. Fails with the seed, and with the text in a file: it may have megabytes,
 * which are neither shrunk nor printed.
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
 * What reading a text from a server may take, in milliseconds of the processor: short text is read on the main thread
 * (`MOST_AT_ONCE` in src/providers/caldav/dav/dav-reading.ts), longer text in a thread that is ended after two seconds.
 */
export const readingLimit = (text: string): number => (text.length <= READ_HERE ? 100 : 2000);

const READ_HERE = 16_000;

const FINEST = 2 ** 30;

/** A size from 1 on, heavy-tailed. Not biased: fast-check would try the largest again and again. */
export const growingSize = (most: number): fc.Arbitrary<number> =>
  fc.noBias(fc.integer({ min: 1, max: FINEST })).map((place) => Math.min(most, Math.floor(FINEST / place)));

/** A piece many times; each `#` in it is a number from 10 to 99 that differs from one to the next. */
export const grown = (pieces: fc.Arbitrary<string>, most = 1_000_000): fc.Arbitrary<string> =>
  fc.tuple(pieces, growingSize(most)).map(([piece, size]) => repeated(piece, size));

const NUMBERS = 90;

/** The piece so many times, but no longer than a text may be. */
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

/** As it comes from a server: bytes, and no more of them than are read. */
export const received = (text: string): string => Buffer.from(text.slice(0, MOST_TEXT)).toString();
