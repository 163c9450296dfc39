import type { WorkSlots } from '../lib/fair-slots/work-slots.ts';
import type {
  Attempt,
  DeliveryCalendar,
  NewMessage,
  PendingChange,
  PendingNote,
  Shows,
  StreamPosition,
  TakenStream,
} from './message.ts';

export interface StreamQueue {
  /** Makes changed streams due at `dueAt`, leased ones after their lease; returns their number. */
  scheduleChanged(dueAt: number): Promise<number>;

  /** Returns when the next claimable stream is due, except those of listeners; `undefined` if there is none. */
  nextDueAt(): Promise<number | undefined>;

  /**
   * Claims due streams for free slots in the order of WorkSlots: at most `ofEndpoint` per endpoint over all instances,
   * one with an open circuit, none while paused. Full applications and origins are skipped, so that they never hide
   * others.
   */
  takeStreams(terms: TakeTerms): Promise<TakenStream[]>;

  /** Ends all leases. Call it only while no other process uses this database. */
  endLeases(): Promise<void>;
}

/** The content of a stream's next message. */
export interface StreamContent {
  /** Returns at most `limit` changes after the stream's position, in order. */
  pendingChanges(
    place: { readonly calendarKey: string; readonly delivered: StreamPosition },
    limit: number,
  ): Promise<PendingChange[]>;

  /** Returns at most `limit` notes of the stream's user after its position, in order. */
  pendingNotes(
    stream: Pick<TakenStream, 'clientId' | 'userId' | 'delivered'>,
    limit: number,
  ): Promise<PendingNote[]>;

  /** Returns `undefined` if the calendar was deleted or excluded, or no active grant covers it. */
  findDeliveryCalendar(calendarKey: string): Promise<DeliveryCalendar | undefined>;

  /** Returns what active grants show of an account (of its user, if it is deleted); `undefined` without a grant. */
  shownOfAccount(account: {
    readonly clientId: string;
    readonly userId: string;
    readonly provider: string;
    readonly accountId: string;
  }): Promise<Shows | undefined>;
}

export interface StreamMessages {
  /** Stores the stream's next message as pending and moves its position. Returns false if the lease was lost. */
  startMessage(stream: TakenStream, message: NewMessage, of: MessageOf): Promise<boolean>;

  /** Replaces a message's body by a reduced one for all later attempts. */
  narrowMessage(messageId: string, shows: Shows, body: string): Promise<void>;

  /** Releases the stream without a message; with `more` it is due at once. */
  passOver(stream: TakenStream, delivered: StreamPosition, more: boolean): Promise<void>;

  /** Marks the pending message as delivered and its endpoint as working. Keeps or releases the stream. */
  settleDelivered(stream: TakenStream, message: SettledMessage, then: AfterDelivery): Promise<void>;

  /** Stores a failed attempt and releases the stream. */
  settleFailed(stream: TakenStream, message: SettledMessage, then: AfterFailure): Promise<void>;

  /**
   * Withholds the pending message and the calendar's waiting changes, because no active grant covers the account. A
   * user's stream continues with other notes.
   */
  withhold(stream: TakenStream, now: number): Promise<void>;
}

/**
 * Streams of deliveries and their positions. The transaction that changes the mirror makes a stream due, so no change
 * is lost. A stream has at most one message in progress. After its lease, a worker changes nothing. Instants are epoch
 * milliseconds.
 */
export type StreamStore = StreamQueue & StreamContent & StreamMessages;

export type TakeTerms = {
  readonly holder: string;
  readonly now: number;
  readonly leaseUntil: number;
  /** The listener whose streams are claimed. If absent, streams of listeners are skipped. */
  readonly listenerId?: string;
  /** Each claimed stream holds the slot of its `place`, which the caller releases after the work. */
  readonly slots: WorkSlots;
  readonly ofEndpoint: number;
  /** A circuit opens after this many failures in a row. */
  readonly openAfter: number;
};

/** The account and calendar of a message, and the stream's next position. A message of the user has neither. */
export type MessageOf = {
  readonly of: Pick<DeliveryCalendar, 'provider'> &
    Partial<Pick<DeliveryCalendar, 'accountKey' | 'calendarKey' | 'href'>>;
  readonly delivered: StreamPosition;
};

export type SettledMessage = { readonly messageId: string; readonly attempt: Attempt; readonly now: number };

/** `more`: further changes were waiting when the message was created. */
export type AfterDelivery = { readonly more: boolean; readonly keepsLease: boolean };

/**
 * `counts`: it used an attempt. `retryAt`: undefined if the message is dead. `gateAt`: the earliest next attempt at the
 * endpoint. `pause`: the reason to stop until a resume.
 */
export type AfterFailure = {
  readonly counts: boolean;
  readonly retryAt: number | undefined;
  readonly reason: string | undefined;
  readonly gateAt: number;
  readonly pause: 'gone' | 'failing' | undefined;
};
