/**
 * A page out of calendars that are too large, or whose rules take too long, to be read and followed at once. They are read
 * one by one, without what their events say, in pieces with turns of the event loop between; their rules are followed in a
 * thread. What is over the budget of a calendar is left out and named.
 */
import { setImmediate as turn } from 'node:timers/promises';

import {
  type EventPosition,
  type EventReader,
  type MirroredSeries,
  nameOfRow,
  type SeriesPlace,
  type SeriesRow,
  type SingleName,
} from './event-reader.ts';
import { type ExpandDeps, expandElsewhere, expandHere, mainThreadBudget } from './expand-elsewhere.ts';
import type { LeftOut } from './left-out.ts';
import {
  type EventPage,
  endOfPage,
  type ListedCalendar,
  type NamedEvent,
  namedInstance,
  namedSingle,
  type PageRequest,
  pageOf,
  timesOfCalendar,
} from './named-events.ts';
import { mainThreadTurn, piecesOf } from './row-pieces.ts';

export type HeavyDeps = ExpandDeps & { readonly events: EventReader; readonly owner: string };

/** What one calendar may take of a read: series, characters of their times, bytes of text that is searched. */
const MOST_SERIES = 20_000;
const MOST_TIMES = 8_000_000;
const MOST_SEARCHED = 64_000_000;
/** How many names, and rows of series, one statement may look at. */
const NAMES_AT_ONCE = 2_000;
const ROWS_AT_ONCE = 1_000;

/** The events behind `after`, at most `pageSize`. */
export async function heavyPage(
  request: PageRequest,
  calendars: readonly ListedCalendar[],
  deps: HeavyDeps,
): Promise<EventPage> {
  const { window, singleEvents, pageSize, after } = request;
  const limit = pageSize + 1;
  const events: NamedEvent[] = [];
  const leftOut: LeftOut[] = [];
  let end = window.end;
  for (const { calendarKey } of calendars) {
    const found = await singlesOf(calendarKey, { ...request, window: { ...window, end } }, deps);
    if (found.isOver) leftOut.push({ calendarKey, part: 'search' });
    for (const one of found.singles) events.push(namedSingle(one));
    end = endOfPage(events, limit, end);
    await turn();
  }
  const budget = mainThreadBudget();
  for (const calendar of calendars) {
    const { calendarKey } = calendar;
    // A master stands at its start, but is there by an instance that can be anywhere in the window.
    const until = singleEvents ? end : window.end;
    const wanted = { window: { ...window, end: until }, after, limit, singleEvents };
    const { series, over } = await seriesOf(calendarKey, { ...request, window: wanted.window }, deps);
    const times = timesOfCalendar(calendar, series);
    await mainThreadTurn();
    const expanded = expandHere(times, wanted, budget) ?? (await expandElsewhere(times, wanted, deps));
    for (const found of expanded.found) events.push(namedInstance(found, series, singleEvents));
    for (const place of expanded.tooComplex)
      leftOut.push({ calendarKey, part: 'series', id: series[place]?.id ?? '' });
    if (over !== undefined) leftOut.push({ calendarKey, part: over });
    if (expanded.isOver) leftOut.push({ calendarKey, part: 'recurring' });
    end = endOfPage(events, limit, end);
    await turn();
  }
  return pageOf(events, pageSize, leftOut);
}

/** The calendar's first single events, those alone that are searched for. */
async function singlesOf(
  calendarKey: string,
  { window, after: first, pageSize, search = [] }: PageRequest,
  { events: reader }: HeavyDeps,
): Promise<{ singles: readonly SingleName[]; isOver: boolean }> {
  const limit = pageSize + 1;
  const singles: SingleName[] = [];
  let searched = 0;
  for (let after: EventPosition | undefined = first; singles.length < limit; await turn()) {
    const asked = search.length > 0 ? NAMES_AT_ONCE : Math.min(NAMES_AT_ONCE, limit - singles.length);
    const names = await reader.singleNames(calendarKey, { window, after, limit: asked });
    if (search.length === 0) singles.push(...names);
    else {
      for (const piece of piecesOf(names, ({ searched: bytes }) => bytes)) {
        for (const one of piece) searched += one.searched;
        if (searched > MOST_SEARCHED) return { singles, isOver: true };
        const matching = await reader.matching(calendarKey, piece, search);
        singles.push(...piece.filter((one) => matching.has(nameOfRow(one))));
        await turn();
      }
    }
    after = names.at(-1);
    if (names.length < asked) break;
  }
  return { singles, isOver: false };
}

type Loaded = {
  readonly series: readonly MirroredSeries[];
  readonly over: 'recurring' | 'search' | undefined;
};

/** The calendar's series that can have instances in the window; those alone of which any event is searched for. */
async function seriesOf(
  calendarKey: string,
  { window, search = [] }: PageRequest,
  { events: reader }: HeavyDeps,
): Promise<Loaded> {
  const series: MirroredSeries[] = [];
  let [count, characters, searched] = [0, 0, 0];
  for (let after: SeriesPlace | undefined; ; ) {
    const masters: SeriesPlace[] = await reader.mastersIn(calendarKey, {
      window,
      after,
      limit: NAMES_AT_ONCE,
    });
    count += masters.length;
    const ids = masters.map(({ id }) => id);
    for (let atOnce = 50; ids.length > 0; await turn()) {
      const read = await reader.seriesRows(calendarKey, ids.splice(0, atOnce));
      atOnce = nextAtOnce(atOnce, read);
      for (const { searched: bytes, ...one } of read) {
        characters += one.rows.reduce((sum, { timing }) => sum + timing.length, 0);
        searched += search.length > 0 ? bytes.reduce((sum, of) => sum + of, 0) : 0;
        if (searched > MOST_SEARCHED) return { series, over: 'search' };
        if (search.length > 0) await turn();
        const found =
          search.length > 0 ? await matchingSeries({ ...one, searched: bytes }, search, reader) : one;
        if (found !== undefined) series.push(found);
      }
      if (characters > MOST_TIMES) return { series, over: 'recurring' };
    }
    after = masters.at(-1);
    if (masters.length < NAMES_AT_ONCE) return { series, over: undefined };
    if (count >= MOST_SERIES) return { series, over: 'recurring' };
  }
}

/** So many series that their rows are about as many as one statement may read. */
function nextAtOnce(atOnce: number, read: readonly MirroredSeries[]): number {
  const rows = read.reduce((sum, one) => sum + one.rows.length, 0);
  return Math.max(1, Math.min(atOnce * 2, Math.floor((atOnce * ROWS_AT_ONCE) / Math.max(rows, 1))));
}

/** `undefined` where none of its events has all the words. */
async function matchingSeries(
  { searched, ...one }: MirroredSeries & { readonly searched: readonly number[] },
  search: readonly string[],
  reader: HeavyDeps['events'],
): Promise<MirroredSeries | undefined> {
  const matching = new Set<string>();
  const sizes = new Map(one.rows.map((row, i) => [row, searched[i] ?? 0]));
  for (const piece of piecesOf<SeriesRow>(one.rows, (row) => sizes.get(row) ?? 0)) {
    for (const name of await reader.matching(one.calendarKey, piece, search)) matching.add(name);
  }
  if (matching.size === 0) return undefined;
  return { ...one, rows: one.rows.map((row) => ({ ...row, matches: matching.has(nameOfRow(row)) })) };
}
