/** Days that a rule leaves out: to Outlook they are occurrences like others until they are deleted. */
import type { EventTime } from '../../lib/recurrence/event-time.ts';
import { type Current, currentEvent, occurrenceAt } from './current-event.ts';
import { deleteItem } from './delete-event.ts';
import type { Source } from './read-events.ts';

/** Deletes what there is on these starts. */
export async function withoutOccurrences(
  source: Source,
  id: string,
  exdates: readonly EventTime[],
): Promise<void> {
  const series = await currentEvent(source, { href: id, etag: undefined, known: [] });
  for (const exdate of exdates) await deleteAt(source, series, exdate);
}

/** One after the other, and without `If-Match`: each is a new version of the series. */
export async function deleteAt(source: Source, series: Current, original: EventTime): Promise<void> {
  const item = await occurrenceAt(source, series, original);
  if (item?.id) await deleteItem(source, item.id, undefined);
}
