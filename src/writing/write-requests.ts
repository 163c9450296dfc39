/** The requests that write events, parsed: which event, how much of a series, and what changes. */
import { PROVIDER_KINDS, type ProviderKind } from '../calendars/provider-kind.ts';
import { asObject, type Fields, filledText, type Members, oneOf, readBody } from '../http/request-fields.ts';
import { changeInput, type EventInput, type NewEventInput, newEventInput } from './event-input.ts';

export type AccountName = {
  readonly provider: ProviderKind;
  /** The account's id on the wire, where a caller names it. */
  readonly account: string | undefined;
};

export type CalendarName = AccountName & { readonly calendarId: string };

export type EventName = {
  readonly eventId: string;
  /** The master's id, where a caller says which series it means. */
  readonly recurringEventId: string | undefined;
};

export const MODES = ['this', 'following', 'all'] as const;
export type Mode = (typeof MODES)[number];

const LONGEST_ID = 2_000;
const LONGEST_COMMENT = 1_000;

export function accountInput(fields: Fields): AccountName {
  return {
    provider: fields.required('provider', oneOf(PROVIDER_KINDS)),
    account: fields.optional('account', filledText(LONGEST_ID)),
  };
}

export function calendarInput(fields: Fields): CalendarName {
  return { ...accountInput(fields), calendarId: fields.required('calendarId', filledText(LONGEST_ID)) };
}

type NamedEvent = { readonly calendar: CalendarName; readonly event: EventName };

function namedEvent(fields: Fields): NamedEvent {
  const calendar = calendarInput(fields);
  const eventId = fields.required('eventId', filledText(LONGEST_ID));
  return {
    calendar,
    event: { eventId, recurringEventId: fields.optional('recurringEventId', filledText(LONGEST_ID)) },
  };
}

/** `ifMatch` is the value of an If-Match header. */
type Conditional = { readonly ifMatch: string | undefined };

export type NewEventRequest = { readonly calendar: CalendarName; readonly input: NewEventInput };

/** Throws 400 with every mistake, as do the functions below. */
export function newEventRequest(body: unknown): NewEventRequest {
  return readBody(body, (fields) => ({ calendar: calendarInput(fields), input: newEventInput(fields) }));
}

export type UpdateRequest = NamedEvent &
  Conditional & { readonly mode: Mode | undefined; readonly input: EventInput };

export function updateRequest(body: unknown, ifMatch: string | undefined): UpdateRequest {
  return readBody(body, (fields) => ({
    ...namedEvent(fields),
    mode: fields.optional('updateMode', oneOf(MODES)),
    input: changeInput(fields),
    ifMatch,
  }));
}

export type DeletionRequest = NamedEvent & Conditional & { readonly mode: Mode | undefined };

export function deletionRequest(sent: SentDeletion, ifMatch: string | undefined): DeletionRequest {
  return readBody(deletionBody(sent), (fields) => ({
    ...namedEvent(fields),
    mode: fields.optional('deleteMode', oneOf(MODES)),
    ifMatch,
  }));
}

const RESPONSES = ['accepted', 'declined', 'tentative'] as const;

export type ResponseRequest = NamedEvent & {
  readonly response: (typeof RESPONSES)[number];
  readonly comment: string | undefined;
  readonly mode: Mode | undefined;
};

export function responseRequest(body: unknown): ResponseRequest {
  return readBody(body, (fields) => {
    const named = namedEvent(fields);
    const response = fields.required('response', oneOf(RESPONSES));
    const comment = fields.optional('comment', filledText(LONGEST_COMMENT));
    const mode = fields.optional('updateMode', oneOf(MODES));
    if (mode === 'following') fields.mistake('updateMode', 'must be this or all');
    return { ...named, response, comment, mode };
  });
}

export type SentDeletion = { readonly query: unknown; readonly body: unknown };

/**
 * Parameters come in the query, as every published client sends them, or in a body; the query wins
 * (docs/wire.md C5).
 */
export function deletionBody({ query, body }: SentDeletion): unknown {
  // A repeated parameter counts once, an empty one not at all (docs/wire.md 1).
  const entries = Object.entries(asObject(query) ?? {})
    .map(([name, value]) => [name, Array.isArray(value) ? value[0] : value] as const)
    .filter(([, value]) => value !== '' && value !== undefined);
  const parameters: Members = Object.fromEntries(entries);
  const members = asObject(body);
  return members === undefined ? (body ?? parameters) : { ...members, ...parameters };
}
