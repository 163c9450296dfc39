/** One turn of a stream: its message is made or taken up again, cut to what may be seen now, sent, and settled. */
import type { PauseReason } from './endpoint.ts';
import { type MakeMessageDeps, makeMessage } from './make-message.ts';
import type { PendingMessage, TakenStream, ToldCalendar } from './message.ts';
import { busyBody, showsLess } from './message-body.ts';
import { gateMs, nextAttemptAt, OPEN_AFTER, PAUSE_AFTER_MS, REFUSED_ALONE } from './retry-schedule.ts';
import { type Outcome, type SendDeps, sendMessage } from './send-message.ts';
import type { AfterFailure, StreamStore } from './stream-store.ts';

export type DeliverDeps = Omit<MakeMessageDeps, 'streams'> & SendDeps & { readonly streams: StreamStore };

/**
 * Works the next message of a stream that was taken. Answers the stream as it is then where more waits and its lease is
 * still held; `undefined` when it was given back.
 */
export async function deliverNext(stream: TakenStream, deps: DeliverDeps): Promise<TakenStream | undefined> {
  const { streams, now } = deps;
  const calendar = await streams.toldCalendar(stream.calendarKey);
  if (calendar === undefined) {
    await streams.withhold(stream, now());
    return undefined;
  }
  if (stream.message !== undefined)
    return attempt(stream, { message: stream.message, calendar, more: true }, deps);
  const { message, told, more } = await makeMessage(stream, calendar, deps);
  if (message === undefined) {
    await streams.passOver(stream, told, more);
    return undefined;
  }
  if (!(await streams.startMessage(stream, message, { calendar, told }))) return undefined;
  const pending = { ...message, attempts: 0, nextAt: message.createdAt };
  const { sequence } = message;
  const begun = { ...stream, told, sequence, initial: false, pendingSince: undefined, message: undefined };
  return attempt(begun, { message: pending, calendar, more }, deps);
}

type Trying = {
  readonly message: PendingMessage;
  readonly calendar: ToldCalendar;
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
  const { url, secrets } = stream.endpoint;
  const outcome = await sendMessage({ url, secrets, messageId, body }, deps);
  const settled = { messageId, attempt: outcome.attempt, now: now() };
  if (outcome.attempt.fault !== undefined) {
    await streams.settleFailed(stream, settled, afterFailure({ stream, message, outcome }, now()));
    return undefined;
  }
  await streams.settleDelivered(stream, settled, { more, keepsLease: more });
  return more ? { ...stream, message: undefined } : undefined;
}

/** What was made when more was to be seen is cut, under its id. */
async function bodyToSend(
  message: PendingMessage,
  calendar: ToldCalendar,
  deps: DeliverDeps,
): Promise<string> {
  if (!showsLess(message.shows, calendar.shows)) return message.body;
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

/** What follows from a failed attempt, for the message and for its endpoint. `now` is epoch milliseconds. */
export function afterFailure({ stream, message, outcome }: Failed, now: number): AfterFailure {
  const { failures, failingSince } = stream.endpoint;
  // While the circuit is open, a message that is not due tries the endpoint for all and spends nothing.
  const counts = failures < OPEN_AFTER || message.nextAt <= now;
  const attempts = message.attempts + (counts ? 1 : 0);
  const { retryAfterMs, gone } = outcome;
  // Six failures of its own in a row would have opened the circuit: others were taken meanwhile.
  const refusedAlone = failures < OPEN_AFTER && attempts >= REFUSED_ALONE;
  const next = counts
    ? nextAttemptAt({ attempts, createdAt: message.createdAt, now, retryAfterMs })
    : message.nextAt;
  const retryAt = refusedAlone ? undefined : next;
  const gateAt = now + Math.max(gateMs(failures + 1), failures + 1 >= OPEN_AFTER ? (retryAfterMs ?? 0) : 0);
  return { counts, retryAt, reason: reasonOf(retryAt, refusedAlone), gateAt, pause: pauseOf() };

  function pauseOf(): Exclude<PauseReason, 'operator'> | undefined {
    if (gone) return 'gone';
    return failingSince !== undefined && failingSince <= now - PAUSE_AFTER_MS ? 'failing' : undefined;
  }
}

function reasonOf(retryAt: number | undefined, refusedAlone: boolean): string | undefined {
  if (retryAt !== undefined) return undefined;
  return refusedAlone
    ? 'Refused six times while other messages were taken'
    : 'Every attempt failed, the last one 75 hours after the first';
}
