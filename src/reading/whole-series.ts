/** Events of a series that was read whole, as answers have them. */
import { instanceIdOf, instantOf, originalStartOf } from '../lib/recurrence/event-instant.ts';
import { effectiveOverrides } from '../lib/recurrence/expand.ts';
import type { Instance, SeriesOverride } from '../lib/recurrence/series.ts';
import { rulesOf } from './event-pieces.ts';
import type { EventContent, WholeSeries } from './event-reader.ts';
import type { ListedEvent } from './event-text.ts';
import { type SeriesTimes, timesOf } from './expand-calendar.ts';

/** Time zones by calendar key. */
export type CalendarZones = ReadonlyMap<string, string>;

export const zoneIn = (zones: CalendarZones, { calendarKey }: Pick<WholeSeries, 'calendarKey'>): string =>
  zones.get(calendarKey) ?? 'UTC';

function contentOf({ rows }: WholeSeries, row: number): EventContent {
  const stored = rows[row]?.stored;
  if (stored === undefined) throw new Error('A row was asked for that the series does not have');
  return stored;
}

/** Returns the times of a series with the overrides that count. */
export function effectiveTimes(one: WholeSeries, zone: string): SeriesTimes {
  const times = timesOf(one);
  return { ...times, overrides: effectiveOverrides(times.master.start, times.overrides, zone) };
}

/** An instance of a series as a listing has it. */
export function listedInstance(
  one: WholeSeries,
  { startsAt, endsAt, originalStart, payload: row }: Instance<number>,
  zone: string,
): ListedEvent {
  const allDay = startOf(timesOf(one), row)?.type === 'date';
  const times = { start: startsAt, end: endsAt, recurringEventId: one.id, allDay };
  const id = instanceIdOf(one.id, originalStart, zone);
  return { calendarKey: one.calendarKey, id, startsAt, ...contentOf(one, row), times };
}

/** An instance of an all-day series can have been moved to a time of day. */
const startOf = ({ master, overrides }: SeriesTimes, row: number) =>
  row === 0 ? master.start : overrides.find(({ payload }) => payload === row)?.start;

/** An override as a listing has its instance; `times` are those of its series. */
export function instanceOfOverride(
  one: WholeSeries,
  { recurrenceId, start, end, payload: row }: SeriesOverride<number>,
  { times: { master }, zone }: { readonly times: SeriesTimes; readonly zone: string },
): ListedEvent {
  const startsAt = instantOf(start, zone);
  const endsAt = Math.max(startsAt, instantOf(end, zone));
  const id = instanceIdOf(one.id, originalStartOf(master.start, recurrenceId, zone), zone);
  const times = { start: startsAt, end: endsAt, recurringEventId: one.id, allDay: start.type === 'date' };
  return { calendarKey: one.calendarKey, id, startsAt, ...contentOf(one, row), times };
}

/** The master of a series, with its rules, as a listing with `singleEvents=false` has it. */
export function listedMaster(one: WholeSeries, { master }: SeriesTimes, zone: string): ListedEvent {
  const start = instantOf(master.start, zone);
  const end = Math.max(start, instantOf(master.end, zone));
  const times = { start, end, allDay: master.start.type === 'date' };
  const rules = rulesOf(one.rows[0]?.timing ?? '{}', zone);
  return { calendarKey: one.calendarKey, id: one.id, startsAt: start, ...contentOf(one, 0), times, ...rules };
}
