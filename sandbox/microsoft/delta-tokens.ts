/**
 * `calendarView/delta`: the changes in a window since a link was issued. The window is part of the link's state, and
 * its tokens are opaque to clients. Events are replaced and never altered, so remembering a calendar means keeping its
 * list of events, and only events that differ need expanding.
 */

import type { TimeWindow } from '../../src/lib/recurrence/series.ts';
import { randomText } from '../../src/oauth/client-registration.ts';
import { SandboxRefusal } from '../core/sandbox-refusal.ts';
import type { Account } from './directory.ts';
import type { StoredCalendar, StoredEvent } from './mailbox.ts';
import { type EventInstance, instancesOf } from './series-instances.ts';

export type DeltaEntry =
  | { readonly kind: 'event'; readonly event: StoredEvent }
  | { readonly kind: 'exception' | 'occurrence'; readonly instance: EventInstance }
  | { readonly kind: 'removed'; readonly key: string; readonly original: string | undefined };

/** One run from a first request or a deltaLink to the next deltaLink. */
export type DeltaRound = {
  readonly calendarId: string;
  readonly window: TimeWindow;
  /** The entries by event: a series is never split over pages. */
  readonly groups: readonly (readonly DeltaEntry[])[];
  /** The events of the calendar when the round began. */
  readonly events: ReadonlyMap<string, StoredEvent>;
  readonly eventsChange: number;
};

export type DeltaPage = {
  readonly entries: readonly DeltaEntry[];
  readonly next: { readonly parameter: '$skiptoken' | '$deltatoken'; readonly token: string };
};

type TokenState =
  | { readonly kind: 'page'; readonly round: DeltaRound; readonly from: number }
  | { readonly kind: 'link'; readonly round: DeltaRound };

/** The tokens of each account; changed in place. */
export type DeltaTokenState = Map<Account, Map<string, TokenState>>;

/** The maximum of links per mailbox; older ones become invalid. No source says how long the real ones are valid. */
const MOST_TOKENS = 400;

/** The account whose sync state it is, and the number of entries in a page. */
export type DeltaReader = { readonly account: Account; readonly size: number };

export type DeltaTokens = {
  /** Returns the first page of everything in the window. */
  begin(reader: DeltaReader, calendar: StoredCalendar, window: TimeWindow): DeltaPage;
  /** Returns the page of a link's token. Throws the 410 of a token that is not (or no longer) valid. */
  follow(reader: DeltaReader, token: string, calendarOf: (id: string) => StoredCalendar): DeltaPage;
  /** Invalidates the tokens of a calendar, or of all calendars. */
  forget(account: Account, calendarId?: string): void;
};

export function deltaTokens(tokensByAccount: DeltaTokenState): DeltaTokens {
  const keep = (account: Account, entry: TokenState): string => {
    const tokens = tokensByAccount.get(account) ?? new Map<string, TokenState>();
    tokensByAccount.set(account, tokens);
    const token = randomText(72);
    tokens.set(token, entry);
    const oldest = tokens.keys().next().value;
    if (tokens.size > MOST_TOKENS && oldest !== undefined) tokens.delete(oldest);
    return token;
  };
  const page = ({ account, size }: DeltaReader, round: DeltaRound, from: number): DeltaPage => {
    const to = pageEnd(round.groups, from, size);
    const entries = round.groups.slice(from, to).flat();
    const isLast = to >= round.groups.length;
    const token = isLast
      ? keep(account, { kind: 'link', round: { ...round, groups: [] } })
      : keep(account, { kind: 'page', round, from: to });
    return { entries, next: { parameter: isLast ? '$deltatoken' : '$skiptoken', token } };
  };
  return {
    begin: (reader, calendar, window) => page(reader, newRound(calendar, window, undefined), 0),
    follow(reader, token, calendarOf) {
      const state = tokensByAccount.get(reader.account)?.get(token);
      if (state === undefined) throw syncStateNotFound();
      if (state.kind === 'page') return page(reader, state.round, state.from);
      const { calendarId, window } = state.round;
      return page(reader, newRound(calendarOf(calendarId), window, state.round), 0);
    },
    forget(account, calendarId) {
      const tokens = tokensByAccount.get(account) ?? new Map<string, TokenState>();
      for (const [token, { round }] of tokens) {
        if (calendarId === undefined || round.calendarId === calendarId) tokens.delete(token);
      }
    },
  };
}

export const syncStateNotFound = (): SandboxRefusal =>
  new SandboxRefusal(
    410,
    'SyncStateNotFound',
    'The sync state generation is not found; please restart the synchronization without a token.',
  );

function newRound(calendar: StoredCalendar, window: TimeWindow, since: DeltaRound | undefined): DeltaRound {
  const { id: calendarId, eventsChange } = calendar;
  if (since?.eventsChange === eventsChange) return { ...since, groups: [] };
  const before: ReadonlyMap<string, StoredEvent> = since?.events ?? new Map();
  const events = new Map(calendar.events);
  const deletions = [...before]
    .filter(([key]) => !events.has(key))
    .map(([, event]) => difference(event, undefined, window));
  const other = [...events]
    .filter(([key, event]) => before.get(key) !== event)
    .map(([key, event]) => difference(before.get(key), event, window));
  const groups = [...deletions, ...other].filter((entries) => entries.length > 0);
  return { calendarId, window, groups, events, eventsChange };
}

/** Returns the end of the page: as many whole groups as fit, but at least one. */
function pageEnd(groups: DeltaRound['groups'], from: number, size: number): number {
  let room = size;
  let to = from;
  while (to < groups.length && (to === from || room >= (groups[to]?.length ?? 0))) {
    room -= groups[to]?.length ?? 0;
    to += 1;
  }
  return to;
}

/**
 * Returns the entries about one event. A changed series is listed again with all its occurrences in the window; removed
 * ones are not listed, so clients notice that they are missing. Only if nothing of an event remains in the window is it
 * listed as removed, a series with every occurrence. No source confirms that.
 */
function difference(
  before: StoredEvent | undefined,
  after: StoredEvent | undefined,
  window: TimeWindow,
): readonly DeltaEntry[] {
  const now = itemsOf(after, window);
  if (now.length > 0 || before === undefined) return now;
  return itemsOf(before, window).map(
    (entry): DeltaEntry => ({ kind: 'removed', key: before.key, original: originalOf(entry) }),
  );
}

const originalOf = (entry: DeltaEntry): string | undefined =>
  entry.kind === 'exception' || entry.kind === 'occurrence' ? entry.instance.original : undefined;

/** Returns a single event, or a master before its occurrences; nothing if none of it is in the window. */
function itemsOf(event: StoredEvent | undefined, window: TimeWindow): readonly DeltaEntry[] {
  const instances = event === undefined ? [] : instancesOf(event, window);
  if (event === undefined || instances.length === 0) return [];
  const occurrences = instances
    .filter(({ original }) => original !== undefined)
    .map(
      (instance): DeltaEntry => ({
        kind: instance.exception === undefined ? 'occurrence' : 'exception',
        instance,
      }),
    );
  return [{ kind: 'event', event }, ...occurrences];
}
