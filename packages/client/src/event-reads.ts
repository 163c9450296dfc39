/** Reading events and changes, page by page or all at once. */
import type { ReadProblem } from './calendar-shapes.ts';
import type {
  CalendarEvent,
  ChangesPage,
  ChangesQuery,
  EventAddress,
  EventPlace,
  EventsPage,
  EventsQuery,
} from './event-shapes.ts';
import { queryOf, type UserCall } from './user-call.ts';

/** The reads of a user's events. */
export type EventReads = {
  /**
   * Yields all events of the window, page by page, sorted by start. `onProblems` receives the accounts whose events may
   * be old or missing; without it they are ignored.
   */
  events(
    query?: EventsQuery,
    onProblems?: (errors: readonly ReadProblem[]) => void,
  ): AsyncGenerator<CalendarEvent, void, undefined>;
  /** One page; the next one needs its `nextPageToken` and may choose another `pageSize`. */
  eventsPage(query?: EventsQuery & { readonly nextPageToken?: string }): Promise<EventsPage>;
  /** One event, by the id of a single event, of an instance, or of a series. */
  event(address: EventAddress): Promise<CalendarEvent>;
  /** One event by its id alone; `place` is needed if several calendars have an event with this id. */
  eventById(id: string, place?: Partial<EventPlace>): Promise<CalendarEvent>;
  /**
   * Yields all changes since the cursor, page by page, and then ends: call it again later with the last page's cursor.
   * Fails with code `cursor_expired` (status 410) if the cursor is too old: then begin again with `initial`.
   */
  changes(from?: ChangesQuery): AsyncGenerator<ChangesPage, void, undefined>;
  /** Returns one page of changes. */
  changesPage(from?: ChangesQuery): Promise<ChangesPage>;
};

/** Returns the reads of one user. */
export function eventReads(call: UserCall): EventReads {
  const get = <T>(path: string, query: object) =>
    call.body<T>({ method: 'GET', path, query: queryOf({ ...query }) });
  const eventsPage: EventReads['eventsPage'] = (query = {}) => get('/events', query);
  const changesPage: EventReads['changesPage'] = (from = {}) => get('/events/changes', from);

  return {
    eventsPage,
    changesPage,

    async *events(query = {}, onProblems) {
      let page = await eventsPage(query);
      for (;;) {
        if (page.errors !== undefined) onProblems?.(page.errors);
        yield* page.events;
        if (page.nextPageToken === undefined) return;
        const { pageSize } = page;
        page = await eventsPage({ pageSize, nextPageToken: page.nextPageToken });
      }
    },

    async *changes({ cursor, initial, pageSize } = {}) {
      const size = pageSize === undefined ? {} : { pageSize };
      const first = cursor === undefined ? (initial === undefined ? {} : { initial }) : { cursor };
      let page = await changesPage({ ...first, ...size });
      for (;;) {
        yield page;
        if (!page.more) return;
        page = await changesPage({ cursor: page.cursor, ...size });
      }
    },

    event: ({ provider, calendarId, account, eventId }) =>
      get('/event', { provider, calendarId, account, eventId }),

    eventById: (id, { provider, calendarId, account } = {}) =>
      get(`/events/${encodeURIComponent(id)}`, { provider, calendarId, account }),
  };
}
