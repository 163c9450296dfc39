/** Making exceptions of a series that has just been made, or been given other times. */
import type { Event as GraphEvent } from '@microsoft/microsoft-graph-types';

import { UnsupportedByProvider } from '../../calendars/provider-error.ts';
import type { EventTime } from '../../lib/recurrence/event-time.ts';
import type { GraphTimes } from './body-times.ts';
import { type Current, type CurrentSeries, keyOn, occurrenceAt } from './current-event.ts';
import type { Source } from './read-events.ts';
import { patchEvent } from './write-requests.ts';

export type NewException = {
  /** The start, by the rule of the series, of the occurrence that becomes the exception. */
  readonly original: EventTime;
  /** What it has of its own, its times aside. */
  readonly fields: GraphEvent;
  /** When it takes place, where that is not when its series says. */
  readonly times: GraphTimes | undefined;
  /** Whether those times can be had at all: not in a series that has changed between times and whole days. */
  readonly mayMove: boolean;
};

/** Those that are exceptions already stay as they are, so that a repetition goes on where it was interrupted. */
export async function makeExceptions(
  source: Source,
  series: CurrentSeries,
  exceptions: readonly NewException[],
): Promise<void> {
  const existing = exceptionKeys(series);
  for (const exception of exceptions)
    if (!existing.has(keyOn(series.event, exception.original)))
      await makeException(source, series, exception);
}

const exceptionKeys = ({ resources, event }: CurrentSeries): ReadonlySet<number> =>
  new Set(
    resources.flatMap(({ events }) =>
      events.flatMap(({ recurrenceId }) => (recurrenceId === undefined ? [] : [keyOn(event, recurrenceId)])),
    ),
  );

/** Without `If-Match`: what it is of was made by the change just written. */
async function makeException(
  source: Source,
  series: CurrentSeries,
  { original, fields, times, mayMove }: NewException,
): Promise<void> {
  const item = await occurrenceAt(source, series, original);
  if (!item?.id) return;
  const occurrence: Current = { id: item.id, event: series.event, item, ifMatch: undefined };
  try {
    await patchEvent(source, occurrence, { ...fields, ...(mayMove && times) });
    if (mayMove || times === undefined) return;
  } catch (failure) {
    if (!(failure instanceof UnsupportedByProvider) || times === undefined) throw failure;
    await patchEvent(source, occurrence, fields);
  }
  const where = { calendar: source.url, href: series.id, occurrence: item.id };
  source.log.warn(where, 'A moved occurrence is back in its place: its series has it where it cannot be');
}
