/** The types of streams and messages (docs/webhooks.md). Instants are epoch milliseconds. */
import type { ProviderKind } from '../calendars/provider-facts.ts';
import type { SlotPlace } from '../lib/fair-slots/slot-counts.ts';
import type { Endpoint } from './endpoint.ts';

/** The topics of an endpoint besides events. */
export type NoteKind = 'calendars' | 'connections';

/** How much of events a message contains: what scope `read` sees, or `free-busy`. */
export type Shows = 'events' | 'busy';

export type ChangeType = 'created' | 'updated' | 'deleted' | 'mixed';

/** `withheld`: when it was due, no active grant covered its account. */
export type MessageState = 'pending' | 'delivered' | 'dead' | 'withheld';

/** A message before it is stored. */
export type NewMessage = {
  /** The `webhook-id` of every attempt: `msg_` and a UUID. */
  readonly messageId: string;
  readonly sequence: number;
  readonly changeType: ChangeType;
  readonly eventCount: number;
  readonly shows: Shows;
  /** JSON, as sent. */
  readonly body: string;
  readonly createdAt: number;
};

/** A message that is being tried. */
export type PendingMessage = Pick<NewMessage, 'messageId' | 'sequence' | 'shows' | 'body' | 'createdAt'> & {
  /** The attempts that counted. */
  readonly attempts: number;
  readonly nextAt: number;
};

/** A stream's position in the user's feed: after all of `seq` or, with `id`, after this event of that number. */
export type ToldPlace = { readonly seq: number; readonly id: string | undefined };

/** A leased stream: no other process works on it before `leaseUntil`. */
export type TakenStream = {
  readonly streamId: string;
  readonly holder: string;
  readonly leaseUntil: number;
  /** The slot that it holds. */
  readonly place: SlotPlace;
  readonly clientId: string;
  readonly userId: string;
  /** Undefined for the stream of the user's calendars and connections. */
  readonly calendarKey: string | undefined;
  readonly told: ToldPlace;
  /** The number of its last message; 0 before the first. */
  readonly sequence: number;
  /** Whether the end of the calendar's first sync is still to be delivered. */
  readonly initial: boolean;
  /** Since when something waits to be delivered. */
  readonly pendingSince: number | undefined;
  /** The traceparent of the last change, if it is traced. */
  readonly trace?: string;
  readonly message: PendingMessage | undefined;
  readonly endpoint: TakenEndpoint;
};

export type TakenEndpoint = Pick<
  Endpoint,
  'endpointId' | 'url' | 'privateNetwork' | 'failures' | 'failingSince'
> & {
  readonly secrets: readonly EndpointSecret[];
  readonly hearsOwn: boolean;
  readonly hearsCalendars: boolean;
  readonly hearsConnections: boolean;
};

/** A shared secret of one endpoint, `whsec_` and base64. A replaced secret signs beside its successor until `until`. */
export type EndpointSecret = { readonly secret: string; readonly until?: number | undefined };

/** A change behind a stream's position, in its last state. */
export type PendingChange = {
  readonly id: string;
  readonly seq: number;
  readonly createdSeq: number;
  readonly createdOwn: boolean;
  /** The last number of a change by somebody else; 0 for never. */
  readonly foreignSeq: number;
  readonly deleted: boolean;
  readonly notedAt: number;
  /** The number of the last change of each field. */
  readonly fields: Readonly<Record<string, number>>;
  /** The fields of a deleted event, as far as known. */
  readonly was: Readonly<Record<string, unknown>> | undefined;
};

/** A note about a user's calendar or connection. */
export type PendingNote = {
  readonly seq: number;
  readonly kind: NoteKind;
  /** Such as `calendar.created`. */
  readonly eventType: string;
  readonly provider: ProviderKind;
  readonly data: Readonly<Record<string, unknown>>;
  readonly notedAt: number;
  /** How much an active grant may see of its account; undefined if none covers it. */
  readonly shows: Shows | undefined;
};

/** A calendar as an application may see it now. */
export type ToldCalendar = {
  readonly accountKey: string;
  readonly provider: ProviderKind;
  readonly accountId: string;
  readonly display: string;
  readonly calendarKey: string;
  readonly href: string;
  readonly timeZone: string;
  readonly eventCount: number;
  /** The widest access of active grants. */
  readonly shows: Shows;
  /** When the first of those grants began. Earlier changes are not delivered. */
  readonly coveredSince: number;
  readonly feedId: string | undefined;
  /** The last number of the user's feed. */
  readonly seq: number;
  /** The channel that the application chose for it. */
  readonly channelId: string | undefined;
};

/** One attempt to deliver a message. */
export type Attempt = {
  readonly startedAt: number;
  readonly durationMs: number;
  /** The status of the response; undefined without a response. */
  readonly status: number | undefined;
  /** Why it failed, as a public sentence; undefined if it succeeded. */
  readonly fault: string | undefined;
  /** The beginning of the response's text, only from a public address. */
  readonly answer: string | undefined;
};
