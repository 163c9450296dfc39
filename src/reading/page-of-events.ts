/**
 * One page of a sorted listing, without what its events say where that is much: single events come from a query,
 * recurring ones from expanding their series. What is small is read whole and at once; for the rest see heavy-page.ts.
 */
import type { EventReader, ReadingUser } from './event-reader.ts';
import { type ExpandDeps, expandHere, mainThreadBudget } from './expand-elsewhere.ts';
import { heavyPage } from './heavy-page.ts';
import {
  type EventPage,
  endOfPage,
  type ListedCalendar,
  namedInstance,
  namedSingle,
  type PageRequest,
  pageOf,
  timesOfCalendar,
} from './named-events.ts';
import type { Turns } from './read-turns.ts';
import { mainThreadTurn } from './row-pieces.ts';

export type PageDeps = ExpandDeps & {
  readonly events: EventReader;
  readonly heavyReads: Turns;
  readonly wholeReads: Turns;
};

/** The most bytes that chosen calendars may take together for all that is theirs to be read at once. */
const SMALL_BYTES = 8_000_000;

/** What takes more waits for its turn on the main thread, and few such reads hold what they read. */
const AT_ONCE = 1_000_000;

/** The events behind `after`, at most `pageSize`. Throws 429 as Turns does. */
export async function pageOfEvents(
  request: PageRequest,
  { user, calendars }: { readonly user: ReadingUser; readonly calendars: readonly ListedCalendar[] },
  deps: PageDeps,
): Promise<EventPage> {
  if (calendars.length === 0) return { events: [], more: false, leftOut: [] };
  const bytes = calendars.reduce((sum, calendar) => sum + calendar.bytes, 0);
  const whole = () => smallPage(request, calendars, deps);
  let page: EventPage | undefined;
  if (bytes <= AT_ONCE) page = await whole();
  else if (bytes <= SMALL_BYTES) page = await deps.wholeReads.run(user, () => mainThreadTurn().then(whole));
  if (page !== undefined) return page;
  return deps.heavyReads.run(user, (owner) => heavyPage(request, calendars, { ...deps, owner }));
}

/** `undefined` where following the rules takes more than the main thread has for a read. */
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
  if (series.length === 0) return pageOf(events, pageSize, []);

  // What starts after the last single event of a full page is not on it.
  const last = events[limit - 1];
  let end = Math.min(window.end, last ? last.startsAt + 1 : window.end);
  const budget = mainThreadBudget();
  await mainThreadTurn();
  const zones = new Map(calendars.map(({ calendarKey, timeZone }) => [calendarKey, timeZone]));
  for (const [calendarKey, ofCalendar] of Map.groupBy(series, (one) => one.calendarKey)) {
    const times = timesOfCalendar({ calendarKey, timeZone: zones.get(calendarKey) ?? 'UTC' }, ofCalendar);
    // A master stands at its start, but is there by an instance that can be anywhere in the window.
    const until = singleEvents ? end : window.end;
    const wanted = { window: { ...window, end: until }, after, limit, singleEvents };
    const expanded = expandHere(times, wanted, budget);
    if (expanded === undefined) return undefined;
    for (const found of expanded.found) events.push(namedInstance(found, ofCalendar, singleEvents));
    end = endOfPage(events, limit, end);
  }
  return pageOf(events, pageSize, []);
}
