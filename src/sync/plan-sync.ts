/** What a sync does with what a provider answered: decisions only, nothing is read or written here. */
import type { Changes } from '../calendars/calendar-provider.ts';
import type { EventResource } from '../calendars/event.ts';
import type { SyncFailure } from '../calendars/sync-failure.ts';

export type PartPlan = { readonly write: readonly EventResource[]; readonly remove: readonly string[] };

/** Resources in one transaction: long enough to be quick, short enough not to hold up other writers. */
const RESOURCES_PER_WRITE = 100;

/**
 * What to write for one part of an answer, in pieces of one transaction each. A provider may name a
 * resource twice; the last word counts. One that is both changed and removed is removed, and comes
 * back with the next sync if that was wrong. Hrefs that exist are added to `listed`.
 */
export function planPart(part: Changes, listed: Set<string>): PartPlan[] {
  const removed = new Set(part.removed);
  const changed = new Map(part.changed.map((resource) => [resource.href, resource]));
  for (const href of removed) {
    changed.delete(href);
    listed.delete(href);
  }
  for (const href of changed.keys()) listed.add(href);
  return inPieces([...changed.values()], [...removed]);
}

/** What to remove after a complete listing: all that the mirror has and the listing did not name. */
export function planRemovals(stored: Iterable<string>, listed: ReadonlySet<string>): PartPlan[] {
  const gone = [...stored].filter((href) => !listed.has(href));
  return inPieces([], gone);
}

function inPieces(write: readonly EventResource[], remove: readonly string[]): PartPlan[] {
  const pieces: PartPlan[] = [];
  for (let at = 0; at < Math.max(write.length, remove.length); at += RESOURCES_PER_WRITE) {
    const end = at + RESOURCES_PER_WRITE;
    pieces.push({ write: write.slice(at, end), remove: remove.slice(at, end) });
  }
  return pieces;
}

/** From the fifth failure in a row reads no longer ask the provider each time. */
const FAILURES_TO_REST = 5;
const FIRST_REST_MS = 30_000;
const LONGEST_REST_MS = 5 * 60_000;

/**
 * A failure as it is kept, given the one before: counted, and after several in a row with an instant
 * before which nobody asks again. The sync that comes then is the only one, by its lease: if it fails,
 * everybody rests for longer; if it does not, the failure is forgotten.
 */
export function countedFailure(
  failure: SyncFailure,
  before: SyncFailure | undefined,
  now: number,
): SyncFailure {
  const failures = before === undefined ? 1 : (before.failures ?? 1) + 1;
  if (failures < FAILURES_TO_REST) return { ...failure, failures };
  const rest = Math.min(FIRST_REST_MS * 2 ** Math.min(failures - FAILURES_TO_REST, 10), LONGEST_REST_MS);
  return { ...failure, failures, retryAt: Math.max(now + rest, failure.retryAt ?? 0) };
}
