/** Reads the content of a page's events from the mirror in pieces, so that no page is in memory as a whole. */

import { setImmediate as turn } from 'node:timers/promises';
import type { Timing } from '../calendars/mirrored-event.ts';
import type { Piece } from '../lib/rendered-json.ts';
import { type EventContent, type EventReader, nameOfRow, type RowName } from './event-reader.ts';
import type { ListedEvent } from './event-text.ts';
import type { NamedEvent } from './expand-calendar.ts';
import { recurrenceObject } from './recurrence-object.ts';

export type PieceDeps = {
  readonly events: Pick<EventReader, 'contentsOf'>;
  /** Time zones by calendar key. */
  readonly zones: ReadonlyMap<string, string>;
  /** Whether the provider's own objects are shown. */
  readonly originals: boolean;
};

/** Yields the existing events in order. Holds one piece, and the content that the next piece shares with it. */
export async function* eventPieces(
  events: readonly NamedEvent[],
  deps: PieceDeps,
): AsyncGenerator<readonly ListedEvent[], void> {
  // Instances of a series share content: the next piece reuses the content of the previous one.
  let read = new Map<string, EventContent>();
  const pieces = [...inPieces(events)];
  for (const piece of pieces) {
    if (pieces.length > 1) await mainThreadTurn();
    let contents: Map<string, EventContent> | undefined = await contentsFor(piece, read, deps);
    read = shared(piece, contents);
    const listed = piece.flatMap((event) => listedEvent(event, contents ?? read, deps) ?? []);
    // While the piece is sent, only the content for the next one is held.
    contents = undefined;
    yield listed;
  }
}

/** Returns pieces for a slow response: each is read on demand, and nothing is held in between. */
export function listedPieces(
  events: readonly NamedEvent[],
  deps: PieceDeps,
): Piece<readonly ListedEvent[]>[] {
  const pieces = [...inPieces(events)];
  return pieces.map((piece) => async () => {
    if (pieces.length > 1) await mainThreadTurn();
    const contents = await contentsFor(piece, NOTHING_READ, deps);
    return piece.flatMap((event) => listedEvent(event, contents, deps) ?? []);
  });
}

const NOTHING_READ: ReadonlyMap<string, EventContent> = new Map();

/** Returns the contents that further instances can share. */
function shared(piece: readonly NamedEvent[], contents: ReadonlyMap<string, EventContent>) {
  const contentByKey = new Map<string, EventContent>();
  for (const { calendarKey, row, master, times } of piece) {
    if (times === undefined) continue;
    for (const part of master === undefined ? [row] : [row, master]) {
      const content = contents.get(toContentKey(calendarKey, part));
      if (content !== undefined) contentByKey.set(toContentKey(calendarKey, part), content);
    }
  }
  return contentByKey;
}

const toContentKey = (calendarKey: string, row: RowName): string => `${calendarKey} ${nameOfRow(row)}`;

async function contentsFor(
  piece: readonly NamedEvent[],
  before: ReadonlyMap<string, EventContent>,
  { events: reader, originals }: PieceDeps,
): Promise<Map<string, EventContent>> {
  const contents = new Map<string, EventContent>();
  const missing = new Map<string, Map<string, RowName & { size: number }>>();
  for (const { calendarKey, row, master, size, stored } of piece) {
    if (stored !== undefined) continue;
    for (const part of master === undefined ? [row] : [row, master]) {
      const key = toContentKey(calendarKey, part);
      const cached = before.get(key);
      if (cached !== undefined) contents.set(key, cached);
      else {
        const rows = missing.get(calendarKey) ?? new Map();
        missing.set(calendarKey, rows.set(key, { ...part, size }));
      }
    }
  }
  for (const [calendarKey, rows] of missing) {
    for (const some of splitIntoPieces([...rows.values()], ({ size }) => size)) {
      const fetched = await reader.contentsOf(calendarKey, some, originals);
      for (const row of some) {
        const content = fetched.get(nameOfRow(row));
        if (content !== undefined) contents.set(toContentKey(calendarKey, row), content);
      }
    }
  }
  return contents;
}

function listedEvent(
  { calendarKey, id, startsAt, row, master, stored, times, masterTiming }: NamedEvent,
  contents: ReadonlyMap<string, EventContent>,
  { zones }: PieceDeps,
): ListedEvent | undefined {
  const ownContent = stored ?? contents.get(toContentKey(calendarKey, row));
  if (ownContent === undefined) return undefined;
  const { content: text, original, etag } = ownContent;
  if (times === undefined) return { calendarKey, id, startsAt, content: text, original, etag };
  const ofMaster =
    master && stored === undefined ? contents.get(toContentKey(calendarKey, master)) : undefined;
  const content = ofMaster === undefined ? ownContent : { ...ownContent, original: ofMaster.original };
  const rules = masterTiming === undefined ? undefined : renderRules(masterTiming, zones.get(calendarKey));
  return { calendarKey, id, startsAt, ...content, ...(times && { times }), ...rules };
}

/** Returns the rules of a master; a series of overrides alone has none. */
export function renderRules(masterTiming: string, zone = 'UTC'): Pick<ListedEvent, 'recurrence'> {
  // render-event.ts wrote it in this shape.
  const { recurrence, start }: Timing = JSON.parse(masterTiming);
  return recurrence === undefined ? {} : { recurrence: recurrenceObject(recurrence, start, zone) };
}

/** The bytes of text that one statement may search. */
const BYTES_AT_ONCE = 1_000_000;
/** A statement looks for each href with each recurrence id. */
const PAIRS_AT_ONCE = 4_000;

/** Splits a calendar's rows into pieces for one statement each; a single row may exceed the limit. */
export function splitIntoPieces<T extends RowName>(rows: readonly T[], bytesOf: (row: T) => number): T[][] {
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

const PIECE_BYTES = 256_000;

/** Yields the items in pieces of about 256 kB in a response; a larger item is a separate piece. */
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

/** Waits for this read's turn to work for a few milliseconds: one read works per turn of the event loop. */
export function mainThreadTurn(): Promise<void> {
  lastBegun = lastBegun.then(() => turn());
  return lastBegun;
}
