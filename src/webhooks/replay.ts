/** Messages that are sent once more because somebody asked: the same bytes under the same id, logged and not retried. */
import type { Attempt } from './message.ts';
import type { MessageLog, TakenReplay } from './message-log.ts';
import { type SendDeps, sendMessage } from './send-message.ts';
import type { StreamStore } from './stream-store.ts';
import { type VisibleBodyDeps, visibleBody } from './visible-body.ts';

export type ReplayDeps = SendDeps &
  VisibleBodyDeps & {
    readonly messages: MessageLog;
    readonly streams: Pick<StreamStore, 'narrowMessage'>;
  };

/** Sends a taken resend and logs the attempt. Fails if the database does; the resend is then sent again after its lease. */
export async function sendAgain(replay: TakenReplay, deps: ReplayDeps): Promise<void> {
  const { messages, now } = deps;
  const { messageId } = replay;
  const body = await bodyToReplay(replay, deps);
  const attempt =
    body === undefined ? withheld(now()) : (await sendMessage({ ...replay, body }, deps)).attempt;
  await messages.settleReplay(messageId, attempt, now());
}

/** Cut to what may be seen now, as it is from then on; `undefined` where nobody lets the application see it. */
async function bodyToReplay(replay: TakenReplay, deps: ReplayDeps): Promise<string | undefined> {
  const visible = await visibleBody(replay, deps);
  if (visible !== undefined && visible !== replay.body)
    await deps.streams.narrowMessage(replay.messageId, 'busy', visible);
  return visible;
}

const withheld = (now: number): Attempt => ({
  startedAt: now,
  durationMs: 0,
  status: undefined,
  fault: 'No grant covers its account any more',
  answer: undefined,
});
