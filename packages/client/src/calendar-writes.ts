/** Writing calendars themselves. Lists include each change before the call returns. */
import type { Calendar, CalendarChange, CalendarFields, Done, Provider } from './calendar-shapes.ts';
import type { EventPlace, RepeatOptions } from './event-shapes.ts';
import { queryOf, type UserCall } from './user-call.ts';

/**
 * The changes that an application can make to a user's calendars. If a provider does not support one, the call fails
 * with status 422.
 */
export type CalendarWrites = {
  /**
   * Creates a calendar in an account of the provider; if there are several accounts, `account` is required. The call is
   * not repeated automatically, because Google would create another calendar.
   */
  createCalendar(
    place: { readonly provider: Provider; readonly account?: string },
    calendar: CalendarFields,
    how?: RepeatOptions,
  ): Promise<Calendar>;
  /** Changes the given fields; an empty description removes it. Returns the changed calendar. */
  updateCalendar(place: EventPlace, change: CalendarChange): Promise<Calendar>;
  /** Deletes a calendar with all its events. */
  deleteCalendar(place: EventPlace): Promise<Done>;
};

type WriteAnswer = { readonly calendar: Calendar };

/** Returns the calendar writes of one user. */
export function calendarWrites(call: UserCall): CalendarWrites {
  return {
    async createCalendar({ provider, account }, calendar, { idempotencyKey } = {}) {
      const json = { ...calendar, provider, account };
      const headers = { 'idempotency-key': idempotencyKey ?? crypto.randomUUID() };
      return (await call.body<WriteAnswer>({ method: 'POST', path: '/calendars', json, headers })).calendar;
    },

    async updateCalendar(place, change) {
      const json = { ...change, ...pickPlace(place) };
      return (await call.body<WriteAnswer>({ method: 'PUT', path: '/calendars', json })).calendar;
    },

    deleteCalendar: (place) =>
      call.body<Done>({ method: 'DELETE', path: '/calendars', query: queryOf(pickPlace(place)) }),
  };
}

/** Returns only the fields that identify the calendar: callers pass whole calendars too. */
const pickPlace = ({ provider, calendarId, account }: EventPlace) => ({ provider, calendarId, account });
