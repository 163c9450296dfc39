/** Waits for another process (the command line) that has SQLite's only lock for writing. */
import { setTimeout as sleep } from 'node:timers/promises';

const SQLITE_BUSY = 5;
/** Default time for which a write waits for the lock. */
export const LOCK_WAIT_MS = 10_000;
/** While the file is opened or recovered, the thread itself waits: nothing else can run yet. */
export const READ_TIMEOUT_MS = 5_000;
export const PAUSE_MS = 5;

/** How long a write waits for the lock. A change applies to later writes. */
export type LockPatience = { lockWaitMs: number };

/** A write that waits for the lock until this moment, of `performance.now()`. */
type Waiting = { readonly until: number; readonly reject: (reason: unknown) => void };

/** Returns whether another connection had the lock. The low byte is the primary result code. */
export function isBusy(reason: unknown): boolean {
  // node:sqlite puts SQLite's result code on its errors.
  const code = reason instanceof Error && 'errcode' in reason ? reason.errcode : undefined;
  return typeof code === 'number' && (code & 0xff) === SQLITE_BUSY;
}

/** Resolves with the writes for which `begin` got the lock; if none, nothing began. Rejects the others at `until`. */
export async function beginUnlocked<W extends Waiting>(
  begin: () => void,
  writes: readonly W[],
): Promise<readonly W[]> {
  for (let left = writes; ; await sleep(PAUSE_MS)) {
    try {
      begin();
      return left;
    } catch (reason) {
      if (!isBusy(reason)) throw reason;
      const now = performance.now();
      for (const { until, reject } of left) if (until <= now) reject(reason);
      left = left.filter(({ until }) => until > now);
      if (left.length === 0) return left;
    }
  }
}

/** Repeats `work` until no lock prevents it. SQLite does not wait for a lock when it changes the journal mode. */
export function whenUnlocked(work: () => void): void {
  const pause = new Int32Array(new SharedArrayBuffer(4));
  for (const until = performance.now() + LOCK_WAIT_MS; ; Atomics.wait(pause, 0, 0, PAUSE_MS)) {
    try {
      work();
      return;
    } catch (reason) {
      if (!isBusy(reason) || performance.now() >= until) throw reason;
    }
  }
}
