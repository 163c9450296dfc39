/** Delivers a stream's next message: creates or continues it, reduces it to what is visible, sends and settles it. */
import type { ActivityNotes } from '../activity/activity.ts';
import type { PauseReason } from './endpoint.ts';
import { type MakeMessageDeps, makeMessage } from './make-message.ts';
import type {
  DeliveryCalendar,
  NewMessage,
  PendingMessage,
  PendingNote,
  StreamPosition,
  TakenStream,
} from './message.ts';
import { busyBody, showsLess } from './message-body.ts';
import { isNoteShown, noteMessage } from './note-message.ts';
import { gateMs, nextAttemptAt, OPEN_AFTER, PAUSE_AFTER_MS, REFUSED_ALONE } from './retry-schedule.ts';
import { type Outcome, type SendDeps, sendMessage } from './send-message.ts';
import type { AfterFailure, StreamStore } from './stream-store.ts';

export type DeliverDeps = Omit<MakeMessageDeps, 'streams'> &
  SendDeps & {
    readonly streams: StreamStore;
    readonly activityNotes: ActivityNotes;
    /** Called after each attempt of this process. */
    readonly attemptEnded?: ((attempt: EndedAttempt) => void) | undefined;
  };

/** `delayMs` counts from the creation of the message, `attempt` from 1. */
export type EndedAttempt = {
  readonly outcome: 'delivered' | 'failed' | 'dead';
  readonly attempt: number;
  readonly delayMs: number;
};

/** Delivers a leased stream's next message. Returns the updated stream if more waits and the lease is still held. */
export async function deliverNext(stream: TakenStream, deps: DeliverDeps): Promise<TakenStream | undefined> {
  const { streams, now } = deps;
  if (stream.calendarKey === undefined) return deliverNote(stream, deps);
  const calendar = await streams.findDeliveryCalendar(stream.calendarKey);
  if (calendar === undefined) {
    await streams.withhold(stream, now());
    return undefined;
  }
  if (stream.message !== undefined)
    return attempt(stream, { message: stream.message, calendar, more: true }, deps);
  const { message, delivered: position, more } = await makeMessage(stream, calendar, deps);
  if (message === undefined) {
    await streams.passOver(stream, position, more);
    return undefined;
  }
  if (!(await streams.startMessage(stream, message, { of: calendar, delivered: position }))) return undefined;
  return attempt(
    withStartedMessage(stream, message, position),
    { message: toPendingMessage(message), calendar, more },
    deps,
  );
}

const toPendingMessage = (message: NewMessage): PendingMessage => ({
  ...message,
  attempts: 0,
  nextAt: message.createdAt,
});

const withStartedMessage = (
  stream: TakenStream,
  { sequence }: NewMessage,
  delivered: StreamPosition,
): TakenStream => {
  return { ...stream, delivered, sequence, initial: false, pendingSince: undefined, message: undefined };
};

/** Does the same for the stream of a user's calendars and connections. */
async function deliverNote(stream: TakenStream, deps: DeliverDeps): Promise<TakenStream | undefined> {
  const { streams, now } = deps;
  // A pending message belongs to the last delivered note. It is not sent if it is no longer visible.
  const { message } = stream;
  const behind = message === undefined ? stream.delivered : { seq: stream.delivered.seq - 1, id: undefined };
  const notes = await streams.pendingNotes({ ...stream, delivered: behind }, MOST_NOTES + 1);
  if (message !== undefined) {
    if (notes[0]?.seq === stream.delivered.seq && isNoteDeliverable(notes[0], stream))
      return attempt(stream, { message, calendar: undefined, more: true }, deps);
    await streams.withhold(stream, now());
    return undefined;
  }
  const note = notes.find((one) => isNoteDeliverable(one, stream));
  const last = notes.at(-1);
  if (note === undefined) {
    const position = last === undefined ? stream.delivered : { seq: last.seq, id: undefined };
    await streams.passOver(stream, position, notes.length > MOST_NOTES);
    return undefined;
  }
  const nextPosition = { seq: note.seq, id: undefined };
  const newMessage = noteMessage(note, stream, now());
  if (
    !(await streams.startMessage(stream, newMessage, {
      of: { provider: note.provider },
      delivered: nextPosition,
    }))
  )
    return undefined;
  const more = last !== undefined && last.seq > note.seq;
  return attempt(
    withStartedMessage(stream, newMessage, nextPosition),
    { message: toPendingMessage(newMessage), calendar: undefined, more },
    deps,
  );
}

