/** All calls of one user. */
import type {
  Availability,
  AvailabilityQuery,
  Calendar,
  CalendarList,
  ConnectionStatus,
  Done,
  FreeBusy,
  FreeBusyQuery,
  Provider,
  ReadProblem,
} from './calendar-shapes.ts';
import { type CalendarWrites, calendarWrites } from './calendar-writes.ts';
import { type EventReads, eventReads } from './event-reads.ts';
import { type EventWrites, eventWrites } from './event-writes.ts';
import { queryOf, type UserCall } from './user-call.ts';

/** The calls of one user. All fail with KalendsError; ReauthorizationRequired when the grant has ended. */
export type UserCalendars = EventReads &
  EventWrites &
  CalendarWrites & {
    /** The accounts the user connected, and how they do. */
    connectionStatus(): Promise<ConnectionStatus>;
    /** Lets go of an account, or of all of the provider. */
    disconnect(provider: Provider, account?: string): Promise<Done>;
    /** The calendars of all accounts. */
    calendars(): Promise<CalendarList>;
    /** When the user is busy, over all chosen calendars. */
    freeBusy(query: FreeBusyQuery): Promise<FreeBusy>;
    /** Slots in which the user is free. */
    availability(query: AvailabilityQuery): Promise<Availability>;
  };

/** The calls of the user that calls. */
export function userCalendars(call: UserCall): UserCalendars {
  return {
    ...eventReads(call),
    ...eventWrites(call),
    ...calendarWrites(call),

    connectionStatus: () => call.body({ method: 'GET', path: '/connection-status' }),

    disconnect: (provider, account) =>
      call.body({
        method: 'POST',
        path: '/disconnect',
        query: queryOf({ provider, account }),
        json: {},
        repeatable: true,
      }),

    async calendars() {
      const { body, headers } = await call.answer({ method: 'GET', path: '/calendars' });
      // A bare array, as documented; what it lacks is told in a header.
      return { calendars: body as readonly Calendar[], errors: problemsIn(headers) };
    },

    freeBusy: (query) => call.body({ method: 'GET', path: '/free-busy', query: queryOf(query) }),

    // Nothing is written: to repeat it is harmless.
    availability: (query) =>
      call.body({ method: 'POST', path: '/availability', json: query, repeatable: true }),
  };
}

function problemsIn(headers: Headers): readonly ReadProblem[] {
  const text = headers.get('kalends-errors');
  // The service writes it as JSON.
  return text === null ? [] : (JSON.parse(text) as readonly ReadProblem[]);
}
