/**
 * Exchange drops the exceptions and deletions of a series when its pattern or its times change. Those that still have an
 * occurrence to be of are made again; the others have nothing left to differ from.
 */

import { isDeepStrictEqual } from 'node:util';
import type { CalendarEvent } from '../../calendars/event.ts';
import type { EventChange } from '../../calendars/event-writing.ts';
import { UnsupportedByProvider } from '../../calendars/unsupported.ts';
import { localOf, originalStartOf, timeLike } from '../../lib/recurrence/event-instant.ts';
import type { EventTime } from '../../lib/recurrence/event-time.ts';
import {
  type Current,
  type CurrentSeries,
  currentEvent,
  ifMatchOf,
  keyOn,
  occurrenceAt,
} from './current-event.ts';
import { bodyOf } from './event-body.ts';
import { patchEvent } from './patch-event.ts';
import type { Source } from './read-events.ts';
import { deleteAt } from './without-occurrences.ts';

/** `before` is the series before `change`, which has been written. */
export async function restoreExceptions(
  source: Source,
  before: CurrentSeries,
  { recurrence }: EventChange,
): Promise<void> {
  const exceptions = before.resources
    .flatMap(({ events }) => events)
    .filter(({ recurrenceId }) => recurrenceId !== undefined);
  const deleted = before.event.recurrence?.exdates ?? [];
  const wanted = recurrence?.exdates ?? [];
  if (exceptions.length + deleted.length + wanted.length === 0) return;

  const after = await currentEvent(source, { href: before.id, etag: undefined, known: before.resources });
  const kept = keptIn(after);
  const placed = (original: EventTime) => placeIn(before.event, after.event, original);
  // Both are on the clock that they were written for: the old one's move along.
  for (const original of [...deleted.map(placed), ...wanted]) await deleteAt(source, after, original);
  for (const exception of exceptions) {
    const original = placed(exception.recurrenceId ?? exception.start);
    if (!kept.has(keyOn(after.event, original)))
      await makeAgain(source, { before, after }, exception, original);
  }
}

const keptIn = ({ resources, event }: CurrentSeries): ReadonlySet<number> =>
  new Set(
    resources.flatMap(({ events }) =>
      events.flatMap(({ recurrenceId }) => (recurrenceId === undefined ? [] : [keyOn(event, recurrenceId)])),
    ),
  );

/** An original start moves by as much as that of the series. */
function placeIn(before: CalendarEvent, after: CalendarEvent, original: EventTime): EventTime {
  const own = originalStartOf(before.start, original, 'UTC');
  const sameKind = before.start.type === after.start.type;
  if (!sameKind) return originalStartOf(after.start, { type: 'date', date: dateOf(own) }, 'UTC');
  return timeLike(after.start, localOf(own) + localOf(after.start) - localOf(before.start));
}

const dateOf = (time: EventTime): string => (time.type === 'date' ? time.date : time.local.slice(0, 10));

async function makeAgain(
  source: Source,
  { before, after }: { readonly before: Current; readonly after: CurrentSeries },
  exception: CalendarEvent,
  original: EventTime,
): Promise<void> {
  const item = await occurrenceAt(source, after, original);
  if (!item?.id) return;
  const current: Current = { id: item.id, event: after.event, item, ifMatch: ifMatchOf(item) };
  const { start, end, ...words } = ownOf(exception, before.event);
  const write = (change: EventChange) =>
    patchEvent(
      source,
      current,
      bodyOf({ change, current: undefined, organizer: organizerOf(exception), meetings: undefined }),
    );
  try {
    await write({ ...words, ...(start && end && { start, end }) });
  } catch (failure) {
    if (!(failure instanceof UnsupportedByProvider) || start === undefined) throw failure;
    // The series has moved to where the exception was: it keeps its words, in the place of its occurrence.
    source.log.warn(
      { calendar: source.url, href: before.id, reason: failure.message },
      'Put an exception back',
    );
    await write(words);
  }
}

const organizerOf = ({ attendees }: CalendarEvent): string | undefined =>
  attendees.find(({ organizer }) => organizer)?.email;

const WORDS = ['title', 'description', 'location', 'availability', 'status', 'privacy', 'attendees'] as const;

/** What an exception has other than its series had. */
function ownOf(exception: CalendarEvent, series: CalendarEvent): EventChange {
  const own = Object.fromEntries(
    WORDS.filter((name) => !isDeepStrictEqual(exception[name], series[name])).map((name) => [
      name,
      exception[name] ?? null,
    ]),
  );
  const { recurrenceId, start, end } = exception;
  const stays =
    recurrenceId !== undefined &&
    isDeepStrictEqual(start, recurrenceId) &&
    lengthOf(exception) === lengthOf(series);
  return { ...own, ...(stays ? {} : { start, end }) };
}

const lengthOf = ({ start, end }: CalendarEvent): number => localOf(end) - localOf(start);
