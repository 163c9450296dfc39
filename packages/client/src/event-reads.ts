/** Reading events and changes, page by page or all at once. */
import type { ReadProblem } from './calendar-shapes.ts';
import type {
  CalendarEvent,
  ChangesPage,
  ChangesQuery,
  EventAddress,
  EventsPage,
  EventsQuery,
} from './event-shapes.ts';
import { queryOf, type UserCall } from './user-call.ts';

/** What an application reads of a user's events. */
export type EventReads = {
  /**
   * All events of the window, page after page, sorted by start. `onProblems` hears of the accounts whose events may be old or
   * missing; without it they are passed over.
   */
  events(
    query?: EventsQuery,
    onProblems?: (errors: readonly ReadProblem[]) => void,
  ): AsyncGenerator<CalendarEvent, void, undefined>;
  /** One page; the next one needs its `nextPageToken` and may choose another `pageSize`. */
  eventsPage(query?: EventsQuery & { readonly nextPageToken?: string }): Promise<EventsPage>;
  /** One event, by the id of a single event, of an instance, or of a series. */
  event(address: EventAddress): Promise<CalendarEvent>;
  /**
   * All changes there are since the cursor, page after page, and then it ends: run it again, later, from the last page's
   * cursor. Fails with code `cursor_expired` (status 410) when that is too old: begin again with `initial`.
   */
  changes(from?: ChangesQuery): AsyncGenerator<ChangesPage, void, undefined>;
  /** One page of them. */
  changesPage(from?: ChangesQuery): Promise<ChangesPage>;
};

/** The reads of the user that calls. */
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
  };
}
