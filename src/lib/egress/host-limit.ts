/** Limits the concurrent requests to one host. */

export type HostLimit = {
  /** Waits for a place, then runs `work`. Fails with the signal's reason when that comes first. */
  run<T>(host: string, signal: AbortSignal, work: () => Promise<T>): Promise<T>;
};

type Lane = { running: number; readonly waiting: Set<() => void> };

export function hostLimit(most: number): HostLimit {
  const lanes = new Map<string, Lane>();

  const enter = async (lane: Lane, signal: AbortSignal): Promise<void> => {
    if (lane.running < most) {
      lane.running += 1;
      return;
    }
    // `leave` hands its place over, so `running` does not change.
    const { promise, resolve, reject } = Promise.withResolvers<void>();
    const giveUp = () => {
      lane.waiting.delete(resolve);
      reject(signal.reason);
    };
    lane.waiting.add(resolve);
    signal.addEventListener('abort', giveUp, { once: true });
    await promise.finally(() => signal.removeEventListener('abort', giveUp));
  };

  const leave = (host: string, lane: Lane): void => {
    const [next] = lane.waiting;
    if (next !== undefined) {
      lane.waiting.delete(next);
      next();
      return;
    }
    lane.running -= 1;
    if (lane.running === 0) lanes.delete(host);
  };

  return {
    async run(host, signal, work) {
      const lane = lanes.get(host) ?? { running: 0, waiting: new Set() };
      lanes.set(host, lane);
      signal.throwIfAborted();
      await enter(lane, signal);
      try {
        return await work();
      } finally {
        leave(host, lane);
      }
    },
  };
}
