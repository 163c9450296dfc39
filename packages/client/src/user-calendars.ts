/** One user's calendars: every call carries a valid access token, and is repeated once with a new one after 401. */
import type {
  BusyInterval,
  Calendar,
  CalendarEvent,
  ConnectionStatus,
  EventAddress,
  EventFields,
  EventsPage,
  EventsQuery,
  Instant,
  Provider,
  SeriesMode,
} from './calendar-shapes.ts';
import { KalendsError } from './kalends-error.ts';
import { type Call, type SendOptions, send } from './send.ts';
import type { TokenKeeper } from './tokens.ts';

export type EventPlace = { readonly provider: Provider; readonly calendarId: string };

export type WriteOptions = {
  /** Makes a repetition harmless for 24 hours; one is drawn when absent. */
  readonly idempotencyKey?: string;
};

export type ChangeOptions = {
  readonly mode?: SeriesMode;
  /** The master's id, where `eventId` is an instance's and the service cannot tell. */
  readonly recurringEventId?: string;
  /** The `etag` the change is based on: refused with status 412 when the event has another by now. */
  readonly ifMatch?: string;
};

export type Change = {
  readonly changeType: 'created' | 'updated' | 'deleted';
  readonly event: Partial<CalendarEvent> & Pick<CalendarEvent, 'provider' | 'id' | 'calendarId'>;
};

export type ChangesPage = {
  readonly changes: readonly Change[];
  readonly cursor: string;
  readonly more: boolean;
};

export type FreeBusy = { readonly busy: readonly BusyInterval[] };

export type UserCalendars = ReturnType<typeof userCalendars>;

/** The calls of one user. All fail with KalendsError; ReauthorizationRequired when the grant has ended. */
export function userCalendars(keeper: TokenKeeper, options: SendOptions) {
  const call = async <T>(request: Call): Promise<T> => {
    const withToken = async (token: string) => {
      const headers = { ...request.headers, authorization: `Bearer ${token}` };
      // The service's documentation states the answer's type.
      return (await send({ ...request, headers }, options)) as T;
    };
    const token = await keeper.accessToken();
    try {
      return await withToken(token);
    } catch (error) {
      if (!(error instanceof KalendsError) || error.status !== 401) throw error;
      return withToken(await keeper.renewed(token));
    }
  };
  const write = (request: Call, { idempotencyKey = crypto.randomUUID() }: WriteOptions = {}) =>
    call<CalendarEvent>({ ...request, headers: { 'idempotency-key': idempotencyKey }, repeatable: true });
  const eventsPage = (query: EventsQuery & { readonly nextPageToken?: string } = {}) =>
    call<EventsPage>({ method: 'GET', path: '/events', query: queryOf(query) });

  return {
    connectionStatus: () => call<ConnectionStatus>({ method: 'GET', path: '/connection-status' }),

    /** All accounts of the provider when `account` is absent. */
    disconnect: (provider: Provider, account?: string) =>
      call<{ readonly success: boolean }>({
        method: 'POST',
        path: '/disconnect',
        query: queryOf({ provider, account }),
        json: {},
        repeatable: true,
      }),

    calendars: () => call<readonly Calendar[]>({ method: 'GET', path: '/calendars' }),

    eventsPage,

    /** All events of the window, over all pages. What could not be served is in the pages' `errors`. */
    async *events(query: EventsQuery = {}): AsyncGenerator<CalendarEvent, void, undefined> {
      let page = await eventsPage(query);
      for (;;) {
        yield* page.events;
        if (page.nextPageToken === undefined) return;
        page = await eventsPage({ ...query, nextPageToken: page.nextPageToken });
      }
    },

    event: (address: EventAddress) =>
      call<CalendarEvent>({ method: 'GET', path: '/event', query: queryOf(address) }),

    createEvent: (place: EventPlace, event: EventFields, how?: WriteOptions) =>
      write({ method: 'POST', path: '/event', json: { ...place, ...event } }, how),

    /** Fields that are absent stay as they are. */
    updateEvent: (address: EventAddress, event: Partial<EventFields>, how: ChangeOptions = {}) => {
      const { mode, recurringEventId, ifMatch } = how;
      return call<CalendarEvent>({
        method: 'PUT',
        path: '/event',
        json: { ...address, ...event, recurringEventId, updateMode: mode },
        headers: ifMatchOf(ifMatch),
      });
    },

    deleteEvent: (address: EventAddress, { mode, recurringEventId, ifMatch }: ChangeOptions = {}) =>
      call<{ readonly success: boolean }>({
        method: 'DELETE',
        path: '/event',
        query: queryOf({ ...address, recurringEventId, deleteMode: mode }),
        headers: ifMatchOf(ifMatch),
      }),

    respond: (
      address: EventAddress,
      response: 'accepted' | 'declined' | 'tentative',
      how: { readonly comment?: string } = {},
    ) => call<CalendarEvent>({ method: 'POST', path: '/event/rsvp', json: { ...address, response, ...how } }),

    freeBusy: (query: {
      readonly start: Instant;
      readonly end: Instant;
      readonly calendarIds?: EventsQuery['calendarIds'];
      readonly timeZone?: string;
    }) => call<FreeBusy>({ method: 'GET', path: '/free-busy', query: queryOf(query) }),

    changesPage: (cursor?: string) =>
      call<ChangesPage>({ method: 'GET', path: '/events/changes', query: queryOf({ cursor }) }),
  };
}

const ifMatchOf = (etag: string | undefined): Record<string, string> =>
  etag === undefined ? {} : { 'if-match': etag };

/** Absent members are left out; instants and lists become what the service reads. */
function queryOf(members: Readonly<Record<string, unknown>>): URLSearchParams {
  const query = new URLSearchParams();
  for (const [name, value] of Object.entries(members)) {
    if (value === undefined) continue;
    if (value instanceof Date) query.set(name, value.toISOString());
    else query.set(name, typeof value === 'object' ? JSON.stringify(value) : String(value));
  }
  return query;
}
