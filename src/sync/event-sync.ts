/** One sync of one calendar's events: what changed since its token goes into the mirror, part by part. */
import type { CalendarAccount } from '../calendars/calendar-provider.ts';
import { ProviderError } from '../calendars/provider-error.ts';
import { LEASE_MS } from './lease.ts';
import type { MirroredCalendar, MirrorStore, SyncLease } from './mirror-store.ts';
import { type PartPlan, planPart, planRemovals, planWrites } from './plan-sync.ts';
import type { ResourceRendering } from './resource-rendering.ts';

export type EventSync = {
  readonly calendar: MirroredCalendar;
  readonly lease: SyncLease;
  readonly account: CalendarAccount;
  /** Whose work it is, where users take turns. */
  readonly owner: string;
};

type EventSyncDeps = {
  readonly mirror: MirrorStore;
  readonly rendering: ResourceRendering;
  readonly now: () => number;
  /** When this sync began: what the provider answers is at least as new. */
  readonly startedAt: number;
};

/**
 * Answers false when another run has taken over the lease. The token moves only once everything
 * is written, so that a sync that ends early is done again from where it began. A token the provider
 * forgot is followed by a full listing, whose difference from the mirror is what was deleted.
 */
export async function syncEvents(sync: EventSync, deps: EventSyncDeps): Promise<boolean> {
  const { syncToken } = sync.calendar;
  try {
    return await syncSince(syncToken, sync, deps);
  } catch (reason) {
    const isExpired = reason instanceof ProviderError && reason.kind === 'sync_token_expired';
    if (syncToken === undefined || !isExpired) throw reason;
    await deps.mirror.forgetSyncToken(sync.lease);
    return syncSince(undefined, sync, deps);
  }
}

async function syncSince(
  token: string | undefined,
  { calendar, lease, account, owner }: EventSync,
  { mirror, rendering, now, startedAt }: EventSyncDeps,
): Promise<boolean> {
  const stored = () => mirror.storedVersions(calendar.calendarKey);
  const write = async (pieces: readonly PartPlan[]): Promise<boolean> => {
    for (const { write, leaveOut, remove } of pieces) {
      const { changed, leftOut } = await rendering(write, { calendarZone: calendar.timeZone, owner });
      for (const changes of planWrites({ changed, leftOut: [...leaveOut, ...leftOut], removed: remove }))
        if (!(await mirror.applyChanges(lease, changes, now() + LEASE_MS))) return false;
    }
    return true;
  };

  const listed = new Set<string>();
  let complete: boolean | undefined;
  let next: string | undefined;
  for await (const part of account.changesSince(calendar.href, token, stored)) {
    const pieces = planPart(part, listed);
    // A part without changes is a sign of life of a provider that takes long: it extends the lease as others do.
    const isSign = pieces.length === 0 && part.next === undefined;
    if (!(await write(isSign ? [NOTHING] : pieces))) return false;
    complete = part.complete && complete !== false;
    next = part.next ?? next;
  }
  if (complete) {
    for (const remove of planRemovals((await stored()).keys(), listed)) {
      if (!(await mirror.dropUnlisted(lease, remove, now() + LEASE_MS))) return false;
    }
  }
  return mirror.finishSync(lease, next, startedAt);
}

const NOTHING: PartPlan = { write: [], leaveOut: [], remove: [] };
