/** The start and end of a server: opened parts end in reverse order, after a failed start or a signal. */
import { pino } from 'pino';

import { currentTrace } from '../lib/current-trace.ts';
import type { Log } from '../lib/log.ts';
import { loggedError } from '../lib/logged-error.ts';

export type Running = {
  /** The opened parts. They end in reverse order, even if one fails. */
  readonly parts: AsyncDisposableStack;
  /** Aborted by the first signal; its name is the reason. */
  readonly stopping: AbortSignal;
};

/**
 * Runs `start`, waits for SIGTERM or SIGINT, and ends the parts. If `start` fails without a signal, throws its error.
 * The same signal again ends the process at once.
 */
export async function runUntilStopped(
  start: (running: Running) => Promise<void>,
  log: Pick<Log, 'info'>,
): Promise<void> {
  const stopping = new AbortController();
  const stopped = Promise.withResolvers<void>();
  for (const signal of ['SIGTERM', 'SIGINT'] as const)
    process.once(signal, () => {
      log.info({ event: 'stopping', signal }, 'Stopping: running work is finished first');
      stopping.abort(signal);
      stopped.resolve();
    });
  const parts = new AsyncDisposableStack();
  const run = start({ parts, stopping: stopping.signal }).then(() => stopped.promise);
  const [started] = await Promise.allSettled([run]);
  const [ended] = await Promise.allSettled([parts.disposeAsync()]);
  // After a signal, the start fails because it was interrupted.
  if (started.status === 'rejected' && !stopping.signal.aborted) throw started.reason;
  if (ended.status === 'rejected') throw ended.reason;
}

/** Waits until all have ended, then throws the first failure. */
export async function endTogether(ends: readonly (Promise<unknown> | undefined)[]): Promise<void> {
  await Promise.allSettled(ends);
  await Promise.all(ends);
}

/** The maximum wait for a stalled reader of the log before an exit because of an error. */
const MOST_FLUSH_MS = 1_000;

/** Returns the fields of a line that is logged in a sampled trace. */
function traceFields(): object {
  const trace = currentTrace.getStore();
  return trace?.isSampled ? { trace_id: trace.traceId, span_id: trace.spanId } : {};
}

/**
 * Opens the log on standard error. Uncaught errors and rejections are logged, and the program exits with 1. `isTraced`:
 * the program sends traces, so lines name theirs.
 */
export function openLog(level: string, { isTraced = false } = {}) {
  let retriesUntil = Number.POSITIVE_INFINITY;
  const retryEAGAIN = () => performance.now() < retriesUntil;
  const output = pino.destination({ dest: 2, sync: false, retryEAGAIN });
  const mixin = isTraced ? { mixin: traceFields } : {};
  const log = pino({ level, base: null, serializers: { err: loggedError }, ...mixin }, output);
  process.on('uncaughtException', (err, origin) => {
    try {
      log.error(
        { event: 'uncaught_exception', err, origin },
        'An error was not caught, and the program exited',
      );
      retriesUntil = performance.now() + MOST_FLUSH_MS;
      output.flushSync();
    } finally {
      // Prevents a second flush at the exit.
      output.destroy();
      process.exit(1);
    }
  });
  return log;
}
