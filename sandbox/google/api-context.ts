/** The context of an API request: the user, the granted permission, and the calendar. */
import type { FaultEffect } from '../core/faults.ts';
import { SandboxRefusal } from '../core/sandbox-refusal.ts';
import type { SandboxAnswer } from '../core/sandbox-server.ts';
import type { ShownMessage } from '../core/sent-messages.page.ts';
import type { Channels } from './channels.ts';
import type { MeetMaker } from './conferences.ts';
import type { Viewer } from './event-view.ts';
import { showsBusyOnly } from './google-scopes.ts';
import type { GoogleCalendar, GooglePerson, GoogleStore, ListEntry } from './google-store.ts';
import type { GoogleHabits } from './habits.ts';
import { guestLimit, zone } from './query.ts';

export type ApiContext = {
  readonly store: GoogleStore;
  readonly channels: Channels;
  readonly meets: MeetMaker;
  readonly person: GooglePerson;
  /** Google's own scopes, as granted. */
  readonly scopes: readonly string[];
  readonly params: Readonly<Record<string, string>>;
  readonly query: URLSearchParams;
  readonly headers: Readonly<Record<string, string | readonly string[] | undefined>>;
  readonly body: string;
  readonly effects: readonly FaultEffect[];
  readonly now: number;
  readonly origin: string;
  readonly eventsPerPage: number;
  readonly habits: GoogleHabits;
  /** The messages that were emailed so far; changed in place. */
  readonly sent: ShownMessage[];
};

export type ApiHandler = (context: ApiContext) => SandboxAnswer | Promise<SandboxAnswer>;

export const notFound = (): SandboxRefusal => new SandboxRefusal(404, 'notFound', 'Not Found');

export type OpenCalendar = {
  readonly calendar: GoogleCalendar;
  readonly entry: ListEntry;
  readonly viewer: Viewer;
};

/** Returns the calendar of the path; `primary` is the person's own. Fails with 404 if it is not in their list. */
export function calendarOf(context: ApiContext): OpenCalendar {
  const { store, person, params, scopes, query, origin, habits } = context;
  const calendarId = params.calendarId ?? 'primary';
  const { calendar, entry } = calendarNamed(store, person, calendarId);
  const viewer: Viewer = {
    role: entry.role,
    busyOnly: showsBusyOnly(scopes),
    timeZone: zone(query, calendar.timeZone),
    origin,
    cancelledDetails: habits.cancelledDetails,
    mostGuests: Math.min(guestLimit(query), habits.mostGuests),
  };
  return { calendar, entry, viewer };
}

export function calendarNamed(store: GoogleStore, person: GooglePerson, named: string) {
  const id = named === 'primary' ? person.email : named;
  const calendar = store.calendars.get(id);
  const entry = person.list.get(id);
  if (calendar === undefined || entry === undefined || entry.deleted) throw notFound();
  return { calendar, entry };
}

/** Fails with 403 for readers. */
export function writableCalendarOf(context: ApiContext): OpenCalendar {
  const open = calendarOf(context);
  if (!/reader/i.test(open.entry.role)) return open;
  throw new SandboxRefusal(403, 'requiredAccessLevel', 'You need to have writer access to this calendar.');
}
