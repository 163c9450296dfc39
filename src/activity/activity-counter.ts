/** Counts in memory and writes the sums every few seconds. A killed process loses the counts since the last write. */
import { type Asker, provenClientId } from '../http/asker.ts';
import type { Log } from '../lib/log.ts';
import { within } from '../lib/within.ts';
import {
  type Activity,
  type ActivityCount,
  type ActivityNotes,
  type AttemptCount,
  startOfHour,
} from './activity.ts';
import type { ActivityStore } from './activity-store.ts';

export type ActivityCounterDeps = {
  readonly activity: Pick<ActivityStore, 'addCounts'>;
  readonly log: Pick<Log, 'error'>;
  readonly now: () => number;
};

/** `answered` runs for every response, so it must be cheap. `stop` writes the rest, for at most two seconds. */
export type ActivityCounter = ActivityNotes & {
  answered(asker: Asker | undefined, isRefusal: boolean, durationMs: number): void;
  /** Counts a sync that has just ended. `startedAt` is in epoch milliseconds. */
  synced(sync: { readonly clientId: string; readonly startedAt: number }): void;
  /** Writes the counts so far. Never throws. */
  write(): Promise<void>;
  stop(): Promise<void>;
};

const WRITE_EVERY_MS = 5_000;
const STOP_MS = 2_000;
/** The number of counts per transaction: others can write between transactions. */
const WRITTEN_TOGETHER = 200;

export function startActivityCounter({ activity, log, now }: ActivityCounterDeps): ActivityCounter {
  // This has at most one entry per application, because nothing else is counted.
  const counted = new Map<string, Map<Activity, number>>();
  const attempted = new Map<string, AttemptCount>();
  let writing: Promise<void> | undefined;

  const increase = (clientId: string, name: Activity, by: number): void => {
    let ofClient = counted.get(clientId);
    if (ofClient === undefined) {
      ofClient = new Map();
      counted.set(clientId, ofClient);
    }
    ofClient.set(name, (ofClient.get(name) ?? 0) + by);
  };

  const increaseAttempts = ({ endpointId, attempts, failures }: AttemptCount): void => {
    const before = attempted.get(endpointId) ?? { attempts: 0, failures: 0 };
    const sums = { attempts: before.attempts + attempts, failures: before.failures + failures };
    attempted.set(endpointId, { endpointId, ...sums });
  };

  const writeAll = async (): Promise<void> => {
    const counts = takeAll(counted);
    const attempts = [...attempted.values()];
    attempted.clear();
    for (let from = 0; from < Math.max(counts.length, attempts.length); from += WRITTEN_TOGETHER) {
      const to = from + WRITTEN_TOGETHER;
      try {
        await activity.addCounts(counts.slice(from, to), startOfHour(now()), attempts.slice(from, to));
      } catch (err) {
        // The next write includes these counts.
        for (const { clientId, activity: name, count } of counts.slice(from)) increase(clientId, name, count);
        attempts.slice(from).forEach(increaseAttempts);
        log.error({ event: 'activity_not_counted', err }, 'Activity could not be counted');
        return;
      }
    }
  };
  const write = (): Promise<void> => {
    writing ??= writeAll().finally(() => {
      writing = undefined;
    });
    return writing;
  };
  const timer = setInterval(() => {
    if (counted.size > 0) void write();
  }, WRITE_EVERY_MS).unref();

  return {
    add: (clientId, name) => increase(clientId, name, 1),
    addAttempt({ clientId, endpointId }, isFailure) {
      increase(clientId, isFailure ? 'failed' : 'delivered', 1);
      increaseAttempts({ endpointId, attempts: 1, failures: Number(isFailure) });
    },
    answered(asker, isRefusal, durationMs) {
      const clientId = provenClientId(asker);
      if (clientId === undefined) return;
      increase(clientId, isRefusal ? 'refusals' : 'calls', 1);
      increase(clientId, 'call_ms', durationMs);
    },
    synced({ clientId, startedAt }) {
      increase(clientId, 'syncs', 1);
      // The clock may have been set back.
      increase(clientId, 'sync_ms', Math.max(0, now() - startedAt));
    },
    write,
    async stop() {
      clearInterval(timer);
      await within(STOP_MS, (writing ?? Promise.resolve()).then(write));
    },
  };
}

function takeAll(counted: Map<string, Map<Activity, number>>): ActivityCount[] {
  const counts = [...counted].flatMap(([clientId, ofClient]) =>
    // Most responses take less than a millisecond, so only sums are rounded.
    [...ofClient].map(([activity, count]) => ({ clientId, activity, count: Math.round(count) })),
  );
  counted.clear();
  return counts.filter(({ count }) => count > 0);
}
