/** Parses the requests that write events. */
import { PROVIDER_KINDS } from '../calendars/provider-facts.ts';
import {
  asObject,
  type Check,
  type Input,
  type Members,
  oneOf,
  readBody,
  required,
  type Table,
  text,
} from '../http/fields.ts';
import {
  changeInput,
  EVENT_CHANGE,
  type EventInput,
  NEW_EVENT,
  type NewEventInput,
  newEventInput,
} from './event-input.ts';
import { instantOfInput, REVERSED, type TimeInput } from './event-times.ts';

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

const EVENT = {
  eventId: required(text({ max: MAX_ID, doc: 'The event, occurrence or series.', example: 'k3vd8u2q' })),
  recurringEventId: text({
    max: MAX_ID,
    doc: 'The series of an occurrence. Default: found by the id of the occurrence.',
  }),
};
export type EventName = Input<typeof EVENT>;

const mode = oneOf(MODES, {
  doc: 'The part of a series to change. Default: the occurrence, or the whole series if `eventId` is the id of a series.',
});

export const NEW_EVENT_REQUEST = { ...CALENDAR, ...NEW_EVENT };
export const EVENT_UPDATE = { ...CALENDAR, ...EVENT, updateMode: mode, ...EVENT_CHANGE };
export const EVENT_DELETION = { ...CALENDAR, ...EVENT, deleteMode: mode };
export const RSVP = {
  ...CALENDAR,
  ...EVENT,
  response: required(oneOf(['accepted', 'declined', 'tentative'], { example: 'accepted' })),
  comment: text({ max: 1_000, doc: 'A comment for the organizer.' }),
  updateMode: oneOf(['this', 'all']),
};

type NamedEvent = { readonly calendar: CalendarName; readonly event: EventName };

/** `ifMatch` is the value of an If-Match header. */
type Conditional = { readonly ifMatch: string | undefined };

export type NewEventRequest = { readonly calendar: CalendarName; readonly input: NewEventInput };

/** Throws ApiError 400 with all mistakes, as do the functions below. */
export function newEventRequest(body: unknown): NewEventRequest {
  const { provider, account, calendarId, ...input } = readBody(body, NEW_EVENT_REQUEST, checkOrder);
  return { calendar: { provider, account, calendarId }, input: newEventInput(input) };
}

export type UpdateRequest = NamedEvent &
  Conditional & { readonly mode: Mode | undefined; readonly input: EventInput };

export function updateRequest(body: unknown, ifMatch: string | undefined): UpdateRequest {
  const { updateMode: mode, ...rest } = readBody(body, EVENT_UPDATE, checkOrder);
  const { calendar, event, input } = splitName(rest);
  return { calendar, event, mode, input: changeInput(input), ifMatch };
}

export type DeletionRequest = NamedEvent & Conditional & { readonly mode: Mode | undefined };

export function deletionRequest(sent: SentParameters, ifMatch: string | undefined): DeletionRequest {
  const { deleteMode: mode, ...rest } = readQueryOrBody(sent, EVENT_DELETION);
  const { calendar, event } = splitName(rest);
  return { calendar, event, mode, ifMatch };
}

export type ResponseRequest = NamedEvent &
  Pick<Input<typeof RSVP>, 'response' | 'comment'> & { readonly mode: Mode | undefined };

export function responseRequest(body: unknown): ResponseRequest {
  const { updateMode: mode, ...rest } = readBody(body, RSVP);
  const { calendar, event, input } = splitName(rest);
  return { calendar, event, mode, ...input };
}

function splitName<T extends CalendarName & EventName>({
  provider,
  account,
  calendarId,
  eventId,
  recurringEventId,
  ...input
}: T) {
  return { calendar: { provider, account, calendarId }, event: { eventId, recurringEventId }, input };
}

/** Equal times are checked later, when the zone and all-day are known. */
const checkOrder: Check<Pick<typeof EVENT_CHANGE, 'start' | 'end'>> = ({ start, end }, report) => {
  const isReversed = (a: TimeInput, b: TimeInput) => instantOfInput(b) < instantOfInput(a);
  if (start !== undefined && end !== undefined && isReversed(start, end)) report('end', REVERSED);
};

export type SentParameters = { readonly query: unknown; readonly body: unknown };

/**
 * Reads parameters of the query, as published clients send them, or of a JSON body; the query takes precedence
 * (docs/wire.md C5). Throws ApiError 400 with all mistakes.
 */
export function readQueryOrBody<T extends Table>({ query, body }: SentParameters, table: T): Input<T> {
  const entries = Object.entries(asObject(query) ?? {})
    .map(([name, value]) => [name, Array.isArray(value) ? value[0] : value] as const)
    .filter(([, value]) => value !== '' && value !== undefined);
  const parameters: Members = Object.fromEntries(entries);
  const members = asObject(body);
  return readBody(members === undefined ? (body ?? parameters) : { ...members, ...parameters }, table);
}
