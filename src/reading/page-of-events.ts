/** Reads one page of a sorted listing: small listings at once, others in pieces and without event content. */

import { setImmediate } from 'node:timers/promises';
import { mainThreadTurn, splitIntoPieces } from './event-pieces.ts';
import {
  type EventPosition,
  type EventReader,
  type MirroredSeries,
  nameOfRow,
  type ReadingUser,
  type SeriesPlace,
  type SeriesRow,
  type SingleName,
} from './event-reader.ts';
import {
  cutPage,
  type EventPage,
  endOfPage,
  type ListedCalendar,
  type NamedEvent,
  namedInstance,
  namedSingle,
  type PageRequest,
  timesOfCalendar,
} from './expand-calendar.ts';
import { type ExpandDeps, expandElsewhere, expandHere, mainThreadBudget } from './expand-elsewhere.ts';
import type { LeftOut } from './freshness.ts';
import type { Turns } from './read-turns.ts';

export type PageDeps = ExpandDeps & {
  readonly events: EventReader;
  readonly heavyReads: Turns;
  readonly wholeReads: Turns;
};

/** The maximum total bytes of calendars that are read at once. */
const SMALL_BYTES = 8_000_000;

/** Larger reads wait for a slot, so that few hold their content at a time. */
const AT_ONCE = 1_000_000;

type Listed = {
  readonly user: ReadingUser;
  readonly calendars: readonly ListedCalendar[];
  readonly signal: AbortSignal;
};

/** Returns at most `pageSize` events after `after`. Throws 429 like Turns, and the reason of an aborted `signal`. */
export async function pageOfEvents(
  request: PageRequest,
  { user, calendars, signal }: Listed,
  deps: PageDeps,
): Promise<EventPage> {
  if (calendars.length === 0) return { events: [], more: false, leftOut: [] };
  const bytes = calendars.reduce((sum, calendar) => sum + calendar.bytes, 0);
  const whole = () => smallPage(request, calendars, deps);
  let page: EventPage | undefined;
  if (bytes <= AT_ONCE) page = await whole();
  else if (bytes <= SMALL_BYTES)
    page = await deps.wholeReads.run(user, () => mainThreadTurn().then(whole), signal);
  if (page !== undefined) return page;
  return deps.heavyReads.run(
    user,
    (owner) => heavyPage(request, calendars, { ...deps, owner, signal }),
    signal,
  );
}

/** Returns `undefined` if the expansion exceeds the main thread's budget. */
async function smallPage(
  { window, singleEvents, pageSize, after, search = [], originals }: PageRequest,
  calendars: readonly ListedCalendar[],
  { events: reader }: PageDeps,
): Promise<EventPage | undefined> {
  const keys = calendars.map(({ calendarKey }) => calendarKey);
  const limit = pageSize + 1;
  const [singles, series] = await Promise.all([
    reader.singleEvents(keys, { window, after, limit, search, originals }),
    reader.seriesIn(keys, { window, search, originals }),
  ]);
  const events = singles.map(namedSingle);
  if (series.length === 0) return cutPage(events, pageSize, []);

  // Events that start after a full page's last single event are not on the page.
  const last = events[limit - 1];
  let end = Math.min(window.end, last ? last.startsAt + 1 : window.end);
  const budget = mainThreadBudget();
  await mainThreadTurn();
  const zones = new Map(calendars.map(({ calendarKey, timeZone }) => [calendarKey, timeZone]));
  for (const [calendarKey, ofCalendar] of Map.groupBy(series, (one) => one.calendarKey)) {
    const times = timesOfCalendar({ calendarKey, timeZone: zones.get(calendarKey) ?? 'UTC' }, ofCalendar);
    // A master is sorted by its start, but is listed for any instance in the window.
    const until = singleEvents ? end : window.end;
    const range = { window: { ...window, end: until }, after, limit, singleEvents };
    const expanded = expandHere(times, range, budget);
    if (expanded === undefined) return undefined;
    for (const occurrence of expanded.found) events.push(namedInstance(occurrence, ofCalendar, singleEvents));
    end = endOfPage(events, limit, end);
  }
  return cutPage(events, pageSize, []);
}

type HeavyDeps = ExpandDeps & {
  readonly events: EventReader;
  readonly owner: string;
  readonly signal: AbortSignal;
};

/** The limits of a read per calendar: series, characters of their times, bytes of searched text. */
const MOST_SERIES = 20_000;
const MOST_TIMES = 8_000_000;
const MOST_SEARCHED = 64_000_000;
/** The number of names, and of series rows, in one statement. */
const NAMES_AT_ONCE = 2_000;
const ROWS_AT_ONCE = 1_000;

