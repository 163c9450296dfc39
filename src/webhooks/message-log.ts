import type { By, ChangeTerms } from '../audit/audit-entry.ts';
import type { SlotPlace } from '../lib/fair-slots/slot-counts.ts';
import type { Attempt, ChangeType, MessageState, Shows, VisibleState } from './message.ts';
import type { SentMessage } from './send-message.ts';
import type { TakeTerms } from './stream-store.ts';
import type { CreatedMessage } from './visible-body.ts';

/** Stores deliveries for 30 days and requests resends. Instants are epoch milliseconds; `to` is exclusive. */
export interface MessageLog {
  /** Lists at most `limit` messages after a position, the newest first. Filters by user or calendar need `clientId`. */
  listMessages(filter: MessageFilter, page: MessagePage): Promise<LoggedMessage[]>;

  /** Returns a message with its last sent body and its attempts in order. The read is audited for `by`. */
  findMessage(clientId: string, messageId: string, by: By['by']): Promise<MessageDetails | undefined>;

  /** Returns the same delivery without its body, of any application if `clientId` is undefined. */
  findAttempts(clientId: string | undefined, messageId: string): Promise<AttemptedMessage | undefined>;

  /** Requests a resend. Returns false if the application does not have the message. */
  askReplay(clientId: string, messageId: string, terms: ChangeTerms): Promise<boolean>;

  /** Counts what `askReplays` would resend, up to `most`. */
  countReplays(filter: ReplayFilter, most: number): Promise<number>;

  /** Requests resends of at most `limit` matching messages, the oldest first; returns their number. */
  askReplays(filter: ReplayFilter, terms: ChangeTerms & { readonly limit: number }): Promise<number>;

  /** Claims due resends for free slots, at most `ofEndpoint` per endpoint over all instances, none while paused. */
  takeReplays(terms: TakeTerms): Promise<TakenReplay[]>;

  /** Logs the attempt. Success marks the message as delivered; failure keeps its state. */
  settleReplay(messageId: string, attempt: Attempt, now: number): Promise<void>;

  /** Deletes messages created before that instant, with their attempts; returns their number. */
  deleteOldMessages(before: number): Promise<number>;
}

export type MessageFilter = {
  /** One application or several; an empty list matches nothing. */
  readonly clientId?: string | readonly string[] | undefined;
  /** `pending` includes `retrying`. */
  readonly state?: VisibleState | undefined;
  readonly userId?: string | undefined;
  readonly provider?: string | undefined;
  readonly calendarId?: string | undefined;
  readonly endpointId?: string | undefined;
  readonly from?: number | undefined;
  readonly to?: number | undefined;
};

export type ReplayFilter = MessageFilter & { readonly clientId: string };

/** The position after a message. */
export type MessagePlace = { readonly createdAt: number; readonly messageId: string };

export type MessagePage = { readonly after: MessagePlace | undefined; readonly limit: number };

export type LoggedMessage = MessagePlace & {
  readonly clientId: string;
  readonly endpointId: string;
  readonly userId: string;
  readonly provider: string;
  /** Undefined for notes about a user's calendars and connections. */
  readonly calendarId: string | undefined;
  /** Undefined also if the calendar was deleted. */
  readonly calendarTitle: string | undefined;
  readonly sequence: number;
  readonly changeType: ChangeType;
  readonly eventCount: number;
  readonly state: MessageState;
  readonly reason: string | undefined;
  readonly attempts: number;
  /** The next attempt of a pending message. */
  readonly nextAt: number | undefined;
  readonly settledAt: number | undefined;
};

export type AttemptedMessage = LoggedMessage & {
  readonly shows: Shows;
  /** Whether its user is a test user of the playground. */
  readonly isOfTestUser: boolean;
  readonly log: readonly (Attempt & { readonly number: number })[];
};

export type MessageDetails = AttemptedMessage & {
  readonly calendarKey: string | undefined;
  readonly body: string;
};

export type TakenReplay = CreatedMessage & SentMessage & { readonly place: SlotPlace };
