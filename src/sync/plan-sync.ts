/** What a sync does with what a provider answered: decisions only, nothing is read or written here. */
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

/** What one transaction writes: long enough to be quick, short enough not to hold up other writers. */
const RESOURCES_PER_WRITE = 100;
const ROWS_PER_WRITE = 500;
const BYTES_PER_WRITE = 1_000_000;

/**
 * What to write for one part of an answer, in pieces. A provider may name a resource twice; the last word counts. One
 * that is both changed and removed is removed, and comes back with the next sync if that was wrong. Hrefs that exist
 * are added to `listed`.
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

/** Cuts what was rendered into what one transaction each may write. A single resource may be more than that. */
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
  // What goes is first, so that there is room for what comes.
  return [
    { changed: first, leftOut, removed },
    ...others.map((piece) => ({ changed: piece, leftOut: [], removed: [] })),
  ];
}

/** What to remove after a complete listing, in pieces: all that the mirror has and the listing did not name. */
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

/** So many syncs in a row that did not come to their end set a calendar or a list aside. */
const MOST_UNFINISHED = 3;
const SET_ASIDE_MS = 24 * 3_600_000;

/** `isDue`: it is the one try of a day, to be made under this failure. */
export type SetAside = { readonly failure: SyncFailure; readonly isDue: boolean };

/**
 * What keeps a sync from being run, whose process may not survive it: `unfinished` ones were begun before it in a row,
 * and what the last one failed of is `before`.
 */
export function setAside({ unfinished, before, what }: UnfinishedSyncs, now: number): SetAside | undefined {
  if (unfinished < MOST_UNFINISHED) return undefined;
  const message = `Reading ${what} did not come to its end three times in a row: it is tried once a day`;
  return {
    failure: { kind: 'set_aside', reason: 'calendar_set_aside', message, retryAt: now + SET_ASIDE_MS },
    isDue: before?.kind === 'set_aside' && (before.retryAt ?? 0) <= now,
  };
}

export type UnfinishedSyncs = {
  readonly unfinished: number;
  readonly before: SyncFailure | undefined;
  /** In a sentence. */
  readonly what: string;
};
