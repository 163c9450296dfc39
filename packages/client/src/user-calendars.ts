/** All calls of one user. */
import type { Subscribed, Subscription } from './api-types.ts';
import type {
  Availability,
  AvailabilityQuery,
  Calendar,
  CalendarList,
  ConnectionStatus,
  Done,
  FreeBusy,
  FreeBusyQuery,
  Instant,
  Provider,
  ReadProblem,
} from './calendar-shapes.ts';
import { type CalendarWrites, calendarWrites } from './calendar-writes.ts';
import { type EventReads, eventReads } from './event-reads.ts';
import type { EventPlace } from './event-shapes.ts';
import { type EventWrites, eventWrites } from './event-writes.ts';
import { queryOf, type UserCall } from './user-call.ts';

/** The calls of one user. All fail with KalendsError, or with ReauthorizationRequired if the grant has ended. */
export type UserCalendars = EventReads &
  EventWrites &
  CalendarWrites & {
    /** Returns the accounts that the user connected, and their health. */
    connectionStatus(): Promise<ConnectionStatus>;
    /** Disconnects an account, or all of the provider. */
    disconnect(provider: Provider, account?: string): Promise<Done>;
    /** Returns the calendars of all accounts. */
    calendars(): Promise<CalendarList>;
    /** Returns when the user is busy, over all selected calendars. */
    freeBusy(query: FreeBusyQuery): Promise<FreeBusy>;
    /** Returns slots in which the user is free. */
    availability(query: AvailabilityQuery): Promise<Availability>;
    /** Returns the calendars whose changes are delivered. */
    subscriptions(): Promise<{ readonly subscriptions: readonly Subscription[] }>;
    /** Gives the deliveries of a calendar your own channel id, or resumes them after `unsubscribe`. */
    subscribe(
      place: EventPlace,
      how?: { readonly channelId?: string; readonly expiration?: Instant },
    ): Promise<Subscribed>;
    /** Ends the deliveries of a calendar, pending ones too. */
    unsubscribe(channel: { readonly provider: Provider; readonly channelId: string }): Promise<Done>;
  };

/** Returns the calls of one user. */
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
      // The body is a bare array, as documented; a header lists what is missing from it.
      return { calendars: body as readonly Calendar[], errors: problemsIn(headers) };
    },

    freeBusy: (query) => call.body({ method: 'GET', path: '/free-busy', query: queryOf(query) }),

    // The call writes nothing, so it is safe to repeat.
    availability: (query) =>
      call.body({ method: 'POST', path: '/availability', json: query, repeatable: true }),

    subscriptions: () => call.body({ method: 'GET', path: '/subscriptions' }),

    subscribe({ provider, calendarId, account }, { channelId, expiration } = {}) {
      const until = expiration === undefined ? undefined : new Date(expiration).getTime();
      const json = { provider, calendarId, account, channelId, expiration: until };
      return call.body({ method: 'POST', path: '/subscribe-webhook', json, repeatable: true });
    },

    unsubscribe: ({ provider, channelId }) =>
      call.body({
        method: 'POST',
        path: '/unsubscribe-webhook',
        json: { provider, channelId },
        repeatable: true,
      }),
  };
}

function problemsIn(headers: Headers): readonly ReadProblem[] {
  const text = headers.get('kalends-errors');
  // The service writes it as JSON.
  return text === null ? [] : (JSON.parse(text) as readonly ReadProblem[]);
}
