/** The leases of the syncs that run in this process, so that a stop that was asked for is not counted against them. */
import type { SyncLease } from './mirror-store.ts';
import type { Target } from './sync-targets.ts';

export type UnderWay = { readonly target: Pick<Target, 'excuse'>; readonly lease: SyncLease };

export type LeasesUnderWay = {
  /** Works under the lease. */
  during<T>(underWay: UnderWay, work: () => Promise<T>): Promise<T>;
  /** No sync under way or begun from now on counts as one that did not come to its end. */
  excuse(): Promise<void>;
};

/** None yet. */
export function leasesUnderWay(): LeasesUnderWay {
  const all = new Set<UnderWay>();
  let areExcused = false;
  const excuse = ({ target, lease }: UnderWay) => target.excuse(lease);
  return {
    async during(underWay, work) {
      all.add(underWay);
      try {
        if (areExcused) await excuse(underWay);
        return await work();
      } finally {
        all.delete(underWay);
      }
    },
    async excuse() {
      areExcused = true;
      for (const underWay of [...all]) await excuse(underWay);
    },
  };
}
