/** Creates the exceptions of a series that is new or has new times. */
import type { Event as GraphEvent } from '@microsoft/microsoft-graph-types';

import { UnsupportedByProvider } from '../../calendars/provider-error.ts';
import type { EventTime } from '../../lib/recurrence/event-time.ts';
import { missingMembers } from '../missing-members.ts';
import type { GraphTimes } from './body-times.ts';
import { type Current, type CurrentSeries, findOccurrence, toStartKey } from './current-event.ts';
import type { GraphItem } from './event-resource.ts';
import type { Source } from './read-events.ts';
import { patchEvent } from './write-requests.ts';

export type NewException = {
  /** The original start of the occurrence that becomes the exception. */
  readonly original: EventTime;
  /** The members that differ from the series, without its times. */
  readonly fields: GraphEvent;
  /** The times, if they differ from the series'. */
  readonly times: GraphTimes | undefined;
  /**
   * How `times` are written. `cannot`: not, as the series changed between times and whole days. `may`: if refused, the
   * exception keeps its place. `must`, in a copy: likewise if its neighbors are in the way; any other refusal fails.
   */
  readonly move: 'must' | 'may' | 'cannot';
};

/**
 * Creates the exceptions. Existing ones stay unchanged, except that a repeated copy writes what an earlier attempt left
 * out of them.
 */
export async function createExceptions(
  source: Source,
  series: CurrentSeries,
  exceptions: readonly NewException[],
): Promise<void> {
  const existing = collectExceptions(series);
  for (const exception of exceptions) {
    const item = existing.get(toStartKey(series.event, exception.original));
    if (item === undefined) {
      const occurrence = await findOccurrence(source, series, exception.original);
      if (occurrence !== undefined) await writeException(source, { series, item: occurrence }, exception);
    } else if (exception.move === 'must') {
      const fields = missingMembers(exception.fields, item, series.item);
      if (Object.keys(fields).length > 0)
        await writeException(source, { series, item }, { ...exception, fields, times: undefined });
    }
  }
}

/** Returns the existing exceptions by original start. */
const collectExceptions = ({ resources, event }: CurrentSeries): ReadonlyMap<number, GraphItem> =>
  new Map(
    resources.flatMap(({ events, original }) =>
      events.flatMap(({ recurrenceId }): [number, GraphItem][] =>
        recurrenceId === undefined ? [] : [[toStartKey(event, recurrenceId), original]],
      ),
    ),
  );

/** Writes without `If-Match`: the change just written created the occurrence. */
async function writeException(
  source: Source,
  { series, item }: { readonly series: CurrentSeries; readonly item: GraphItem },
  exception: NewException,
): Promise<void> {
  if (!item.id) return;
  const occurrence: Current = { id: item.id, event: series.event, item, ifMatch: undefined };
  const { fields, move } = exception;
  const times = move === 'cannot' ? undefined : exception.times;
  const isWritten = await unlessUnsupported(() => patchEvent(source, occurrence, { ...fields, ...times }));
  const isMoved = isWritten ? times === exception.times : await writeInParts(source, occurrence, exception);
  if (isMoved) return;
  const where = { calendar: source.url, href: series.id, occurrence: item.id };
  source.log.warn(
    { event: 'occurrence_not_moved', ...where },
    'A moved occurrence is back at its regular time, because its series cannot have it elsewhere',
  );
}

/** Writes an exception that was refused as a whole: its times first. Returns whether it has these times. */
async function writeInParts(
  source: Source,
  occurrence: Current,
  { fields, times, move }: NewException,
): Promise<boolean> {
  const isMoved =
    times === undefined || (move !== 'cannot' && (await moveOccurrence(source, occurrence, { times, move })));
  const members = await writeMembers(source, occurrence, fields);
  if (members.length === 0) return isMoved;
  const where = { calendar: source.url, occurrence: occurrence.id, members };
  source.log.warn(
    { event: 'occurrence_not_kept', ...where },
    'An occurrence has text of its series, because Outlook refuses its own',
  );
  return isMoved;
}

/** Writes the times; returns whether that was possible. If it must move, fails unless its neighbors are in the way. */
async function moveOccurrence(
  source: Source,
  occurrence: Current,
  { times, move }: { readonly times: GraphTimes; readonly move: 'must' | 'may' },
): Promise<boolean> {
  try {
    await patchEvent(source, occurrence, times);
    return true;
  } catch (failure) {
    const isLeft = move === 'may' ? isUnsupported(failure) : isBlockedByNeighbors(failure);
    if (isLeft) return false;
    throw failure;
  }
}

/** Writes the members; returns the refused ones. If the exception cannot be as private as before, writes none. */
async function writeMembers(source: Source, occurrence: Current, fields: GraphEvent): Promise<string[]> {
  const isAccepted = (body: GraphEvent) => unlessUnsupported(() => patchEvent(source, occurrence, body));
  const { sensitivity, ...members } = fields;
  if (sensitivity && !(await isAccepted({ sensitivity }))) return Object.keys(fields);
  if (await isAccepted(members)) return [];
  const refused: string[] = [];
  for (const [member, value] of Object.entries(members))
    if (!(await isAccepted({ [member]: value }))) refused.push(member);
  return refused;
}

async function unlessUnsupported(write: () => Promise<void>): Promise<boolean> {
  try {
    await write();
    return true;
  } catch (failure) {
    if (!isUnsupported(failure)) throw failure;
    return false;
  }
}

/** Returns whether Outlook refuses this content, as opposed to every change in a read-only calendar. */
const isUnsupported = (failure: unknown): failure is UnsupportedByProvider =>
  failure instanceof UnsupportedByProvider && failure.reason !== 'calendar_read_only';

/** Exchange keeps the occurrences of a series in order, each on a separate day, and each over before the next. */
const isBlockedByNeighbors = (failure: unknown): boolean =>
  isUnsupported(failure) &&
  (failure.reason === 'mode_not_supported_by_provider' ||
    failure.reason === 'recurrence_not_supported_by_provider');
