/** What an id of the wire names in a calendar of the mirror: a single event, a master, or one instance of a series. */
import { DAY } from '../lib/recurrence/civil.ts';
import {
  instanceIdOf,
  instantOf,
  originalStartOf,
  parseInstanceId,
} from '../lib/recurrence/event-instant.ts';
import { expand } from '../lib/recurrence/expand.ts';
import { recurrenceBudget } from '../lib/recurrence/expand-rule.ts';
import type { EventContent, EventReader, MirroredSeries } from './event-reader.ts';
import type { ListedEvent } from './event-text.ts';
import { type CalendarZones, listedInstance, listedMaster, zoneIn } from './page-of-events.ts';

/** One for each of the calendars that has such an event. Cancelled ones are not there. */
export async function findById(
  id: string,
  zones: CalendarZones,
  reader: Pick<EventReader, 'eventsById'>,
): Promise<ListedEvent[]> {
  const masterId = parseInstanceId(id)?.masterId;
  const ids = masterId === undefined ? [id] : [id, masterId];
  const { singles, series } = await reader.eventsById([...zones.keys()], ids);
  // An id that is an event's very own comes before one that can be read as an instance's.
  const events = [
    ...singles.filter((single) => single.id === id),
    ...series.filter((one) => one.id === id).map((one) => listedMaster(one, zoneIn(zones, one))),
    ...series
      .filter((one) => one.id === masterId)
      .flatMap((one) => instanceById(id, one, zoneIn(zones, one)) ?? []),
  ];
  const byCalendar = Map.groupBy(events, ({ calendarKey }) => calendarKey);
  return [...byCalendar.values()].flatMap((ofCalendar) => ofCalendar.slice(0, 1));
}

/** The instance of the series that has this id; `undefined` when there is none, or it was cancelled. */
function instanceById(id: string, one: MirroredSeries, zone: string): ListedEvent | undefined {
  const original = parseInstanceId(id)?.originalStart;
  if (original === undefined) return undefined;
  const { master, overrides } = one.series;
  const override = overrides.find(
    ({ recurrenceId }) =>
      instanceIdOf(one.id, originalStartOf(master.start, recurrenceId, zone), zone) === id,
  );
  if (override?.cancelled) return undefined;
  const at = override === undefined ? instantOf(original, zone) : instantOf(override.start, zone);
  const reach = override === undefined ? shiftOf(one, zone) : 0;
  const window = { start: at - reach, end: at + reach + 1 };
  const { instances } = expand<EventContent>(one.series, window, zone, recurrenceBudget());
  const instance = instances.find(({ originalStart }) => instanceIdOf(one.id, originalStart, zone) === id);
  return instance && listedInstance(one, instance, zone);
}

/** By how much an override for all later instances may have moved them. */
function shiftOf({ series }: MirroredSeries, zone: string): number {
  const shifts = series.overrides
    .filter(({ thisAndFuture }) => thisAndFuture)
    .map(({ start, recurrenceId }) => Math.abs(instantOf(start, zone) - instantOf(recurrenceId, zone)) + DAY);
  return Math.max(0, ...shifts);
}
