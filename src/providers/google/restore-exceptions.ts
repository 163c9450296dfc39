/**
 * A series that moves: Google keeps its changed and deleted occurrences where the new pattern has their old starts (k), and
 * drops the others. Those move along with the series here: they are made again where it has an occurrence to be changed.
 */
import { isDeepStrictEqual } from 'node:util';

import type { calendar_v3 } from '@googleapis/calendar';

import type { CalendarEvent, EventResource } from '../../calendars/event.ts';
import { ProviderError } from '../../calendars/provider-error.ts';
import { instantOf, localOf, originalStartOf, timeLike } from '../../lib/recurrence/event-instant.ts';
import type { EventTime } from '../../lib/recurrence/event-time.ts';
import { expand } from '../../lib/recurrence/expand.ts';
import { instanceIdOf } from '../../lib/recurrence/instance-id.ts';
import { RecurrenceBudgetError, recurrenceBudget } from '../../lib/recurrence/recurrence-budget.ts';
import { conferencePatch } from './conference.ts';
import type { EventBody } from './event-body.ts';
import type { GoogleEvents, SeriesNow } from './events.ts';
import { googleTimePatch } from './written-times.ts';

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
  for (const exception of before.exceptions) {
    const [event] = exception.events;
    if (event?.recurrenceId === undefined) continue;
    const own = originalStartOf(old.start, event.recurrenceId, 'UTC');
    if (occursAt(master, own)) continue;
    const placed = placeIn(old, master, own);
    const id = instanceIdOf(after.href, placed, 'UTC');
    // Without a version: what it is of was made by the change just written.
    if (event.status === 'cancelled') await events.delete({ id, etag: undefined });
    else await makeAgain({ id, etag: undefined, body: bodyOf(exception, before.master, placed) }, events);
  }
}

/** Where the new series has no such occurrence there is nothing left to differ from. */
async function makeAgain(change: Parameters<GoogleEvents['patch']>[0], events: GoogleEvents): Promise<void> {
  try {
    await events.patch(change);
  } catch (error) {
    if (!(error instanceof ProviderError) || error.kind !== 'not_found') throw error;
  }
}

/** An original start moves by as much as that of the series, on the wall clock. */
function placeIn(before: CalendarEvent, after: CalendarEvent, own: EventTime): EventTime {
  if (before.start.type === after.start.type)
    return timeLike(after.start, localOf(own) + localOf(after.start) - localOf(before.start));
  const date = own.type === 'date' ? own.date : own.local.slice(0, 10);
  return originalStartOf(after.start, { type: 'date', date }, 'UTC');
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

/** What people set of an occurrence, in Google's own words. */
const OWN = [
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
  const own: GoogleEvent = exception.original;
  const series: GoogleEvent = master.original;
  const names = OWN.filter((name) => !isDeepStrictEqual(own[name], series[name]));
  return {
    ...Object.fromEntries(names.map((name) => [name, own[name] ?? null])),
    ...(isDeepStrictEqual(own.conferenceData, series.conferenceData)
      ? {}
      : {
          conferenceData: own.conferenceData
            ? conferencePatch(own.conferenceData, series.conferenceData)
            : null,
        }),
    ...propertiesOf(own, series),
    ...timesOf(exception, master, placed),
  };
}

function propertiesOf({ extendedProperties: own }: GoogleEvent, series: GoogleEvent): EventBody {
  if (isDeepStrictEqual(own, series.extendedProperties)) return {};
  const missing = Object.keys(series.extendedProperties?.private ?? {}).map((name) => [name, null]);
  return { extendedProperties: { private: { ...Object.fromEntries(missing), ...own?.private } } };
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
