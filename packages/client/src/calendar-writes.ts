/** Writing calendars themselves. The list has each change before the call returns. */
import type { Calendar, CalendarChange, CalendarFields, Done, Provider } from './calendar-shapes.ts';
import type { EventPlace, RepeatOptions } from './event-shapes.ts';
import { queryOf, type UserCall } from './user-call.ts';

/** What an application does to a user's calendars. What a provider has no way to do is refused with status 422. */
export type CalendarWrites = {
  /**
   * Makes a calendar in an account of the provider, which must be named where there are several. Not tried again by
   * itself: Google would make another.
   */
  createCalendar(
    place: { readonly provider: Provider; readonly account?: string },
    calendar: CalendarFields,
    how?: RepeatOptions,
  ): Promise<Calendar>;
  /** Changes what is named; an empty description is taken away. Answers the calendar as it is then. */
  updateCalendar(place: EventPlace, change: CalendarChange): Promise<Calendar>;
  /** Deletes a calendar with all its events. */
  deleteCalendar(place: EventPlace): Promise<Done>;
};

type WriteAnswer = { readonly calendar: Calendar };

/** The writes of the user that calls. */
export function calendarWrites(call: UserCall): CalendarWrites {
  return {
    async createCalendar({ provider, account }, calendar, { idempotencyKey } = {}) {
      const json = { ...calendar, provider, account };
      const headers = { 'idempotency-key': idempotencyKey ?? crypto.randomUUID() };
      return (await call.body<WriteAnswer>({ method: 'POST', path: '/calendars', json, headers })).calendar;
    },

    async updateCalendar(place, change) {
      const json = { ...change, ...placeOf(place) };
      return (await call.body<WriteAnswer>({ method: 'PUT', path: '/calendars', json })).calendar;
    },

    deleteCalendar: (place) =>
      call.body<Done>({ method: 'DELETE', path: '/calendars', query: queryOf(placeOf(place)) }),
  };
}

/** Only what names the place: callers hand over whole calendars too. */
const placeOf = ({ provider, calendarId, account }: EventPlace) => ({ provider, calendarId, account });
