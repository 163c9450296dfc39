/** What is told to an endpoint: the words of streams and messages (docs/webhooks.md). Instants are epoch milliseconds. */
import type { ProviderKind } from '../calendars/provider-facts.ts';
import type { SlotPlace } from '../lib/fair-slots/slot-counts.ts';
import type { Endpoint } from './endpoint.ts';

/** What an endpoint can ask to hear of besides events. */
export type NoteKind = 'calendars' | 'connections';

/** How much of events a message has: what scope `read` sees, or `free-busy`. */
export type Shows = 'events' | 'busy';

export type ChangeType = 'created' | 'updated' | 'deleted' | 'mixed';

/** `withheld`: when it was to be sent, no living grant covered its account any more. */
export type MessageState = 'pending' | 'delivered' | 'dead' | 'withheld';

/** A message before it is stored. */
export type NewMessage = {
  /** The `webhook-id` of every attempt: `msg_` and a UUID. */
  readonly messageId: string;
  readonly sequence: number;
  readonly changeType: ChangeType;
  readonly eventCount: number;
  readonly shows: Shows;
  /** JSON, as it is sent. */
  readonly body: string;
  readonly createdAt: number;
};

/** A message that is being tried. */
export type PendingMessage = Pick<NewMessage, 'messageId' | 'sequence' | 'shows' | 'body' | 'createdAt'> & {
  /** Attempts that counted. */
  readonly attempts: number;
  readonly nextAt: number;
};

/** Up to where of the user's feed a stream was told: all of `seq`, or with `id` of that one the events up to this. */
export type ToldPlace = { readonly seq: number; readonly id: string | undefined };

/** A stream that was taken to be worked: no other does before `leaseUntil`. */
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
  /** Whether the end of the calendar's first sync is to be told. */
  readonly initial: boolean;
  /** Since when something waits to be told. */
  readonly pendingSince: number | undefined;
  /** The traceparent of what changed last, where that is traced. */
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

/** A shared secret of one endpoint, `whsec_` and base64. One that was replaced signs beside its successor until then. */
export type EndpointSecret = { readonly secret: string; readonly until?: number | undefined };

/** A change behind a stream's place, at its last state. */
export type PendingChange = {
  readonly id: string;
  readonly seq: number;
  readonly createdSeq: number;
  readonly createdOwn: boolean;
  /** The last number under which somebody else changed it; 0 for never. */
  readonly foreignSeq: number;
  readonly deleted: boolean;
  readonly notedAt: number;
  /** Under which number each field last changed. */
  readonly fields: Readonly<Record<string, number>>;
  /** What a deleted event was, as far as it is known. */
  readonly was: Readonly<Record<string, unknown>> | undefined;
};

/** What happened to a user's calendar or connection. */
export type PendingNote = {
  readonly seq: number;
  readonly kind: NoteKind;
  /** Such as `calendar.created`. */
  readonly eventType: string;
  readonly provider: ProviderKind;
  readonly data: Readonly<Record<string, unknown>>;
  readonly notedAt: number;
  /** How much a living grant may see of its account; undefined when none covers it. */
  readonly shows: Shows | undefined;
};

/** A calendar as an application may hear of it now. */
export type ToldCalendar = {
  readonly accountKey: string;
  readonly provider: ProviderKind;
  readonly accountId: string;
  readonly display: string;
  readonly calendarKey: string;
  readonly href: string;
  readonly timeZone: string;
  readonly eventCount: number;
  /** The widest of what living grants may see of it. */
  readonly shows: Shows;
  /** When the first of those grants began: what changed before is told to nobody. */
  readonly coveredSince: number;
  readonly feedId: string | undefined;
  /** The last number of the user's feed. */
  readonly seq: number;
  /** The channel that the application chose for it. */
  readonly channelId: string | undefined;
};

/** One try to deliver a message. */
export type Attempt = {
  readonly startedAt: number;
  readonly durationMs: number;
  /** Of the answer; undefined when there was none. */
  readonly status: number | undefined;
  /** Why it failed, as a public sentence; undefined when it succeeded. */
  readonly fault: string | undefined;
  /** The beginning of the answer's text, from a public address only. */
  readonly answer: string | undefined;
};