/** The number of notes per read. */
const MOST_NOTES = 50;

/** Returns whether the endpoint has the note's topic and a grant makes it visible to the application. */
function isNoteDeliverable({ kind, shows }: PendingNote, { endpoint }: TakenStream): boolean {
  const isTopic = kind === 'connections' ? endpoint.hearsConnections : endpoint.hearsCalendars;
  return isTopic && isNoteShown(kind, shows);
}

type Trying = {
  readonly message: PendingMessage;
  /** Undefined for a note about the user. */
  readonly calendar: DeliveryCalendar | undefined;
  readonly more: boolean;
};

async function attempt(
  stream: TakenStream,
  { message, calendar, more }: Trying,
  deps: DeliverDeps,
): Promise<TakenStream | undefined> {
  const { streams, now } = deps;
  const { messageId } = message;
  const body = await bodyToSend(message, calendar, deps);
  const outcome = await sendMessage({ ...stream.endpoint, clientId: stream.clientId, messageId, body }, deps);
  const settled = { messageId, attempt: outcome.attempt, now: now() };
  const { clientId, endpoint } = stream;
  deps.activityNotes.addAttempt({ clientId, ...endpoint }, outcome.attempt.fault !== undefined);
  const tell = (ended: EndedAttempt['outcome']) =>
    deps.attemptEnded?.({
      outcome: ended,
      attempt: message.attempts + 1,
      delayMs: now() - message.createdAt,
    });
  if (outcome.attempt.fault !== undefined) {
    const after = afterFailure({ stream, message, outcome }, now());
    tell(after.retryAt === undefined ? 'dead' : 'failed');
    await streams.settleFailed(stream, settled, after);
    return undefined;
  }
  tell('delivered');
  await streams.settleDelivered(stream, settled, { more, keepsLease: more });
  return more ? { ...stream, message: undefined } : undefined;
}

/** Reduces a message that was created when more was visible. Its id stays. */
async function bodyToSend(
  message: PendingMessage,
  calendar: DeliveryCalendar | undefined,
  deps: DeliverDeps,
): Promise<string> {
  if (calendar === undefined || !showsLess(message.shows, calendar.shows)) return message.body;
  const { calendarKey } = calendar;
  const body = busyBody(message.body, (id) => deps.busyId({ calendarKey, id }));
  await deps.streams.narrowMessage(message.messageId, 'busy', body);
  return body;
}

type Failed = {
  readonly stream: Pick<TakenStream, 'endpoint'>;
  readonly message: PendingMessage;
  readonly outcome: Outcome;
};

/** Returns the effects of a failed attempt on the message and its endpoint. `now` is in epoch milliseconds. */
export function afterFailure({ stream, message, outcome }: Failed, now: number): AfterFailure {
  const { failures, failingSince } = stream.endpoint;
  // With an open circuit, a message that is not due tests the endpoint without using an attempt.
  const counts = failures < OPEN_AFTER || message.nextAt <= now;
  const attempts = message.attempts + (counts ? 1 : 0);
  const { retryAfterMs, gone } = outcome;
  // Six failures in a row would have opened the circuit, so other messages were accepted meanwhile.
  const refusedAlone = failures < OPEN_AFTER && attempts >= REFUSED_ALONE;
  const next = counts
    ? nextAttemptAt({ attempts, createdAt: message.createdAt, now, retryAfterMs })
    : message.nextAt;
  const retryAt = refusedAlone ? undefined : next;
  const gateAt = now + Math.max(gateMs(failures + 1), failures + 1 >= OPEN_AFTER ? (retryAfterMs ?? 0) : 0);
  return { counts, retryAt, reason: toDeadReason(retryAt, refusedAlone), gateAt, pause: choosePause() };

  function choosePause(): Exclude<PauseReason, 'operator'> | undefined {
    if (gone) return 'gone';
    return failingSince !== undefined && failingSince <= now - PAUSE_AFTER_MS ? 'failing' : undefined;
  }
}

function toDeadReason(retryAt: number | undefined, refusedAlone: boolean): string | undefined {
  if (retryAt !== undefined) return undefined;
  return refusedAlone ? 'Refused six times while other deliveries were accepted' : 'All ten attempts failed';
}
