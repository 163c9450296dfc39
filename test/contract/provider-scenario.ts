/** The types of provider scenarios, the differences between providers, and short forms for events in them. */
import type { DraftTime, EventDraft } from '../../sandbox/core/provider-sandbox.ts';
import type { ProviderKind } from '../../src/calendars/provider-facts.ts';
import type { ReadEvent, ReadWindow } from '../providers/provider-reader.ts';
import type { Ability } from '../providers/provider-targets.ts';

/** One calendar, as its owner changes it at the provider. */
export type Scene = {
  create(draft: EventDraft): Promise<string>;
  update(id: string, draft: EventDraft): Promise<void>;
  remove(id: string): Promise<void>;
  changeOccurrence(id: string, original: DraftTime, change: Partial<EventDraft>): Promise<void>;
  deleteOccurrence(id: string, original: DraftTime): Promise<void>;
  forgetSyncTokens(): Promise<void>;
  /** Whether this provider is one of the scenario's `differs`. */
  readonly differs: boolean;
};

export type Scenario = {
  /** A rule such as "a timed event is shown …", used as the test title. */
  readonly rule: string;
  readonly needs?: Ability;
  /** The window that is read; September 2026 to August 2027 by default. */
  readonly window?: ReadWindow;
  /** Providers at which these changes have another result, and the reason. */
  readonly differs?: { readonly of: readonly ProviderKind[]; readonly because: string };
  /** Yields the events that the application must read at that moment. */
  play(scene: Scene): AsyncGenerator<readonly ReadEvent[]>;
};

/** A difference in what some providers show. `as` turns an expected event into the one that they show. */
type Difference = {
  readonly of: readonly ProviderKind[];
  readonly because: string;
  as(event: ReadEvent, person: { readonly email: string; readonly name: string }): ReadEvent;
};

/** docs/providers.md lists them under "What differs". */
export const DIFFERENCES: readonly Difference[] = [
  {
    of: ['apple', 'caldav'],
    because:
      'an organizer, whom they keep outside the guest list, is one of the attendees where there are guests',
    as: (event, person) => (event.attendees.length === 0 ? event : withOrganizer(event, person)),
  },
  {
    of: ['microsoft'],
    because: 'Exchange names an organizer for every event, guests or not',
    as: withOrganizer,
  },
];

function withOrganizer(event: ReadEvent, { email, name }: { email: string; name: string }): ReadEvent {
  const organizer = { email, name, status: 'accepted', organizer: true };
  return { ...event, attendees: [organizer, ...event.attendees] };
}

const utc = (text: string): number => Date.parse(`${text}:00Z`);
const wire = (instant: number): string => new Date(instant).toISOString();
export const windowOf = (start: string, end: string): ReadWindow => ({
  start: utc(`${start}T00:00`),
  end: utc(`${end}T00:00`),
});
export const YEAR = windowOf('2026-09-01', '2027-09-01');

/** Returns the time of a draft from a text such as `2026-10-12 09:00`. */
export const at = (text: string, timeZone: string): DraftTime => ({
  dateTime: `${text.replace(' ', 'T')}:00`,
  timeZone,
});
export const days = (start: string, end: string) => ({ start: { date: start }, end: { date: end } });
export const from = (day: string, start: string, end: string, timeZone: string) => ({
  start: at(`${day} ${start}`, timeZone),
  end: at(`${day} ${end}`, timeZone),
});

/** Returns the expected event with default values, except for `more`; times are in UTC: `2026-10-12 07:00`. */
export function timed(title: string, start: string, end: string, more: Partial<ReadEvent> = {}): ReadEvent {
  const [startsAt, endsAt] = [start, end].map((text) => wire(utc(text.replace(' ', 'T'))));
  return {
    title,
    start: startsAt ?? '',
    end: endsAt ?? '',
    allDay: false,
    recurs: false,
    status: 'confirmed',
    availability: 'busy',
    privacy: 'public',
    attendees: [],
    ...more,
  };
}
export const wholeDays = (title: string, start: string, end: string, more: Partial<ReadEvent> = {}) =>
  timed(title, `${start} 00:00`, `${end} 00:00`, { allDay: true, ...more });
/** Returns occurrences of a series that each last `minutes`. */
export const instances = (title: string, minutes: number, ...starts: readonly string[]) =>
  starts.map((start) => {
    const end = wire(utc(start.replace(' ', 'T')) + minutes * 60_000).slice(0, 16);
    return timed(title, start, end, { recurs: true });
  });
export const dayInstances = (title: string, ...starts: readonly string[]) =>
  starts.map((start) => {
    const end = wire(utc(`${start}T00:00`) + 86_400_000).slice(0, 10);
    return wholeDays(title, start, end, { recurs: true });
  });
