/**
 * Exchange drops the exceptions and deletions of a series when its pattern or its times change. Those that still have an
 * occurrence to be of are made again; the others have nothing left to differ from.
 */
import { isDeepStrictEqual } from 'node:util';

import type { Event as GraphEvent } from '@microsoft/microsoft-graph-types';

import type { CalendarEvent } from '../../calendars/event.ts';
import type { EventChange } from '../../calendars/event-writing.ts';
import { UnsupportedByProvider } from '../../calendars/provider-error.ts';
import { localOf } from '../../lib/recurrence/event-instant.ts';
import type { EventTime } from '../../lib/recurrence/event-time.ts';
import { shiftWithSeries } from '../../lib/recurrence/shift-series.ts';
import { type GraphTimes, timesFor } from './body-times.ts';
import { type Current, type CurrentSeries, currentEvent, keyOn, occurrenceAt } from './current-event.ts';
import { deleteAt } from './delete-event.ts';
import type { GraphItem } from './event-resource.ts';
import type { Source } from './read-events.ts';
import { patchEvent } from './write-requests.ts';

/** `before` is the series before `change`, which has been written. */
export async function restoreExceptions(
  source: Source,
  before: CurrentSeries,
  { recurrence }: EventChange,
): Promise<void> {
  const exceptions = before.resources.flatMap(({ events, original }): Exception[] =>
    events.flatMap((event) => (event.recurrenceId === undefined ? [] : [{ event, item: original }])),
  );
  const deleted = before.event.recurrence?.exdates ?? [];
  const newExdates = recurrence?.exdates ?? [];
  if (exceptions.length + deleted.length + newExdates.length === 0) return;

  const after = await currentEvent(source, { href: before.id, etag: undefined, stored: before.resources });
  const existing = exceptionKeys(after);
  const shift = { before: before.event.start, after: after.event.start, floatingZone: 'UTC' };
  const shifted = (original: EventTime) => shiftWithSeries(original, shift);
  // Both are on the clock that they were written for: the old one's move along.
  for (const original of [...deleted.map(shifted), ...newExdates]) await deleteAt(source, after, original);
  for (const exception of exceptions) {
    const original = shifted(exception.event.recurrenceId ?? exception.event.start);
    if (!existing.has(keyOn(after.event, original)))
      await restoreException(source, { before, after }, { ...exception, original });
  }
}

/** `item` is as Graph answered it. */
type Exception = { readonly event: CalendarEvent; readonly item: GraphItem };

const exceptionKeys = ({ resources, event }: CurrentSeries): ReadonlySet<number> =>
  new Set(
    resources.flatMap(({ events }) =>
      events.flatMap(({ recurrenceId }) => (recurrenceId === undefined ? [] : [keyOn(event, recurrenceId)])),
    ),
  );

/** Without `If-Match`: what it is of was made by the change just written. */
async function restoreException(
  source: Source,
  { before, after }: { readonly before: CurrentSeries; readonly after: CurrentSeries },
  exception: Exception & { readonly original: EventTime },
): Promise<void> {
  const item = await occurrenceAt(source, after, exception.original);
  if (!item?.id) return;
  const occurrence: Current = { id: item.id, event: after.event, item, ifMatch: undefined };
  const fields = changedFields(exception.item, before.item);
  const times = changedTimes(exception.event, before.event);
  const isSameKind = before.event.start.type === after.event.start.type;
  try {
    await patchEvent(source, occurrence, { ...fields, ...(isSameKind && times) });
    if (isSameKind || times === undefined) return;
  } catch (failure) {
    if (!(failure instanceof UnsupportedByProvider) || times === undefined) throw failure;
    await patchEvent(source, occurrence, fields);
  }
  const where = { calendar: source.url, href: before.id, occurrence: item.id };
  source.log.warn(where, 'A moved occurrence is back in its place: its series moved to where it cannot be');
}

/** What people set of an occurrence, by Graph's names. */
const COMPARED_FIELDS = [
  'subject',
  'body',
  'showAs',
  'sensitivity',
  'attendees',
  'categories',
  'importance',
  'isReminderOn',
  'reminderMinutesBeforeStart',
] as const;

/** What an exception had other than its series had. */
function changedFields(item: GraphItem, master: GraphItem): GraphEvent {
  const names = COMPARED_FIELDS.filter(
    (name) => name in item && !isDeepStrictEqual(item[name], master[name]),
  );
  const displayName = item.location?.displayName ?? '';
  const isElsewhere = displayName !== (master.location?.displayName ?? '');
  return {
    ...Object.fromEntries(names.map((name) => [name, item[name]])),
    ...(isElsewhere && { location: { displayName } }),
  };
}

/** `undefined` of one that took place when its series said. */
function changedTimes(exception: CalendarEvent, series: CalendarEvent): GraphTimes | undefined {
  const { recurrenceId, start, end } = exception;
  const stays =
    recurrenceId !== undefined &&
    isDeepStrictEqual(start, recurrenceId) &&
    lengthOf(exception) === lengthOf(series);
  return stays ? undefined : timesFor(start, end);
}

const lengthOf = ({ start, end }: CalendarEvent): number => localOf(end) - localOf(start);
