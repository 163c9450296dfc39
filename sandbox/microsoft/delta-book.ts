/**
 * `calendarView/delta`: what changed in a window since a link was given. The window is baked into the link; the
 * tokens in links mean nothing to clients. Since events are replaced and never altered, remembering a calendar is
 * keeping its list of events, and only those that differ need expanding.
 */
import { randomText } from '../../src/lib/random-text.ts';
import type { TimeWindow } from '../../src/lib/recurrence/series.ts';
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
  readonly entries: readonly DeltaEntry[];
  /** What the calendar held when the round began. */
  readonly events: ReadonlyMap<string, StoredEvent>;
  readonly eventsChange: number;
};

export type DeltaPage = {
  readonly entries: readonly DeltaEntry[];
  readonly next: { readonly parameter: '$skiptoken' | '$deltatoken'; readonly token: string };
};

type Kept =
  | { readonly kind: 'page'; readonly round: DeltaRound; readonly from: number }
  | { readonly kind: 'link'; readonly round: DeltaRound };

/** Links older than the last so many of a mailbox are forgotten: (k) the real ones live as long as their sync state does. */
const MOST_TOKENS = 400;

export type DeltaBook = {
  /** The first page of everything in the window. */
  begin(owner: string, calendar: StoredCalendar, window: TimeWindow, size: number): DeltaPage;
  /** The page that a link's token leads to. Throws the 410 of a token that is not known (any more). */
  follow(owner: string, token: string, calendarOf: (id: string) => StoredCalendar, size: number): DeltaPage;
  /** Forgets the tokens of a calendar, or of all. */
  forget(owner: string, calendarId?: string): void;
};

export function deltaBook(): DeltaBook {
  const kept = new Map<string, Map<string, Kept>>();
  const keep = (owner: string, entry: Kept): string => {
    const tokens = kept.get(owner) ?? new Map<string, Kept>();
    kept.set(owner, tokens);
    const token = randomText(72);
    tokens.set(token, entry);
    const oldest = tokens.keys().next().value;
    if (tokens.size > MOST_TOKENS && oldest !== undefined) tokens.delete(oldest);
    return token;
  };
  const page = (owner: string, round: DeltaRound, from: number, size: number): DeltaPage => {
    const entries = round.entries.slice(from, from + size);
    const done = from + size >= round.entries.length;
    const token = done
      ? keep(owner, { kind: 'link', round: { ...round, entries: [] } })
      : keep(owner, { kind: 'page', round, from: from + size });
    return { entries, next: { parameter: done ? '$deltatoken' : '$skiptoken', token } };
  };
  return {
    begin: (owner, calendar, window, size) => page(owner, newRound(calendar, window, undefined), 0, size),
    follow(owner, token, calendarOf, size) {
      const found = kept.get(owner)?.get(token);
      if (found === undefined) throw syncStateNotFound();
      if (found.kind === 'page') return page(owner, found.round, found.from, size);
      const { calendarId, window } = found.round;
      return page(owner, newRound(calendarOf(calendarId), window, found.round), 0, size);
    },
    forget(owner, calendarId) {
      const tokens = kept.get(owner) ?? new Map<string, Kept>();
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
  if (since?.eventsChange === eventsChange) return { ...since, entries: [] };
  const before: ReadonlyMap<string, StoredEvent> = since?.events ?? new Map();
  const events = new Map(calendar.events);
  const entries: DeltaEntry[] = [];
  for (const [key, event] of before)
    if (!events.has(key)) entries.push(...difference(event, undefined, window));
  for (const [key, event] of events) {
    const known = before.get(key);
    if (known !== event) entries.push(...difference(known, event, window));
  }
  return { calendarId, window, entries, events, eventsChange };
}

/** What a client has to hear about one event: what is new or other, and what is no longer in the window. */
function difference(
  before: StoredEvent | undefined,
  after: StoredEvent | undefined,
  window: TimeWindow,
): DeltaEntry[] {
  const old = itemsOf(before, window);
  const now = itemsOf(after, window);
  const key = before?.key ?? after?.key ?? '';
  const changed = [...now].filter(([name, { state }]) => old.get(name)?.state !== state);
  const gone = [...old.keys()].filter((name) => !now.has(name));
  return [
    ...changed.map(([, { entry }]) => entry),
    // (k) A series that is deleted is told with every occurrence of it that the client heard of.
    ...gone.map((name): DeltaEntry => ({ kind: 'removed', key, original: name === '' ? undefined : name })),
  ];
}

type DeltaItem = { readonly state: string; readonly entry: DeltaEntry };

/** By original start; the single event or master under the empty name. A series is in the window with its occurrences. */
function itemsOf(event: StoredEvent | undefined, window: TimeWindow): ReadonlyMap<string, DeltaItem> {
  const items = new Map<string, DeltaItem>();
  const instances = event === undefined ? [] : instancesOf(event, window);
  if (event === undefined || instances.length === 0) return items;
  items.set('', { state: String(event.change), entry: { kind: 'event', event } });
  for (const instance of instances) {
    const { original, exception, start, end } = instance;
    if (original === undefined) continue;
    const kind = exception === undefined ? 'occurrence' : 'exception';
    // (k) An occurrence is told again when it takes place at another time, not when only its master changed.
    const state = exception === undefined ? `${start} ${end}` : `${exception.change} ${event.change}`;
    items.set(original, { state: `${kind} ${state}`, entry: { kind, instance } });
  }
  return items;
}

/** Whose links they are: sync states belong to a mailbox. */
export const deltaOwner = ({ oid }: Account): string => oid;
