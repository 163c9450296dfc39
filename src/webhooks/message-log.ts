import type { SlotPlace } from '../lib/fair-slots/slot-counts.ts';
import type { Endpoint } from './endpoint.ts';
import type { Attempt, ChangeType, EndpointSecret, MessageState, Shows } from './message.ts';
import type { TakeTerms } from './stream-store.ts';

/** What was told, kept for 30 days, and the replay of it. Instants are epoch milliseconds. */
export interface MessageLog {
  /**
   * The newest first, at most `limit`, behind a place. A user and a calendar are of an application: name it beside them.
   */
  listMessages(filter: MessageFilter, page: MessagePage): Promise<LoggedMessage[]>;

  /**
   * With its body as it was last sent, and its attempts in order; `undefined` when the application has none such. That an
   * operator sees a body is audited.
   */
  findMessage(clientId: string, messageId: string): Promise<MessageDetails | undefined>;

  /** The same without its body, which nobody sees by that. */
  findAttempts(clientId: string, messageId: string): Promise<AttemptedMessage | undefined>;

  /** Sends it once more, as it is. False when the application has none such. */
  askReplay(clientId: string, messageId: string, now: number): Promise<boolean>;

  /** How many `askReplays` would send; counts no further than `most`. */
  countReplays(filter: ReplayFilter, most: number): Promise<number>;

  /** Sends all of these once more, the oldest first, no more than `limit`. Answers how many. */
  askReplays(filter: ReplayFilter, now: number, limit: number): Promise<number>;

  /**
   * Takes resends that are due into free slots, at most `ofEndpoint` of an endpoint over all instances. Until the lease
   * ends, no other call takes them. A paused endpoint's wait.
   */
  takeReplays(terms: TakeTerms): Promise<TakenReplay[]>;

  /** Logs the attempt. The message is delivered when it succeeded, and stays what it was when not. */
  settleReplay(messageId: string, attempt: Attempt, now: number): Promise<void>;

  /** Deletes messages that were made before, with their attempts. Answers how many. */
  deleteOldMessages(before: number): Promise<number>;
}

export type MessageFilter = {
  /** Of one application, or of any of these: an empty list finds nothing. */
  readonly clientId?: string | readonly string[] | undefined;
  readonly state?: MessageState | undefined;
  readonly userId?: string | undefined;
  readonly provider?: string | undefined;
  readonly calendarId?: string | undefined;
  readonly endpointId?: string | undefined;
  /** Made at that time or later. */
  readonly from?: number | undefined;
  /** Made before. */
  readonly to?: number | undefined;
};

export type ReplayFilter = MessageFilter & { readonly clientId: string };

/** Behind that message. */
export type MessagePlace = { readonly createdAt: number; readonly messageId: string };

export type MessagePage = { readonly after: MessagePlace | undefined; readonly limit: number };

export type LoggedMessage = MessagePlace & {
  readonly clientId: string;
  readonly endpointId: string;
  readonly userId: string;
  readonly provider: string;
  /** Undefined for what is told of a user's calendars and connections. */
  readonly calendarId: string | undefined;
  readonly sequence: number;
  readonly changeType: ChangeType;
  readonly eventCount: number;
  readonly state: MessageState;
  readonly reason: string | undefined;
  readonly attempts: number;
  /** While it is pending. */
  readonly nextAt: number | undefined;
  readonly settledAt: number | undefined;
};

/** With its attempts in order. */
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
