import type { WorkSlots } from '../lib/fair-slots/work-slots.ts';
import type {
  Attempt,
  NewMessage,
  PendingChange,
  PendingNote,
  Shows,
  TakenStream,
  ToldCalendar,
  ToldPlace,
} from './message.ts';

/** The streams that are due. */
export interface StreamQueue {
  /**
   * Makes the streams due at `dueAt` that changed since the last call. A stream that is being worked on waits until it
   * is given back or its lease has ended, since its worker may be dead. Returns their number.
   */
  scheduleChanged(dueAt: number): Promise<number>;

  /**
   * Returns when the next stream is due that may be claimed, without those of listeners; `undefined` if there is none.
   */
  nextDueAt(): Promise<number | undefined>;

  /**
   * Claims due streams for free slots, in the order of WorkSlots: at most `ofEndpoint` of an endpoint over all
   * instances, one while its circuit is open, and none while it is paused. Full applications and origins are left out,
   * so that they never hide the due streams of others.
   */
  takeStreams(terms: TakeTerms): Promise<TakenStream[]>;

  /** Ends all leases. Call it only while no other process works this database. */
  endLeases(): Promise<void>;
}

/** What the next message of a stream says. */
export interface StreamContent {
  /** Returns the changes behind the stream's position, in order, at most `limit`. */
  pendingChanges(
    place: { readonly calendarKey: string; readonly told: ToldPlace },
    limit: number,
  ): Promise<PendingChange[]>;

  /** Returns the notes of the stream's user behind its position, in order, at most `limit`. */
  pendingNotes(
    stream: Pick<TakenStream, 'clientId' | 'userId' | 'told'>,
    limit: number,
  ): Promise<PendingNote[]>;

  /**
   * Returns `undefined` if the calendar may not be delivered: it was deleted or left out, or no active grant covers its
   * account.
   */
  toldCalendar(calendarKey: string): Promise<ToldCalendar | undefined>;

  /**
   * Returns how much of an account active grants show. For a deleted account, those of its user count. `undefined` if
   * there are none.
   */
  shownOfAccount(account: AccountName): Promise<Shows | undefined>;
}

/** The message of a stream that is in progress. */
export interface StreamMessages {
  /**
   * Stores the stream's next message, which is then pending, and moves its position. Returns false if the lease was
   * lost.
   */
  startMessage(stream: TakenStream, message: NewMessage, of: MessageOf): Promise<boolean>;

  /** Replaces the body of a message by a reduced one, which every later attempt sends. */
  narrowMessage(messageId: string, shows: Shows, body: string): Promise<void>;

  /** Releases the stream without a message; with `more` it is due at once. */
  passOver(stream: TakenStream, told: ToldPlace, more: boolean): Promise<void>;

  /** Marks the pending message as delivered (2xx) and its endpoint as working. The stream is kept or released. */
  settleDelivered(stream: TakenStream, message: SettledMessage, then: AfterDelivery): Promise<void>;

  /** Stores a failed attempt and releases the stream. */
  settleFailed(stream: TakenStream, message: SettledMessage, then: AfterFailure): Promise<void>;

  /**
   * Withholds the pending message, if any, and the calendar's waiting changes, since no active grant covers the
   * account. For a user's stream, its other notes follow next.
   */
  withhold(stream: TakenStream, now: number): Promise<void>;
}

/**
 * Streams of deliveries and their positions. The transaction that changes the mirror makes a stream due, so that each change
 * is delivered whatever fails in between. A stream has at most one message in progress. A worker whose lease has expired
 * changes nothing. Instants are epoch milliseconds.
 */
export type StreamStore = StreamQueue & StreamContent & StreamMessages;

export type AccountName = {
  readonly clientId: string;
  readonly userId: string;
  readonly provider: string;
  readonly accountId: string;
};

export type TakeTerms = {
  readonly holder: string;
  readonly now: number;
  readonly leaseUntil: number;
  /** The listener whose streams are claimed. If absent, streams of listeners are not claimed. */
  readonly listenerId?: string;
  /** Each claimed stream holds the slot of its `place`. The caller removes it when the work ends. */
  readonly slots: WorkSlots;
  readonly ofEndpoint: number;
  /** After this many failures in a row a circuit opens. */
  readonly openAfter: number;
};

/** The account and calendar of a message, and the stream's position after it. A message of the user has neither. */
export type MessageOf = {
  readonly of: Pick<ToldCalendar, 'provider'> &
    Partial<Pick<ToldCalendar, 'accountKey' | 'calendarKey' | 'href'>>;
  readonly told: ToldPlace;
};

export type SettledMessage = { readonly messageId: string; readonly attempt: Attempt; readonly now: number };

/** `more`: when the message was created, further changes were waiting. */
export type AfterDelivery = { readonly more: boolean; readonly keepsLease: boolean };

/**
 * `counts`: whether it was one of the message's own attempts. `retryAt`: undefined if the message is dead. `gateAt`:
 * nothing is sent to the endpoint before then. `pause`: nothing is sent until it is resumed.
 */
export type AfterFailure = {
  readonly counts: boolean;
  readonly retryAt: number | undefined;
  readonly reason: string | undefined;
  readonly gateAt: number;
  readonly pause: 'gone' | 'failing' | undefined;
};
