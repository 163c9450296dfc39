/** Finds an event in the mirror by its id on the wire: a single event, a master, or an instance of a series. */
import { ApiError } from '../http/refusal.ts';
import { DAY } from '../lib/recurrence/civil.ts';
import {
  formatInstanceId,
  parseInstanceId,
  toInstant,
  toOriginalStart,
} from '../lib/recurrence/event-instant.ts';
import { expand } from '../lib/recurrence/expand.ts';
import { RecurrenceBudgetError, seriesBudget } from '../lib/recurrence/expand-rule.ts';
import type { Instance, TimeWindow } from '../lib/recurrence/series.ts';
import type { EventReader, WholeSeries } from './event-reader.ts';
import type { ListedEvent } from './event-text.ts';
import { QUERY } from './events-query.ts';
import { parseTimes, type SeriesTimes } from './expand-calendar.ts';
import { type CalendarZones, effectiveTimes, listedInstance, listedMaster, zoneIn } from './whole-series.ts';

/** Returns one event per calendar, none cancelled. Throws 422 `event_too_complex` beyond a read's budget. */
export async function findById(
  id: string,
  zones: CalendarZones,
  reader: Pick<EventReader, 'eventsById'>,
): Promise<ListedEvent[]> {
  const masterId = parseInstanceId(id)?.masterId;
  const ids = masterId === undefined ? [id] : [id, masterId];
  const { singles, series } = await reader.eventsById([...zones.keys()], ids);
  // An event's own id takes precedence over an id that can be read as an instance's.
  const events = [
    ...singles.filter((single) => single.id === id),
    ...series
      .filter((one) => one.id === id)
      .map((one) => listedMaster(one, parseTimes(one), zoneIn(zones, one))),
    ...series
      .filter((one) => one.id === masterId)
      .flatMap((one) => instanceById(id, one, zoneIn(zones, one)) ?? []),
  ];
  const byCalendar = Map.groupBy(events, ({ calendarKey }) => calendarKey);
  return [...byCalendar.values()].flatMap((ofCalendar) => ofCalendar.slice(0, 1));
}

/** Returns the instance with this id; `undefined` if it does not exist or was cancelled. */
function instanceById(id: string, one: WholeSeries, zone: string): ListedEvent | undefined {
  const original = parseInstanceId(id)?.originalStart;
  if (original === undefined) return undefined;
  const times = effectiveTimes(one, zone);
  const { master, overrides } = times;
  const override = overrides.find(
    ({ recurrenceId }) =>
      formatInstanceId(one.id, toOriginalStart(master.start, recurrenceId, zone), zone) === id,
  );
  if (override?.cancelled) return undefined;
  const at = override === undefined ? toInstant(original, zone) : toInstant(override.start, zone);
  const reach = override === undefined ? findLongestShift(times, zone) : 0;
  const window = { start: at - reach, end: at + reach + 1 };
  const instance = expandInstances(times, window, zone).find(
    ({ originalStart }) => formatInstanceId(one.id, originalStart, zone) === id,
  );
  return instance && listedInstance(one, instance, zone);
}

function expandInstances(times: SeriesTimes, window: TimeWindow, zone: string): readonly Instance<number>[] {
  try {
    return expand(times, window, zone, seriesBudget()).instances;
  } catch (cause) {
    if (!(cause instanceof RecurrenceBudgetError)) throw cause;
    throw new ApiError(QUERY.event_too_complex, { cause });
  }
}

/** Returns how far an override for all later instances may have moved them, in milliseconds. */
const findLongestShift = ({ overrides }: SeriesTimes, zone: string): number =>
  overrides
    .filter(({ thisAndFuture }) => thisAndFuture)
    .map(({ start, recurrenceId }) => Math.abs(toInstant(start, zone) - toInstant(recurrenceId, zone)) + DAY)
    .reduce((most, shift) => Math.max(most, shift), 0);
