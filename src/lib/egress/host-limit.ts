/** Limits the concurrent requests to one host, and how many wait for it. */
import { EgressError } from './egress-error.ts';

export type HostLimit = {
  /**
   * Waits for a place, then runs `work`. Fails with the signal's reason when that comes first, and with EgressError
   * `busy` at once when too many wait already, or too many hosts are being asked.
   */
  run<T>(host: string, signal: AbortSignal, work: () => Promise<T>): Promise<T>;
};

export type HostLimits = {
  /** Most requests of one host that run at once, and that wait. */
  readonly running: number;
  readonly waiting: number;
  /** Most hosts that are asked at once. */
  readonly hosts: number;
};

type Lane = { running: number; readonly waiting: Set<() => void> };

/** Places within these limits. */
export function hostLimit({ running, waiting, hosts }: HostLimits): HostLimit {
  const lanes = new Map<string, Lane>();

  const laneOf = (host: string): Lane => {
    const known = lanes.get(host);
    if (known !== undefined) return known;
    if (lanes.size >= hosts) throw new EgressError('busy', 'Too many servers are being asked just now');
    const lane: Lane = { running: 0, waiting: new Set() };
    lanes.set(host, lane);
    return lane;
  };

  const enter = async (host: string, lane: Lane, signal: AbortSignal): Promise<void> => {
    if (lane.running < running) {
      lane.running += 1;
      return;
    }
    if (lane.waiting.size >= waiting)
      throw new EgressError('busy', `Too many requests wait for ${host.replace(/:\d+$/, '')}`);
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
      signal.throwIfAborted();
      const lane = laneOf(host);
      await enter(host, lane, signal);
      try {
        return await work();
      } finally {
        leave(host, lane);
      }
    },
  };
}
