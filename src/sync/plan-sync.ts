/** Plans a sync's writes for a provider's response, without reading or writing. */
import type { Changes } from '../calendars/calendar-provider.ts';
import type { EventResource, LeftOutResource } from '../calendars/event.ts';
import type { MirroredChanges, MirroredResource } from '../calendars/mirrored-event.ts';
import type { SyncFailure } from '../calendars/sync-failure.ts';
import { inTurns } from '../lib/in-turns.ts';

export type PartPlan = {
  readonly write: readonly EventResource[];
  readonly leaveOut: readonly LeftOutResource[];
  readonly remove: readonly string[];
};

/** The limits of one transaction: large enough for speed, small enough for other writers. */
const RESOURCES_PER_WRITE = 100;
const ROWS_PER_WRITE = 500;
const BYTES_PER_WRITE = 1_000_000;

/**
 * Plans the writes for a part of a response. The last mention of a resource counts, except that a removal wins; if that
 * is wrong, the next sync restores the resource. Adds existing hrefs to `listed`.
 */
export function planPart(part: Changes, listed: Set<string>): PartPlan[] {
  const removed = new Set(part.removed);
  const leftOut = new Map((part.leftOut ?? []).map((resource) => [resource.href, resource]));
  const changed = new Map(part.changed.map((resource) => [resource.href, resource]));
  for (const href of leftOut.keys()) changed.delete(href);
  for (const href of removed) {
    changed.delete(href);
    leftOut.delete(href);
    listed.delete(href);
  }
  for (const hrefs of [changed.keys(), leftOut.keys(), part.unchanged ?? []]) {
    for (const href of hrefs) if (!removed.has(href)) listed.add(href);
  }
  const write = inSlices([...changed.values()]);
  const leaveOut = inSlices([...leftOut.values()]);
  const remove = inSlices([...removed]);
  return Array.from({ length: Math.max(write.length, leaveOut.length, remove.length) }, (_, i) => ({
    write: write[i] ?? [],
    leaveOut: leaveOut[i] ?? [],
    remove: remove[i] ?? [],
  }));
}

/** Splits rendered resources into transactions. A single resource may exceed the limits. */
export function planWrites({ changed, leftOut, removed }: MirroredChanges): MirroredChanges[] {
  const pieces: MirroredResource[][] = [];
  let bytes = 0;
  let rows = 0;
  for (const resource of changed) {
    const size = Math.max(resource.events.length, 1);
    const piece = pieces.at(-1);
    bytes += resource.bytes;
    rows += size;
    const fits = bytes <= BYTES_PER_WRITE && rows <= ROWS_PER_WRITE;
    if (piece !== undefined && fits && piece.length < RESOURCES_PER_WRITE) {
      piece.push(resource);
      continue;
    }
    pieces.push([resource]);
    bytes = resource.bytes;
    rows = size;
  }
  const [first = [], ...others] = pieces;
  // Deletions come first to make space.
  return [
    { changed: first, leftOut, removed },
    ...others.map((piece) => ({ changed: piece, leftOut: [], removed: [] })),
  ];
}

/** Plans the deletion of everything in the mirror that a complete listing lacks, in pieces. */
export async function planRemovals(
  stored: Iterable<string>,
  listed: ReadonlySet<string>,
): Promise<string[][]> {
  const deleted: string[] = [];
  await inTurns(stored, (href) => {
    if (!listed.has(href)) deleted.push(href);
  });
  return inSlices(deleted);
}

function inSlices<T>(items: readonly T[]): T[][] {
  const slices: T[][] = [];
  for (let at = 0; at < items.length; at += RESOURCES_PER_WRITE)
    slices.push(items.slice(at, at + RESOURCES_PER_WRITE));
  return slices;
}

/** From this many failures in a row, reads no longer request a sync each time. */
const FAILURES_TO_REST = 5;
const FIRST_REST_MS = 30_000;
const LONGEST_REST_MS = 5 * 60_000;

/**
 * Returns the failure with its count. After several in a row, it has a time before which no read requests a sync;
 * another failure lengthens the pause, and a success deletes it.
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

/** After this many unfinished syncs in a row, a calendar or list is set aside. */
const MOST_UNFINISHED = 3;
const SET_ASIDE_MS = 24 * 3_600_000;

/** `isDue`: the one daily attempt is due. */
export type SetAside = { readonly failure: SyncFailure; readonly isDue: boolean };

/** Returns why a sync should not run that may kill its process. `before` is the last sync's failure. */
export function setAside({ unfinished, before, what }: UnfinishedSyncs, now: number): SetAside | undefined {
  if (unfinished < MOST_UNFINISHED) return undefined;
  const message = `Three attempts to read ${what} did not finish: it is now tried once a day`;
  return {
    failure: { kind: 'set_aside', reason: 'calendar_set_aside', message, retryAt: now + SET_ASIDE_MS },
    isDue: before?.kind === 'set_aside' && (before.retryAt ?? 0) <= now,
  };
}

export type UnfinishedSyncs = {
  readonly unfinished: number;
  readonly before: SyncFailure | undefined;
  /** The calendar or list, for a sentence. */
  readonly what: string;
};
