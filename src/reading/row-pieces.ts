/** Pieces of work of bounded size, and turns on the main thread to do them in. */
import { setImmediate as turn } from 'node:timers/promises';

import type { RowName } from './event-reader.ts';

/** Bytes of text that one statement may look at. */
const BYTES_AT_ONCE = 1_000_000;
/** A statement looks for each href with each recurrence id. */
const PAIRS_AT_ONCE = 4_000;

/** Rows of a calendar in pieces that one statement may look at; one row can be more. */
export function piecesOf<T extends RowName>(rows: readonly T[], bytesOf: (row: T) => number): T[][] {
  const pieces: T[][] = [];
  const hrefs = new Set<string>();
  const recurrences = new Set<string>();
  let [piece, bytes]: [T[], number] = [[], 0];
  for (const row of rows) {
    bytes += bytesOf(row);
    hrefs.add(row.href);
    recurrences.add(row.recurrenceId);
    if (piece.length > 0 && (bytes > BYTES_AT_ONCE || hrefs.size * recurrences.size > PAIRS_AT_ONCE)) {
      pieces.push(piece);
      [piece, bytes] = [[], bytesOf(row)];
      hrefs.clear();
      recurrences.clear();
      hrefs.add(row.href);
      recurrences.add(row.recurrenceId);
    }
    piece.push(row);
  }
  return piece.length > 0 ? [...pieces, piece] : pieces;
}

/** About how many bytes of an answer a piece is. */
const PIECE_BYTES = 256_000;

/** What an answer has, in pieces of PIECE_BYTES; one that is larger is a piece by itself. */
export function* inPieces<T extends { readonly size: number }>(all: readonly T[]): Generator<readonly T[]> {
  let [from, bytes] = [0, 0];
  for (const [i, { size }] of all.entries()) {
    if (i > from && bytes + size > PIECE_BYTES) {
      yield all.slice(from, i);
      [from, bytes] = [i, 0];
    }
    bytes += size;
  }
  if (from < all.length) yield all.slice(from);
}

let lastBegun = Promise.resolve();

/** Waits until this read may do a piece of work of a few milliseconds: of all reads, one does so per turn of the event loop. */
export function mainThreadTurn(): Promise<void> {
  lastBegun = lastBegun.then(() => turn());
  return lastBegun;
}
