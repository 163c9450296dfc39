/** Writing events. The mirror has each change before the call returns: a read after it shows it. */
import type { Done } from './calendar-shapes.ts';
import type {
  CalendarEvent,
  ChangeOptions,
  EventAddress,
  EventFields,
  EventPlace,
  RepeatOptions,
  ResponseOptions,
} from './event-shapes.ts';
import type { UserCall } from './user-call.ts';
import { queryOf } from './user-call.ts';

/** What an application does to a user's events. */
export type EventWrites = {
  /** Makes an event. Tried again where that is of use: under one idempotency key it is made once. */
  createEvent(place: EventPlace, event: EventFields, how?: RepeatOptions): Promise<CalendarEvent>;
  /**
   * Changes what is named; absent fields stay as they are, an empty text takes away what is there. Answers the event as
   * it is then: of a series that was split, the new part. Not tried again by itself.
   */
  updateEvent(
    address: EventAddress,
    event: Partial<EventFields>,
    how?: ChangeOptions,
  ): Promise<CalendarEvent>;
  /** Deletes an event, an instance, this and later ones, or a series. Not tried again by itself. */
  deleteEvent(address: EventAddress, how?: ChangeOptions): Promise<Done>;
  /**
   * Answers an invitation for the account's own user. `undefined` where the provider takes an event out of the calendar
   * that was declined.
   */
  respond(
    address: EventAddress,
    response: 'accepted' | 'declined' | 'tentative',
    how?: ResponseOptions,
  ): Promise<CalendarEvent | undefined>;
};

/** Of updates and creates; an answer to an invitation may have no event. */
type WriteAnswer = { readonly event?: CalendarEvent };

/** The writes of the user that calls. */
export function eventWrites(call: UserCall): EventWrites {
  const post = (path: string, json: object, idempotencyKey: string = crypto.randomUUID()) =>
    call.body<WriteAnswer>({
      method: 'POST',
      path,
      json,
      headers: { 'idempotency-key': idempotencyKey },
      repeatable: true,
    });

  return {
    async createEvent(place, event, { idempotencyKey } = {}) {
      return present(await post('/event', { ...event, ...placeOf(place) }, idempotencyKey));
    },

    async updateEvent(address, event, { mode, recurringEventId, ifMatch } = {}) {
      const json = { ...event, ...addressOf(address), recurringEventId, updateMode: mode };
      const headers = ifMatchOf(ifMatch);
      return present(await call.body<WriteAnswer>({ method: 'PUT', path: '/event', json, headers }));
    },

    deleteEvent(address, { mode, recurringEventId, ifMatch } = {}) {
      const query = queryOf({ ...addressOf(address), recurringEventId, deleteMode: mode });
      return call.body<Done>({ method: 'DELETE', path: '/event', query, headers: ifMatchOf(ifMatch) });
    },

    async respond(address, response, { mode, recurringEventId, comment, idempotencyKey } = {}) {
      const json = { ...addressOf(address), response, comment, recurringEventId, updateMode: mode };
      return (await post('/event/rsvp', json, idempotencyKey)).event;
    },
  };
}

/** Only what names the place: callers hand over whole events too. */
const placeOf = ({ provider, calendarId, account }: EventPlace) => ({ provider, calendarId, account });

const addressOf = (address: EventAddress) => ({ ...placeOf(address), eventId: address.eventId });

function present({ event }: WriteAnswer): CalendarEvent {
  if (event === undefined) throw new TypeError('The service answered a write without its event');
  return event;
}

const ifMatchOf = (etag: string | undefined): Record<string, string> =>
  etag === undefined ? {} : { 'if-match': etag };
