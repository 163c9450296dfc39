/** Syncs one calendar's events: writes the changes since its sync token into the mirror in parts. */
import type { CalendarAccount, Changes } from '../calendars/calendar-provider.ts';
import type { MirroredChanges } from '../calendars/mirrored-event.ts';
import { ProviderError, type ProviderErrorKind } from '../calendars/provider-error.ts';
import { LEASE_MS } from './lease.ts';
import type { MirroredCalendar, MirrorStore, SyncLease } from './mirror-store.ts';
import { type PartPlan, planPart, planRemovals, planWrites } from './plan-sync.ts';
import type { ResourceRendering } from './resource-rendering.ts';

type EventSync = {
  readonly calendar: MirroredCalendar;
  readonly lease: SyncLease;
  readonly account: CalendarAccount;
  /** The owner of the work, for taking turns. */
  readonly owner: string;
  /** Whether the adapter continues an interrupted sync from the mirror's content (ProviderFacts). */
  readonly resumes: boolean;
};

type EventSyncDeps = {
  readonly mirror: MirrorStore;
  readonly rendering: ResourceRendering;
  readonly now: () => number;
  /** The start of this sync: the provider's responses are at least as new. Epoch milliseconds. */
  readonly startedAt: number;
};

/** The result of a sync. `lost`: another run has the lease. `paused`: a later sync continues it. */
export type SyncOutcome = 'done' | 'lost' | 'paused';

/** A slow server must not hold a slot longer. */
const LONGEST_SYNC_MS = 2 * 60_000;

/**
 * Runs a sync. The sync token is stored last, so an interrupted sync starts over. If the provider rejects the token, a
 * full listing follows, and what it lacks is deleted. Fails as `too_large` beyond a quota.
 */
export async function syncEvents(sync: EventSync, deps: EventSyncDeps): Promise<SyncOutcome> {
  const { syncToken } = sync.calendar;
  try {
    return await syncSince(syncToken, sync, deps);
  } catch (reason) {
    const isRelisted = reason instanceof SpaceFreed || (isA(reason, 'sync_token_expired') && syncToken);
    if (!isRelisted) throw reason;
    await deps.mirror.forgetSyncToken(sync.lease);
    return await syncSince(undefined, sync, deps).catch((again) => {
      throw again instanceof SpaceFreed ? again.failure : again;
    });
  }
}

const isA = (reason: unknown, kind: ProviderErrorKind): reason is ProviderError =>
  reason instanceof ProviderError && reason.kind === kind;

async function syncSince(
  token: string | undefined,
  { calendar, lease, account, owner, resumes }: EventSync,
  { mirror, rendering, now, startedAt }: EventSyncDeps,
): Promise<SyncOutcome> {
  const stored = () => mirror.storedVersions(calendar.calendarKey);
  const writing = partWriting({ calendar, lease, owner }, { mirror, rendering, now });

  const listed = new Set<string>();
  let complete: boolean | undefined;
  let next: string | undefined;
  for await (const part of account.changesSince(calendar.href, token, stored)) {
    const pieces = planPart(part, listed);
    // An empty part shows that a slow provider is alive. It extends the lease.
    const isSign = pieces.length === 0 && part.next === undefined;
    if (!(await writing.write(isSign ? [NOTHING] : pieces, part))) return 'lost';
    // In a calendar that was never read to its end, nothing can have been deleted.
    if (calendar.syncedAt === undefined) writing.throwIfFull();
    complete = part.complete && complete !== false;
    next = part.next ?? next;
    if (resumes && next === undefined && now() - startedAt > LONGEST_SYNC_MS) {
      // The quota has no space for the rest of the calendar.
      writing.throwIfFull();
      await mirror.pauseSync(lease);
      return 'paused';
    }
  }
  if (complete) {
    const removals = await planRemovals((await stored()).keys(), listed);
    if (!(await writing.drop(removals))) return 'lost';
  }
  writing.throwIfFull();
  return (await mirror.finishSync(lease, next, startedAt)) ? 'done' : 'lost';
}

const NOTHING: PartPlan = { write: [], leaveOut: [], remove: [] };

type PartWriting = {
  /** Writes the pieces of a part. Returns false if the lease was lost. */
  write(pieces: readonly PartPlan[], part: Pick<Changes, 'unchanged' | 'expected'>): Promise<boolean>;
  /** Deletes the resources that a full listing lacks. Returns false if the lease was lost. */
  drop(removals: readonly (readonly string[])[]): Promise<boolean>;
  /** Throws if a quota was exceeded: SpaceFreed if something was deleted since, otherwise ProviderError. */
  throwIfFull(): void;
};

/** A quota was exceeded, but something was deleted later, so there may be space. `failure` is the sync's. */
class SpaceFreed extends Error {
  readonly failure: ProviderError;

  constructor(failure: ProviderError) {
    super(failure.message);
    this.failure = failure;
  }
}

/** Writes changes in transactions of limited size. Beyond a quota, it writes only deletions. */
function partWriting(
  { calendar, lease, owner }: Pick<EventSync, 'calendar' | 'lease' | 'owner'>,
  { mirror, rendering, now }: Omit<EventSyncDeps, 'startedAt'>,
): PartWriting {
  let full: ProviderError | undefined;
  let madeRoom = false;
  let read = 0;
  let expected: number | undefined;
  const renderFor = { calendarZone: calendar.timeZone, owner };

  const apply = (changes: MirroredChanges): Promise<boolean> => {
    read += changes.changed.length + changes.leftOut.length;
    // Pages that mention a resource twice count it twice.
    const progress = { read: Math.min(read, expected ?? read), expected };
    const noted = calendar.syncedAt === undefined ? { ...changes, progress } : changes;
    return mirror.applyChanges(lease, noted, now() + LEASE_MS);
  };
  const take = async (removed: readonly string[]): Promise<boolean> => {
    madeRoom ||= removed.length > 0;
    return apply({ changed: [], leftOut: [], removed });
  };
  const writePiece = async ({ write, leaveOut, remove }: PartPlan): Promise<boolean> => {
    if (full !== undefined) return take(remove);
    const { changed, leftOut } = await rendering(write, renderFor);
    for (const changes of planWrites({ changed, leftOut: [...leaveOut, ...leftOut], removed: remove })) {
      try {
        if (!(await apply(changes))) return false;
      } catch (reason) {
        if (!(reason instanceof ProviderError) || reason.kind !== 'too_large') throw reason;
        full = reason;
        return take(changes.removed);
      }
    }
    return true;
  };

  return {
    async write(pieces, part) {
      read += part.unchanged?.length ?? 0;
      expected = part.expected ?? expected;
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