async function heavyPage(
  request: PageRequest,
  calendars: readonly ListedCalendar[],
  deps: HeavyDeps,
): Promise<EventPage> {
  const { window, singleEvents, pageSize, after } = request;
  const { signal } = deps;
  const limit = pageSize + 1;
  const events: NamedEvent[] = [];
  const leftOut: LeftOut[] = [];
  let end = window.end;
  for (const { calendarKey } of calendars) {
    const page = await readMatchingSingles(calendarKey, { ...request, window: { ...window, end } }, deps);
    if (page.isOver) leftOut.push({ calendarKey, part: 'search' });
    for (const single of page.singles) events.push(namedSingle(single));
    end = endOfPage(events, limit, end);
    await turn(signal);
  }
  const budget = mainThreadBudget();
  for (const calendar of calendars) {
    const { calendarKey } = calendar;
    // A master is sorted by its start, but is listed for any instance in the window.
    const until = singleEvents ? end : window.end;
    const range = { window: { ...window, end: until }, after, limit, singleEvents };
    const { series, over } = await readMatchingSeries(
      calendarKey,
      { ...request, window: range.window },
      deps,
    );
    const times = timesOfCalendar(calendar, series);
    await mainThreadTurn();
    const expanded = expandHere(times, range, budget) ?? (await expandElsewhere(times, range, deps));
    for (const occurrence of expanded.found) events.push(namedInstance(occurrence, series, singleEvents));
    for (const place of expanded.tooComplex)
      leftOut.push({ calendarKey, part: 'series', id: series[place]?.id ?? '' });
    if (over !== undefined) leftOut.push({ calendarKey, part: over });
    if (expanded.isOver) leftOut.push({ calendarKey, part: 'recurring' });
    end = endOfPage(events, limit, end);
    await turn(signal);
  }
  return cutPage(events, pageSize, leftOut);
}

/** Lets other work run. Throws the reason of an aborted signal. */
async function turn(signal: AbortSignal): Promise<void> {
  await setImmediate();
  signal.throwIfAborted();
}

/** Returns the calendar's first single events that match the search. */
async function readMatchingSingles(
  calendarKey: string,
  { window, after: first, pageSize, search = [] }: PageRequest,
  { events: reader, signal }: HeavyDeps,
): Promise<{ singles: readonly SingleName[]; isOver: boolean }> {
  const limit = pageSize + 1;
  const singles: SingleName[] = [];
  let searched = 0;
  for (let after: EventPosition | undefined = first; singles.length < limit; await turn(signal)) {
    const count = search.length > 0 ? NAMES_AT_ONCE : Math.min(NAMES_AT_ONCE, limit - singles.length);
    const names = await reader.singleNames(calendarKey, { window, after, limit: count });
    if (search.length === 0) singles.push(...names);
    else {
      for (const piece of splitIntoPieces(names, ({ searched: bytes }) => bytes)) {
        for (const part of piece) searched += part.searched;
        if (searched > MOST_SEARCHED) return { singles, isOver: true };
        const matching = await reader.matching(calendarKey, piece, search);
        singles.push(...piece.filter((one) => matching.has(nameOfRow(one))));
        await turn(signal);
      }
    }
    after = names.at(-1);
    if (names.length < count) break;
  }
  return { singles, isOver: false };
}

/** Returns the calendar's matching series that can have instances in the window. */
async function readMatchingSeries(
  calendarKey: string,
  { window, search = [] }: PageRequest,
  { events: reader, signal }: HeavyDeps,
): Promise<{
  readonly series: readonly MirroredSeries[];
  readonly over: 'recurring' | 'search' | undefined;
}> {
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
    for (let atOnce = 50; ids.length > 0; await turn(signal)) {
      const read = await reader.seriesRows(calendarKey, ids.splice(0, atOnce));
      atOnce = nextAtOnce(atOnce, read);
      for (const { searched: bytes, ...one } of read) {
        characters += one.rows.reduce((sum, { timing }) => sum + timing.length, 0);
        searched += search.length > 0 ? bytes.reduce((sum, of) => sum + of, 0) : 0;
        if (searched > MOST_SEARCHED) return { series, over: 'search' };
        if (search.length > 0) await turn(signal);
        const matches =
          search.length > 0 ? await matchingSeries({ ...one, searched: bytes }, search, reader) : one;
        if (matches !== undefined) series.push(matches);
      }
      if (characters > MOST_TIMES) return { series, over: 'recurring' };
    }
    after = masters.at(-1);
    if (masters.length < NAMES_AT_ONCE) return { series, over: undefined };
    if (count >= MOST_SERIES) return { series, over: 'recurring' };
  }
}

/** Returns the number of series to read next, whose rows should fit into one statement. */
function nextAtOnce(atOnce: number, read: readonly MirroredSeries[]): number {
  const rows = read.reduce((sum, one) => sum + one.rows.length, 0);
  return Math.max(1, Math.min(atOnce * 2, Math.floor((atOnce * ROWS_AT_ONCE) / Math.max(rows, 1))));
}

/** Returns the series with its matches; `undefined` if no event has all terms. */
async function matchingSeries(
  { searched, ...one }: MirroredSeries & { readonly searched: readonly number[] },
  search: readonly string[],
  reader: HeavyDeps['events'],
): Promise<MirroredSeries | undefined> {
  const matching = new Set<string>();
  const sizes = new Map(one.rows.map((row, i) => [row, searched[i] ?? 0]));
  for (const piece of splitIntoPieces<SeriesRow>(one.rows, (row) => sizes.get(row) ?? 0)) {
    for (const name of await reader.matching(one.calendarKey, piece, search)) matching.add(name);
  }
  if (matching.size === 0) return undefined;
  return { ...one, rows: one.rows.map((row) => ({ ...row, matches: matching.has(nameOfRow(row)) })) };
}
