/** Events of a series that was read whole, as listings show them. */
import { formatInstanceId, toInstant, toOriginalStart } from '../lib/recurrence/event-instant.ts';
import { effectiveOverrides } from '../lib/recurrence/expand.ts';
import type { Instance, SeriesOverride } from '../lib/recurrence/series.ts';
import { renderRules } from './event-pieces.ts';
import type { EventContent, WholeSeries } from './event-reader.ts';
import type { ListedEvent } from './event-text.ts';
import { parseTimes, type SeriesTimes } from './expand-calendar.ts';

export type CalendarZones = ReadonlyMap<string, string>;

export const zoneIn = (zones: CalendarZones, { calendarKey }: Pick<WholeSeries, 'calendarKey'>): string =>
  zones.get(calendarKey) ?? 'UTC';

function requireContent({ rows }: WholeSeries, row: number): EventContent {
  const stored = rows[row]?.stored;
  if (stored === undefined) throw new Error('A row was requested that the series does not have');
  return stored;
}

/** Returns the times of a series with its effective overrides only. */
export function effectiveTimes(one: WholeSeries, zone: string): SeriesTimes {
  const times = parseTimes(one);
  return { ...times, overrides: effectiveOverrides(times.master.start, times.overrides, zone) };
}

/** Returns an instance as a listing shows it. */
export function listedInstance(
  one: WholeSeries,
  { startsAt, endsAt, originalStart, payload: row }: Instance<number>,
  zone: string,
): ListedEvent {
  const allDay = findRowStart(parseTimes(one), row)?.type === 'date';
  const times = { start: startsAt, end: endsAt, recurringEventId: one.id, allDay };
  const id = formatInstanceId(one.id, originalStart, zone);
  return { calendarKey: one.calendarKey, id, startsAt, ...requireContent(one, row), times };
}

/** Returns the row's start. A moved instance of an all-day series may have a time of day. */
const findRowStart = ({ master, overrides }: SeriesTimes, row: number) =>
  row === 0 ? master.start : overrides.find(({ payload }) => payload === row)?.start;

/** Returns an override as a listing shows its instance; `times` are those of its series. */
export function instanceOfOverride(
  one: WholeSeries,
  { recurrenceId, start, end, payload: row }: SeriesOverride<number>,
  { times: { master }, zone }: { readonly times: SeriesTimes; readonly zone: string },
): ListedEvent {
  const startsAt = toInstant(start, zone);
  const endsAt = Math.max(startsAt, toInstant(end, zone));
  const id = formatInstanceId(one.id, toOriginalStart(master.start, recurrenceId, zone), zone);
  const times = { start: startsAt, end: endsAt, recurringEventId: one.id, allDay: start.type === 'date' };
  return { calendarKey: one.calendarKey, id, startsAt, ...requireContent(one, row), times };
}

/** Returns the master with its rules, as a listing with `singleEvents=false` shows it. */
export function listedMaster(one: WholeSeries, { master }: SeriesTimes, zone: string): ListedEvent {
  const start = toInstant(master.start, zone);
  const end = Math.max(start, toInstant(master.end, zone));
  const times = { start, end, allDay: master.start.type === 'date' };
  const rules = renderRules(one.rows[0]?.timing ?? '{}', zone);
  return {
    calendarKey: one.calendarKey,
    id: one.id,
    startsAt: start,
    ...requireContent(one, 0),
    times,
    ...rules,
  };
}
