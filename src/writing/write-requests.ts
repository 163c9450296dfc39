/** Parses the requests that write events. */
import { PROVIDER_KINDS } from '../calendars/provider-facts.ts';
import { type Input, oneOf, readBody, required, text } from '../http/fields.ts';
import { changeInput, EVENT_CHANGE, type EventInput } from './event-input.ts';

const MAX_ID = 2_000;
export const MODES = ['this', 'following', 'all'] as const;
export type Mode = (typeof MODES)[number];

export const ACCOUNT = {
  provider: required(oneOf(PROVIDER_KINDS, { example: 'google' })),
  account: text({ max: MAX_ID, doc: 'The id of the account, if the user has several at the provider.' }),
};
export type AccountName = Input<typeof ACCOUNT>;

export const CALENDAR = {
  ...ACCOUNT,
  calendarId: required(
    text({
      max: MAX_ID,
      doc: 'As in `GET /calendars`; `primary` is the account’s main calendar.',
      example: 'ada@example.com',
    }),
  ),
};
export type CalendarName = Input<typeof CALENDAR>;

export const EVENT = {
  eventId: required(text({ max: MAX_ID, doc: 'The event, occurrence or series.', example: 'k3vd8u2q' })),
  recurringEventId: text({
    max: MAX_ID,
    doc: 'The series of an occurrence. Default: found by the id of the occurrence.',
  }),
};
export type EventName = Input<typeof EVENT>;

export const mode = oneOf(MODES, {
  doc: 'The part of a series to change. Default: the occurrence, or the whole series if `eventId` is the id of a series.',
});

export const EVENT_UPDATE = { ...CALENDAR, ...EVENT, updateMode: mode, ...EVENT_CHANGE };
export type NamedEvent = { readonly calendar: CalendarName; readonly event: EventName };

/** `ifMatch` is the value of an If-Match header. */
export type Conditional = { readonly ifMatch: string | undefined };

export type UpdateRequest = NamedEvent &
  Conditional & { readonly mode: Mode | undefined; readonly input: EventInput };

/** Throws ApiError 400 with all mistakes that do not depend on the event or on its calendar. */
export function updateRequest(body: unknown, ifMatch: string | undefined): UpdateRequest {
  const { updateMode: mode, ...rest } = readBody(body, EVENT_UPDATE);
  const { calendar, event, input } = splitName(rest);
  return { calendar, event, mode, input: changeInput(input), ifMatch };
}

export function splitName<T extends CalendarName & EventName>({
  provider,
  account,
  calendarId,
  eventId,
  recurringEventId,
  ...input
}: T) {
  return { calendar: { provider, account, calendarId }, event: { eventId, recurringEventId }, input };
}
