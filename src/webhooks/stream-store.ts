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
   * Streams that changed since the last call are due at that time. One that is worked waits until it is given back, or until
   * its lease has ended: its worker may be dead. Answers how many they were.
   */
  scheduleChanged(dueAt: number): Promise<number>;

  /** When the next stream is due that may be taken, but for those of listeners; `undefined` when there is none. */
  nextDueAt(): Promise<number | undefined>;

  /**
   * Takes streams that are due into free slots, in the order of WorkSlots: at most `ofEndpoint` of an endpoint over all
   * instances, one while its circuit is open, and none while it is paused. Full applications and origins are left out, so
   * that what others have due is found however much these have.
   */
  takeStreams(terms: TakeTerms): Promise<TakenStream[]>;

  /** Makes all leases end: no other process works this database. */
  endLeases(): Promise<void>;
}

/** What the next message of a stream says. */
export interface StreamContent {
  /** The changes behind the stream's place, in order, at most `limit`. */
  pendingChanges(
    place: { readonly calendarKey: string; readonly told: ToldPlace },
    limit: number,
  ): Promise<PendingChange[]>;

  /** The notes of the stream's user behind its place, in order, at most `limit`. */
  pendingNotes(
    stream: Pick<TakenStream, 'clientId' | 'userId' | 'told'>,
    limit: number,
  ): Promise<PendingNote[]>;

  /** `undefined` when nobody may hear of the calendar: it is gone or left out, or no living grant covers its account. */
  toldCalendar(calendarKey: string): Promise<ToldCalendar | undefined>;

  /** How much of an account living grants show, and of one that is gone those of its user; `undefined` when there is none. */
  shownOfAccount(account: AccountName): Promise<Shows | undefined>;
}

/** The message of a stream that is in progress. */
export interface StreamMessages {
  /** Stores a message of the stream, which is under way from then on, and moves its place. False when the lease was lost. */
  startMessage(stream: TakenStream, message: NewMessage, of: MessageOf): Promise<boolean>;

  /** The same message with less in it, as every later attempt sends it. */
  narrowMessage(messageId: string, shows: Shows, body: string): Promise<void>;

  /** Gives the stream back without a message; with `more` it is due at once. */
  passOver(stream: TakenStream, told: ToldPlace, more: boolean): Promise<void>;

  /** The message under way was told: 2xx. Its endpoint works. The stream is kept or given back. */
  settleDelivered(stream: TakenStream, message: SettledMessage, then: AfterDelivery): Promise<void>;

  /** An attempt failed. The stream is given back. */
  settleFailed(stream: TakenStream, message: SettledMessage, then: AfterFailure): Promise<void>;

  /**
   * No living grant covers the account: the message under way, if any, is told to nobody, nor is what waits of the calendar.
   * Of a user's notes the others are looked at next.
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
  /** The one listener to take streams of; those of listeners are left alone without it. */
  readonly listenerId?: string;
  /** Each that is taken holds the slot of its `place`. The caller removes it when the work ends. */
  readonly slots: WorkSlots;
  readonly ofEndpoint: number;
  /** So many failures in a row open a circuit. */
  readonly openAfter: number;
};

/** What a message is of, and where it leaves the stream. Without an account and a calendar it is of the user. */
export type MessageOf = {
  readonly of: Pick<ToldCalendar, 'provider'> &
    Partial<Pick<ToldCalendar, 'accountKey' | 'calendarKey' | 'href'>>;
  readonly told: ToldPlace;
};

export type SettledMessage = { readonly messageId: string; readonly attempt: Attempt; readonly now: number };

/** `more`: changes wait that were seen when the message was made. */
export type AfterDelivery = { readonly more: boolean; readonly keepsLease: boolean };

/**
 * `counts`: whether it was one of the message's own attempts. `retryAt`: undefined when the message is dead.
 * `gateAt`: before then the endpoint is left alone. `pause`: it is sent nothing more until it is resumed.
 */
export type AfterFailure = {
  readonly counts: boolean;
  readonly retryAt: number | undefined;
  readonly reason: string | undefined;
  readonly gateAt: number;
  readonly pause: 'gone' | 'failing' | undefined;
};
