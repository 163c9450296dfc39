/** What the events of a page say, read from the mirror piece by piece, so that a page is never held whole. */
import { setImmediate as turn } from 'node:timers/promises';

import type { Timing } from '../calendars/mirrored-event.ts';
import { type EventContent, type EventReader, nameOfRow, type RowName } from './event-reader.ts';
import { type ListedEvent, recurrenceObject } from './event-text.ts';
import type { NamedEvent } from './named-events.ts';
import { inPieces, piecesOf } from './row-pieces.ts';

export type PieceDeps = {
  readonly events: Pick<EventReader, 'contentsOf'>;
  /** Time zones by calendar key. */
  readonly zones: ReadonlyMap<string, string>;
  /** Whether the provider's own objects are shown. */
  readonly originals: boolean;
};

/** The events in order, those that are still there. */
export async function* eventPieces(
  events: readonly NamedEvent[],
  deps: PieceDeps,
): AsyncGenerator<readonly ListedEvent[], void> {
  // An event of a series says the same in each of its instances: what the piece before had is not read again.
  let read = new Map<string, EventContent>();
  for (const piece of inPieces(events)) {
    if (read.size > 0) await turn();
    read = await contentsFor(piece, read, deps);
    yield piece.flatMap((event) => listedEvent(event, read, deps) ?? []);
  }
}

const keyOf = (calendarKey: string, row: RowName): string => `${calendarKey} ${nameOfRow(row)}`;

async function contentsFor(
  piece: readonly NamedEvent[],
  before: ReadonlyMap<string, EventContent>,
  { events: reader, originals }: PieceDeps,
): Promise<Map<string, EventContent>> {
  const contents = new Map<string, EventContent>();
  const missing = new Map<string, Map<string, RowName & { size: number }>>();
  for (const { calendarKey, row, master, size, stored } of piece) {
    if (stored !== undefined) continue;
    for (const one of master === undefined ? [row] : [row, master]) {
      const key = keyOf(calendarKey, one);
      const known = before.get(key);
      if (known !== undefined) contents.set(key, known);
      else {
        const rows = missing.get(calendarKey) ?? new Map();
        missing.set(calendarKey, rows.set(key, { ...one, size }));
      }
    }
  }
  for (const [calendarKey, rows] of missing) {
    for (const some of piecesOf([...rows.values()], ({ size }) => size)) {
      const found = await reader.contentsOf(calendarKey, some, originals);
      for (const row of some) {
        const content = found.get(nameOfRow(row));
        if (content !== undefined) contents.set(keyOf(calendarKey, row), content);
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
  const own = stored ?? contents.get(keyOf(calendarKey, row));
  if (own === undefined) return undefined;
  const ofMaster = master && stored === undefined ? contents.get(keyOf(calendarKey, master)) : undefined;
  const content = ofMaster === undefined ? own : { ...own, original: ofMaster.original };
  const rules = masterTiming === undefined ? undefined : rulesOf(masterTiming, zones.get(calendarKey));
  return { calendarKey, id, startsAt, ...content, ...(times && { times }), ...rules };
}

/** The rules of a master: of a series made of overrides alone it has none. */
export function rulesOf(masterTiming: string, zone = 'UTC'): Pick<ListedEvent, 'recurrence'> {
  // Written by render-event.ts in this shape.
  const { recurrence, start }: Timing = JSON.parse(masterTiming);
  return recurrence === undefined ? {} : { recurrence: recurrenceObject(recurrence, start, zone) };
}
