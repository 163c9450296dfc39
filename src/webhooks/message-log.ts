import type { SlotPlace } from '../lib/fair-slots/slot-counts.ts';
import type { Endpoint } from './endpoint.ts';
import type { Attempt, ChangeType, EndpointSecret, MessageState, Shows } from './message.ts';
import type { TakeTerms } from './stream-store.ts';

/** Stores deliveries for 30 days and requests resends. Instants are epoch milliseconds. */
export interface MessageLog {
  /**
   * Lists messages behind a position, the newest first, at most `limit`. A user or calendar in the filter needs its
   * application.
   */
  listMessages(filter: MessageFilter, page: MessagePage): Promise<LoggedMessage[]>;

  /**
   * Returns a message with the body as last sent, and its attempts in order; `undefined` if the application has no such
   * message. A read by an operator is audited.
   */
  findMessage(clientId: string, messageId: string): Promise<MessageDetails | undefined>;

  /** Returns the same delivery without its body. */
  findAttempts(clientId: string, messageId: string): Promise<AttemptedMessage | undefined>;

  /** Requests a resend of a message. Returns false if the application has no such message. */
  askReplay(clientId: string, messageId: string, now: number): Promise<boolean>;

  /** Counts what `askReplays` would resend, up to `most`. */
  countReplays(filter: ReplayFilter, most: number): Promise<number>;

  /** Requests resends of all matching messages, the oldest first, at most `limit`. Returns their number. */
  askReplays(filter: ReplayFilter, now: number, limit: number): Promise<number>;

  /**
   * Claims due resends for free slots, at most `ofEndpoint` of an endpoint over all instances. Until the lease ends, no
   * other call claims them. Resends of a paused endpoint wait.
   */
  takeReplays(terms: TakeTerms): Promise<TakenReplay[]>;

  /** Logs the attempt. If it succeeded, the message is delivered; otherwise its state stays. */
  settleReplay(messageId: string, attempt: Attempt, now: number): Promise<void>;

  /** Deletes messages created before that instant, with their attempts. Returns their number. */
  deleteOldMessages(before: number): Promise<number>;
}

export type MessageFilter = {
  /** One application, or any of these: an empty list finds nothing. */
  readonly clientId?: string | readonly string[] | undefined;
  readonly state?: MessageState | undefined;
  readonly userId?: string | undefined;
  readonly provider?: string | undefined;
  readonly calendarId?: string | undefined;
  readonly endpointId?: string | undefined;
  /** Created at that time or later. */
  readonly from?: number | undefined;
  /** Created before that time. */
  readonly to?: number | undefined;
};

export type ReplayFilter = MessageFilter & { readonly clientId: string };

/** The position behind a message. */
export type MessagePlace = { readonly createdAt: number; readonly messageId: string };

export type MessagePage = { readonly after: MessagePlace | undefined; readonly limit: number };

export type LoggedMessage = MessagePlace & {
  readonly clientId: string;
  readonly endpointId: string;
  readonly userId: string;
  readonly provider: string;
  /** Undefined for notes about a user's calendars and connections. */
  readonly calendarId: string | undefined;
  readonly sequence: number;
  readonly changeType: ChangeType;
  readonly eventCount: number;
  readonly state: MessageState;
  readonly reason: string | undefined;
  readonly attempts: number;
  /** When a pending message is sent next. */
  readonly nextAt: number | undefined;
  readonly settledAt: number | undefined;
};

/** A message with its attempts in order. */
export type AttemptedMessage = LoggedMessage & {
  readonly shows: Shows;
  readonly log: readonly (Attempt & { readonly number: number })[];
};

export type MessageDetails = AttemptedMessage & {
  readonly calendarKey: string | undefined;
  readonly body: string;
};

export type TakenReplay = Pick<Endpoint, 'url' | 'privateNetwork'> & {
  /** The slot that it holds. */
  readonly place: SlotPlace;
  readonly messageId: string;
  readonly clientId: string;
  readonly userId: string;
  readonly calendarKey: string | undefined;
  readonly shows: Shows;
  readonly body: string;
  readonly secrets: readonly EndpointSecret[];
};
