/**
 * Exchange drops the exceptions and deletions of a series when its pattern or times change. They are created again if
 * the occurrence still exists.
 */
import type { CalendarEvent } from '../../calendars/event.ts';
import type { EventChange } from '../../calendars/event-writing.ts';
import { isSameStart } from '../../lib/recurrence/event-instant.ts';
import type { EventTime } from '../../lib/recurrence/event-time.ts';
import { endLasting, measureLength } from '../../lib/recurrence/master-clock.ts';
import { createShift, isUsual, shiftWithSeries } from '../../lib/recurrence/shift-series.ts';
import { type GraphTimes, toGraphTimes } from './body-times.ts';
import { ownMembers } from './copied-members.ts';
import { type CurrentSeries, currentEvent } from './current-event.ts';
import { deleteAt } from './delete-event.ts';
import { createExceptions, type NewException } from './make-exceptions.ts';
import type { SeriesItems, Source } from './read-events.ts';

/** A series before a change; `items` are as Graph sent them, with texts as stored. */
export type SeriesBefore = CurrentSeries & { readonly items: SeriesItems };

/** Restores the exceptions and deletions of `before`. The change has been written. */
export async function restoreExceptions(
  source: Source,
  before: SeriesBefore,
  { recurrence }: EventChange,
): Promise<void> {
  const { event: series, items, resources } = before;
  const deleted = series.recurrence?.exdates ?? [];
  const newExdates = recurrence?.exdates ?? [];
  if (items.exceptions.length + deleted.length + newExdates.length === 0) return;

  const after = await currentEvent(source, { href: before.id, etag: undefined, stored: resources });
  const shift = createShift(series, { before: series.start, after: after.event.start, floatingZone: 'UTC' });
  const shiftOriginal = (original: EventTime) => shiftWithSeries(original, shift);
  // Former deletions move with the series; new ones are already on its new clock.
  for (const original of [...deleted.map(shiftOriginal), ...newExdates])
    await deleteAt(source, after, original);
  const itemsById = new Map(items.exceptions.map((item) => [item.id ?? '', item]));
  const exceptions = resources.flatMap(({ eventId, events: [event] }): NewException[] => {
    const item = itemsById.get(eventId);
    if (item === undefined || event?.recurrenceId === undefined) return [];
    const original = shiftOriginal(event.recurrenceId);
    return [
      {
        original,
        fields: ownMembers(item, items.master),
        times: changedTimes(event, series, original),
        move: series.start.type === after.event.start.type ? 'may' : 'cannot',
      },
    ];
  });
  await createExceptions(source, after, exceptions);
}

/** Returns the times of an exception: a moved one keeps its times, any other only its length, if it has its own. */
function changedTimes(
  { recurrenceId: original, start, end }: CalendarEvent,
  series: CalendarEvent,
  placed: EventTime,
): GraphTimes | undefined {
  if (original === undefined || !isSameStart(start, original, 'UTC')) return toGraphTimes(start, end);
  if (isUsual({ start, end, original }, series, 'UTC')) return undefined;
  return toGraphTimes(placed, endLasting(placed, measureLength(start, end, 'UTC'), 'UTC'));
}
