/** One sync of one calendar's events: what changed since its token goes into the mirror, part by part. */
import type { CalendarAccount } from '../calendars/calendar-provider.ts';
import { ProviderError, type ProviderErrorKind } from '../calendars/provider-error.ts';
import type { MirroredCalendar, MirrorStore, SyncLease } from './mirror-store.ts';
import { MadeRoom, partWriting } from './part-writing.ts';
import { type PartPlan, planPart, planRemovals } from './plan-sync.ts';
import type { ResourceRendering } from './resource-rendering.ts';

export type EventSync = {
  readonly calendar: MirroredCalendar;
  readonly lease: SyncLease;
  readonly account: CalendarAccount;
  /** Whose work it is, where users take turns. */
  readonly owner: string;
  /** Whether the provider's adapter goes on where a sync ended, by what the mirror has (ProviderFacts). */
  readonly resumes: boolean;
};

type EventSyncDeps = {
  readonly mirror: MirrorStore;
  readonly rendering: ResourceRendering;
  readonly now: () => number;
  /** When this sync began: what the provider answers is at least as new. */
  readonly startedAt: number;
};

/** `lost`: another run has taken over the lease. `paused`: a later sync goes on with it. */
export type SyncOutcome = 'done' | 'lost' | 'paused';

/** A slow server does not hold a slot for longer. */
const LONGEST_SYNC_MS = 2 * 60_000;

/**
 * The token moves only once everything is written, so that a sync that ends early is done again from where it began. A
 * token the provider forgot is followed by a full listing, whose difference from the mirror is what was deleted. Fails as
 * `too_large` when there is more than is kept; what is there then is written, as far as there was room.
 */
export async function syncEvents(sync: EventSync, deps: EventSyncDeps): Promise<SyncOutcome> {
  const { syncToken } = sync.calendar;
  try {
    return await syncSince(syncToken, sync, deps);
  } catch (reason) {
    const isRelisted = reason instanceof MadeRoom || (isA(reason, 'sync_token_expired') && syncToken);
    if (!isRelisted) throw reason;
    await deps.mirror.forgetSyncToken(sync.lease);
    return await syncSince(undefined, sync, deps).catch((again) => {
      throw again instanceof MadeRoom ? again.failure : again;
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
    // A part without changes is a sign of life of a provider that takes long: it extends the lease as others do.
    const isSign = pieces.length === 0 && part.next === undefined;
    if (!(await writing.write(isSign ? [NOTHING] : pieces))) return 'lost';
    // Of a calendar that was never read to its end nothing can have gone.
    if (calendar.syncedAt === undefined) writing.throwIfFull();
    complete = part.complete && complete !== false;
    next = part.next ?? next;
    if (resumes && next === undefined && now() - startedAt > LONGEST_SYNC_MS) {
      // What would be gone on with is what there is no room for.
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
