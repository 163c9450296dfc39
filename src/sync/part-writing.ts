/** Writes a sync's changes in transactions of limited size. Beyond a quota, it writes only deletions. */
import { ProviderError } from '../calendars/provider-error.ts';
import { LEASE_MS } from './lease.ts';
import type { MirroredCalendar, MirrorStore, SyncLease } from './mirror-store.ts';
import { type PartPlan, planWrites } from './plan-sync.ts';
import type { ResourceRendering } from './resource-rendering.ts';

export type PartWriting = {
  /** Returns false if the lease was lost. */
  write(pieces: readonly PartPlan[]): Promise<boolean>;
  /** Deletes the resources that a full listing lacks. Returns false if the lease was lost. */
  drop(removals: readonly (readonly string[])[]): Promise<boolean>;
  /** Throws if a quota was exceeded: MadeRoom if something was deleted since, otherwise ProviderError. */
  throwIfFull(): void;
};

/** A quota was exceeded, but something was deleted later, so there may be space. `failure` is the sync's. */
export class SpaceFreed extends Error {
  readonly failure: ProviderError;

  constructor(failure: ProviderError) {
    super(failure.message);
    this.failure = failure;
  }
}

export type WritingOf = {
  readonly calendar: MirroredCalendar;
  readonly lease: SyncLease;
  readonly owner: string;
};
export type PartWritingDeps = {
  readonly mirror: MirrorStore;
  readonly rendering: ResourceRendering;
  readonly now: () => number;
};

export function partWriting(
  { calendar, lease, owner }: WritingOf,
  { mirror, rendering, now }: PartWritingDeps,
): PartWriting {
  let full: ProviderError | undefined;
  let madeRoom = false;
  const renderFor = { calendarZone: calendar.timeZone, owner };

  const take = async (removed: readonly string[]): Promise<boolean> => {
    madeRoom ||= removed.length > 0;
    return mirror.applyChanges(lease, { changed: [], leftOut: [], removed }, now() + LEASE_MS);
  };
  const writePiece = async ({ write, leaveOut, remove }: PartPlan): Promise<boolean> => {
    if (full !== undefined) return take(remove);
    const { changed, leftOut } = await rendering(write, renderFor);
    for (const changes of planWrites({ changed, leftOut: [...leaveOut, ...leftOut], removed: remove })) {
      try {
        if (!(await mirror.applyChanges(lease, changes, now() + LEASE_MS))) return false;
      } catch (reason) {
        if (!(reason instanceof ProviderError) || reason.kind !== 'too_large') throw reason;
        full = reason;
        return take(changes.removed);
      }
    }
    return true;
  };

  return {
    async write(pieces) {
      for (const piece of pieces) if (!(await writePiece(piece))) return false;
      return true;
    },
    async drop(removals) {
      for (const hrefs of removals) {
        madeRoom = true;
        if (!(await mirror.dropUnlisted(lease, hrefs, now() + LEASE_MS))) return false;
      }
      return true;
    },
    throwIfFull() {
      if (full !== undefined) throw madeRoom ? new SpaceFreed(full) : full;
    },
  };
}
