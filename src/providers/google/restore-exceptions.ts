/**
 * A series that moves: Google seems to keep its changed and deleted occurrences where the new pattern has their old starts,
 * and to drop the others, which no source confirms. Those move along with the series here: they are made again where it has
 * an occurrence to be changed.
 */
import { isDeepStrictEqual } from 'node:util';

import type { calendar_v3 } from '@googleapis/calendar';

import type { CalendarEvent, EventResource } from '../../calendars/event.ts';
import {
  instanceIdOf,
  instantOf,
  localOf,
  originalStartOf,
  timeLike,
} from '../../lib/recurrence/event-instant.ts';
import type { EventTime } from '../../lib/recurrence/event-time.ts';
import { expand } from '../../lib/recurrence/expand.ts';
import { RecurrenceBudgetError, recurrenceBudget } from '../../lib/recurrence/expand-rule.ts';
import { shiftWithSeries } from '../../lib/recurrence/shift-series.ts';
import { undefinedIf } from '../expected-failure.ts';
import { withoutUndefined } from '../json-value.ts';
import { googleTimePatch } from './body-times.ts';
import { conferencePatch } from './conference.ts';
import type { EventBody } from './event-body.ts';
import type { GoogleEvents, SeriesNow } from './events.ts';

type GoogleEvent = calendar_v3.Schema$Event;

/** `before` is the series before it was changed to `after`. */
export async function restoreExceptions(
  before: SeriesNow,
  after: EventResource,
  events: GoogleEvents,
): Promise<void> {
  const [old] = before.master.events;
  const [master] = after.events;
  if (old === undefined || master === undefined || isDeepStrictEqual(old.start, master.start)) return;
  const shift = { before: old.start, after: master.start, floatingZone: 'UTC' };
  for (const exception of before.exceptions) {
    const [event] = exception.events;
    if (event?.recurrenceId === undefined) continue;
    if (occursAt(master, originalStartOf(old.start, event.recurrenceId, 'UTC'))) continue;
    const shifted = shiftWithSeries(event.recurrenceId, shift);
    // Without a version: what it is of was made by the change just written.
    const version = { id: instanceIdOf(after.href, shifted, 'UTC'), etag: undefined };
    if (event.status === 'cancelled') await events.delete(version);
    else {
      const body = bodyOf(exception, before.master, shifted);
      // Where the new series has no such occurrence there is nothing left to differ from.
      await undefinedIf('not_found', events.patch({ ...version, body }));
    }
  }
}

/** A rule that cannot be followed, or not so far, is left to Google. */
function occursAt({ start, end, recurrence }: CalendarEvent, original: EventTime): boolean {
  if (original.type !== start.type) return false;
  const at = instantOf(original, 'UTC');
  const series = { master: { start, end, recurrence, payload: undefined }, overrides: [] };
  const window = { start: at, end: at + 1 };
  try {
    const { instances, unsupported } = expand(series, window, 'UTC', recurrenceBudget());
    return unsupported || instances.some(({ originalStart }) => instantOf(originalStart, 'UTC') === at);
  } catch (error) {
    if (error instanceof RecurrenceBudgetError) return true;
    throw error;
  }
}

/** What people set of an occurrence, by Google's names. */
const COMPARED_FIELDS = [
  'summary',
  'description',
  'location',
  'colorId',
  'status',
  'transparency',
  'visibility',
  'attendees',
  'reminders',
] as const;

/** What an exception had other than its series had. */
function bodyOf(exception: EventResource, master: EventResource, placed: EventTime): EventBody {
  // Both are as Google answered them.
  const item: GoogleEvent = exception.original;
  const series: GoogleEvent = master.original;
  const names = COMPARED_FIELDS.filter((name) => !isDeepStrictEqual(item[name], series[name]));
  return {
    ...Object.fromEntries(names.map((name) => [name, item[name] ?? null])),
    ...withoutUndefined({
      conferenceData: conferenceOf(item, series),
      extendedProperties: propertiesOf(item, series),
    }),
    ...timesOf(exception, master, placed),
  };
}

function conferenceOf(
  { conferenceData: conference }: GoogleEvent,
  { conferenceData: series }: GoogleEvent,
): EventBody['conferenceData'] {
  if (isDeepStrictEqual(conference, series)) return undefined;
  return conference ? conferencePatch(conference, series) : null;
}

function propertiesOf(
  { extendedProperties: properties }: GoogleEvent,
  { extendedProperties: series }: GoogleEvent,
): EventBody['extendedProperties'] {
  if (isDeepStrictEqual(properties, series)) return undefined;
  const missing = Object.keys(series?.private ?? {}).map((name) => [name, null]);
  return { private: { ...Object.fromEntries(missing), ...properties?.private } };
}

/** One that was moved stays where it was put; one that was not keeps its own length. */
function timesOf({ events: [event] }: EventResource, master: EventResource, placed: EventTime): EventBody {
  const [series] = master.events;
  if (event === undefined || series === undefined) return {};
  const { start, end, recurrenceId } = event;
  const follows = recurrenceId !== undefined && instantOf(start, 'UTC') === instantOf(recurrenceId, 'UTC');
  if (!follows) return { start: googleTimePatch(start, 'start'), end: googleTimePatch(end, 'end') };
  const length = localOf(end) - localOf(start);
  if (length === localOf(series.end) - localOf(series.start) || placed.type !== start.type) return {};
  return { end: googleTimePatch(timeLike(placed, localOf(placed) + length), 'end') };
}
