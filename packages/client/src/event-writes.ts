/** Writing events. The mirror has each change before the call returns, so a later read includes it. */
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

/** The changes that an application can make to a user's events. */
export type EventWrites = {
  /** Creates an event. The call is repeated if useful: with one idempotency key the event is created once. */
  createEvent(place: EventPlace, event: EventFields, how?: RepeatOptions): Promise<CalendarEvent>;
  /**
   * Changes the given fields; absent fields keep their values, and an empty text removes one. Returns the changed
   * event: if a series was split, its new part. The call is not repeated automatically.
   */
  updateEvent(
    address: EventAddress,
    event: Partial<EventFields>,
    how?: ChangeOptions,
  ): Promise<CalendarEvent>;
  /** Deletes an event, an occurrence, this and later ones, or a series. The call is not repeated automatically. */
  deleteEvent(address: EventAddress, how?: ChangeOptions): Promise<Done>;
  /**
   * Responds to an invitation for the account's own user. Returns `undefined` if the provider removes a declined event
   * from the calendar.
   */
  respond(
    address: EventAddress,
    response: 'accepted' | 'declined' | 'tentative',
    how?: ResponseOptions,
  ): Promise<CalendarEvent | undefined>;
};

/** The response of updates and creates; a response to an invitation may lack the event. */
type WriteAnswer = { readonly event?: CalendarEvent };

/** Returns the event writes of one user. */
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
      return present(await post('/event', { ...event, ...pickPlace(place) }, idempotencyKey));
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

/** Returns only the fields that identify the calendar: callers pass whole events too. */
const pickPlace = ({ provider, calendarId, account }: EventPlace) => ({ provider, calendarId, account });

const addressOf = (address: EventAddress) => ({ ...pickPlace(address), eventId: address.eventId });

function present({ event }: WriteAnswer): CalendarEvent {
  if (event === undefined) throw new TypeError('The service answered a write without its event');
  return event;
}

const ifMatchOf = (etag: string | undefined): Record<string, string> =>
  etag === undefined ? {} : { 'if-match': etag };
