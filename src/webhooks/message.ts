/** Types of streams and messages (docs/webhooks.md). Instants are epoch milliseconds. */
import type { ProviderKind } from '../calendars/provider-facts.ts';
import type { SlotPlace } from '../lib/fair-slots/slot-counts.ts';
import type { Endpoint } from './endpoint.ts';

/** The topics of an endpoint besides events. */
export type NoteKind = 'calendars' | 'connections';

/** The visible part of events: for scope `read`, or for `free-busy`. */
export type Shows = 'events' | 'busy';

export type ChangeType = 'created' | 'updated' | 'deleted' | 'mixed';

/** `withheld`: no active grant covered its account when it was due. */
export type MessageState = 'pending' | 'delivered' | 'dead' | 'withheld';

/** A state as operators see it: a pending message with an attempt is being retried. */
export type VisibleState = MessageState | 'retrying';

type Tried = { readonly state: MessageState; readonly attempts: number };

export const visibleState = ({ state, attempts }: Tried): VisibleState =>
  state === 'pending' && attempts > 0 ? 'retrying' : state;

export type NewMessage = {
  /** The `webhook-id` of every attempt: `msg_` and a UUID. */
  readonly messageId: string;
  readonly sequence: number;
  readonly changeType: ChangeType;
  readonly eventCount: number;
  readonly shows: Shows;
  readonly body: string;
  readonly createdAt: number;
};

/** A message between attempts. */
export type PendingMessage = Pick<NewMessage, 'messageId' | 'sequence' | 'shows' | 'body' | 'createdAt'> & {
  /** The attempts that counted. */
  readonly attempts: number;
  readonly nextAt: number;
};

/** A stream's position in the user's feed: after all of `seq`, or after its event `id`. */
export type StreamPosition = { readonly seq: number; readonly id: string | undefined };

/** A leased stream: no other process works on it before `leaseUntil`. */
export type TakenStream = {
  readonly streamId: string;
  readonly holder: string;
  readonly leaseUntil: number;
  readonly place: SlotPlace;
  readonly clientId: string;
  readonly userId: string;
  /** Undefined for the stream of the user's calendars and connections. */
  readonly calendarKey: string | undefined;
  readonly delivered: StreamPosition;
  /** The number of its last message; 0 before the first. */
  readonly sequence: number;
  /** Whether the end of the calendar's first sync is still undelivered. */
  readonly initial: boolean;
  /** The start of the wait for a delivery, or the age of its changes that were deleted. */
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

/** An endpoint's secret, `whsec_` and base64. A replaced one also signs until `until`. */
export type EndpointSecret = { readonly secret: string; readonly until?: number | undefined };

/** A change after a stream's position, in its last state. */
export type PendingChange = {
  readonly id: string;
  readonly seq: number;
  readonly createdSeq: number;
  readonly createdOwn: boolean;
  /** The number of the last change by others; 0 for none. */
  readonly foreignSeq: number;
  readonly deleted: boolean;
  readonly notedAt: number;
  /** The number of the last change of each field. */
  readonly fields: Readonly<Record<string, number>>;
  /** The known fields of a deleted event. */
  readonly was: Readonly<Record<string, unknown>> | undefined;
};

export type PendingNote = {
  readonly seq: number;
  readonly kind: NoteKind;
  /** Such as `calendar.created`. */
  readonly eventType: string;
  readonly provider: ProviderKind;
  readonly data: Readonly<Record<string, unknown>>;
  readonly notedAt: number;
  /** The data of its account that active grants show; undefined if none covers it. */
  readonly shows: Shows | undefined;
};

/** A calendar as visible to an application now. */
export type DeliveryCalendar = {
  readonly accountKey: string;
  readonly provider: ProviderKind;
  readonly accountId: string;
  readonly display: string;
  readonly calendarKey: string;
  readonly href: string;
  readonly timeZone: string;
  readonly eventCount: number;
  /** The most that an active grant shows. */
  readonly shows: Shows;
  /** The start of the first of those grants. If earlier changes wait, a reset is delivered instead of changes. */
  readonly coveredSince: number;
  readonly feedId: string | undefined;
  /** The last number of the user's feed. */
  readonly seq: number;
  /** The channel that the application chose. */
  readonly channelId: string | undefined;
};

export type Attempt = {
  readonly startedAt: number;
  readonly durationMs: number;
  /** Undefined without a response. */
  readonly status: number | undefined;
  /** The public sentence about the failure; undefined for success. */
  readonly fault: string | undefined;
  /** The start of the response's text, only from a public address. */
  readonly answer: string | undefined;
};
