/** Builds times for Graph: `dateTimeTimeZone` in zones that Exchange knows. */
import type { DateTimeTimeZone } from '@microsoft/microsoft-graph-types';
import { findWindows } from 'windows-iana';

import type { EventTime, Zone } from '../../lib/recurrence/event-time.ts';
import { offsetAt } from '../../lib/recurrence/zone.ts';
import { unsupportedField } from '../unsupported-field.ts';
import { resolveFirstZone } from './event-times.ts';

/** Start and end for Graph, and whether they are whole days. */
export type GraphTimes = {
  readonly isAllDay: boolean;
  readonly start: DateTimeTimeZone;
  readonly end: DateTimeTimeZone;
};

/** Builds start and end. An all-day event is from midnight to midnight in UTC, where it is also read. */
export function toGraphTimes(start: EventTime, end: EventTime): GraphTimes {
  if ((start.type === 'date') !== (end.type === 'date'))
    throw unsupportedField('end', 'An event must have either dates or times');
  return {
    isAllDay: start.type === 'date',
    start: toGraphTime(start, 'start'),
    end: toGraphTime(end, 'end'),
  };
}

function toGraphTime(time: EventTime, field: string): DateTimeTimeZone {
  if (time.type === 'date') return { dateTime: `${time.date}T00:00:00`, timeZone: 'UTC' };
  if (time.type === 'zoned') return { dateTime: time.local, timeZone: toGraphZone(time.zone, field) };
  throw unsupportedField(field, 'Outlook does not support times without a time zone');
}

export const toRuleZone = (start: EventTime): string =>
  start.type === 'zoned' ? toGraphZone(start.zone, 'timeZone') : 'UTC';

/**
 * Returns the name of a zone for Graph. Exchange stores Windows names, so it surely accepts them. If one stands for
 * several IANA zones, the event seems to return in the first, which no source confirms. A zone is sent under its own
 * name if it has no Windows name, or if that has another clock by now (Chihuahua, Almaty).
 */
function toGraphZone(zone: Zone, field: string): string {
  if (typeof zone !== 'string') throw unsupportedField(field, 'Outlook does not support custom time zones');
  if (zone === 'UTC') return 'UTC';
  return findWindows(zone).find((name) => hasSameClock(resolveFirstZone(name), zone)) ?? zone;
}

/** January and July of coming years, for comparing clocks. */
const SEASONS = [2026, 2027, 2030].flatMap((year) => [Date.UTC(year, 0, 15), Date.UTC(year, 6, 15)]);

const hasSameClock = (named: Zone | undefined, zone: string): boolean =>
  named !== undefined && SEASONS.every((at) => offsetAt(named, at) === offsetAt(zone, at));
