/**
 * Exchange drops the exceptions and deletions of a series when its pattern or times change. They are created again if
 * the occurrence still exists.
 */
import { isDeepStrictEqual } from 'node:util';

import type { CalendarEvent } from '../../calendars/event.ts';
import type { EventChange } from '../../calendars/event-writing.ts';
import { toLocalMs } from '../../lib/recurrence/event-instant.ts';
import type { EventTime } from '../../lib/recurrence/event-time.ts';
import { createShift, shiftWithSeries } from '../../lib/recurrence/master-clock.ts';
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
    return [
      {
        original: shiftOriginal(event.recurrenceId),
        fields: ownMembers(item, items.master),
        times: changedTimes(event, series),
        move: series.start.type === after.event.start.type ? 'may' : 'cannot',
      },
    ];
  });
  await createExceptions(source, after, exceptions);
}

/** Returns the times of an exception; `undefined` if they are the series'. */
function changedTimes(exception: CalendarEvent, series: CalendarEvent): GraphTimes | undefined {
  const { recurrenceId, start, end } = exception;
  const stays =
    recurrenceId !== undefined &&
    isDeepStrictEqual(start, recurrenceId) &&
    lengthOf(exception) === lengthOf(series);
  return stays ? undefined : toGraphTimes(start, end);
}

const lengthOf = ({ start, end }: CalendarEvent): number => toLocalMs(end) - toLocalMs(start);
