/** How a server starts and ends: what it has opened ends in reverse, after a failed start as after a signal. */
import type { Log } from './lib/log.ts';

export type Running = {
  /** The parts that the start has opened so far. They end in reverse order, each of them even if another one fails. */
  readonly parts: AsyncDisposableStack;
  /** Aborted by the first signal; its name is the reason. */
  readonly stopping: AbortSignal;
};

const SIGNALS = ['SIGTERM', 'SIGINT'] as const;

/**
 * Runs `start`, waits for SIGTERM or SIGINT, and ends the parts. If `start` fails, ends them and throws its error, unless a
 * signal came first. A second signal ends the process at once, as without a handler.
 */
export async function runUntilStopped(
  start: (running: Running) => Promise<void>,
  log: Pick<Log, 'info'>,
): Promise<void> {
  const stopping = new AbortController();
  const stopped = Promise.withResolvers<void>();
  const ignore = () => {
    for (const signal of SIGNALS) process.off(signal, stop);
  };
  const stop = (signal: NodeJS.Signals) => {
    ignore();
    log.info({ event: 'stopping', signal }, 'Stopping: what is under way is finished first');
    stopping.abort(signal);
    stopped.resolve();
  };
  for (const signal of SIGNALS) process.on(signal, stop);
  const parts = new AsyncDisposableStack();
  const failures: unknown[] = [];
  try {
    await start({ parts, stopping: stopping.signal });
    await stopped.promise;
  } catch (reason) {
    // After a signal, a step fails because it was interrupted.
    if (!stopping.signal.aborted) failures.push(reason);
  }
  await parts.disposeAsync().catch((reason: unknown) => failures.push(reason));
  ignore();
  if (failures.length > 0) throw failures[0];
}

/** Waits until all have ended, then throws the first failure among them. */
export async function endTogether(ends: readonly (Promise<unknown> | undefined)[]): Promise<void> {
  await Promise.allSettled(ends);
  await Promise.all(ends);
}

/** Logs an error that nobody catches, also that of a rejected promise, and exits with 1 once `flush` has written it. */
export function exitOnUncaught(log: Pick<Log, 'error'>, flush: () => void): void {
  process.on('uncaughtException', (err, origin) => {
    try {
      log.error(
        { event: 'uncaught_exception', err, origin },
        'An error was not caught, and the program exited',
      );
      flush();
    } finally {
      process.exit(1);
    }
  });
}
