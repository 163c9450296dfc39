/** What an id of the wire names in a calendar of the mirror: a single event, a master, or one instance of a series. */
import { DAY } from '../lib/recurrence/civil.ts';
import { instantOf, originalStartOf } from '../lib/recurrence/event-instant.ts';
import { expand } from '../lib/recurrence/expand.ts';
import { instanceIdOf, parseInstanceId } from '../lib/recurrence/instance-id.ts';
import { recurrenceBudget } from '../lib/recurrence/recurrence-budget.ts';
import type { EventContent, EventReader, MirroredSeries } from './event-reader.ts';
import { type ListedEvent, listedInstance, listedMaster } from './page-of-events.ts';

/** A calendar's zone, by its key. */
type Zones = ReadonlyMap<string, string>;

/** One for each of the calendars that has such an event. Cancelled ones are not there. */
export async function eventsNamed(
  id: string,
  zones: Zones,
  reader: Pick<EventReader, 'eventsNamed'>,
): Promise<ListedEvent[]> {
  const masterId = parseInstanceId(id)?.masterId;
  const ids = masterId === undefined ? [id] : [id, masterId];
  const { singles, series } = await reader.eventsNamed([...zones.keys()], ids);
  const found = new Map<string, ListedEvent>();
  // An id that is an event's very own comes before one that can be read as an instance's.
  const own = [
    ...singles.filter((single) => single.id === id),
    ...series
      .filter((one) => one.id === id)
      .map((one) => listedMaster(one, zones.get(one.calendarKey) ?? 'UTC')),
  ];
  const instances = series
    .filter((one) => one.id === masterId)
    .flatMap((one) => instanceNamed(id, one, zones.get(one.calendarKey) ?? 'UTC') ?? []);
  for (const event of [...own, ...instances]) {
    if (!found.has(event.calendarKey)) found.set(event.calendarKey, event);
  }
  return [...found.values()];
}

/** The instance of the series that has this id; `undefined` when there is none, or it was cancelled. */
export function instanceNamed(id: string, one: MirroredSeries, zone: string): ListedEvent | undefined {
  const original = parseInstanceId(id)?.originalStart;
  if (original === undefined) return undefined;
  const { master, overrides } = one.series;
  const own = overrides.find(
    ({ recurrenceId }) =>
      instanceIdOf(one.id, originalStartOf(master.start, recurrenceId, zone), zone) === id,
  );
  if (own?.cancelled) return undefined;
  const at = own === undefined ? instantOf(original, zone) : instantOf(own.start, zone);
  const reach = own === undefined ? shiftOf(one, zone) : 0;
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
