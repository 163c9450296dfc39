/** Our times as Graph takes them: `dateTimeTimeZone`, in the zones that Exchange knows. */
import type { DateTimeTimeZone } from '@microsoft/microsoft-graph-types';
import { findWindows } from 'windows-iana';

import type { EventTime, Zone } from '../../lib/recurrence/event-time.ts';
import { offsetAt } from '../../lib/recurrence/zone.ts';
import { unsupportedField } from '../unsupported-field.ts';
import { zoneNamed } from './event-times.ts';

/** Start and end in Graph's form, and whether they are whole days; `undefined` if the event's own times stay. */
export type GraphTimes = {
  readonly isAllDay: boolean;
  readonly start: DateTimeTimeZone;
  readonly end: DateTimeTimeZone;
};

/** An all-day event is from midnight to midnight in one zone, which is UTC: it is read in UTC too. */
export function timesFor(start: EventTime, end: EventTime): GraphTimes {
  if ((start.type === 'date') !== (end.type === 'date'))
    throw unsupportedField('end', 'An event has either dates or times');
  return {
    isAllDay: start.type === 'date',
    start: graphTime(start, 'start'),
    end: graphTime(end, 'end'),
  };
}

function graphTime(time: EventTime, field: string): DateTimeTimeZone {
  if (time.type === 'date') return { dateTime: `${time.date}T00:00:00`, timeZone: 'UTC' };
  if (time.type === 'zoned') return { dateTime: time.local, timeZone: graphZone(time.zone, field) };
  throw unsupportedField(field, 'Outlook has no times without a time zone');
}

/** Returns the zone in which a rule runs. */
export const ruleZone = (start: EventTime): string =>
  start.type === 'zoned' ? graphZone(start.zone, 'timeZone') : 'UTC';

/**
 * Returns the name of a zone for Graph. Exchange stores zones under Windows' names, so it surely accepts those. Some of
 * them stand for several IANA zones with one clock: such an event seems to return in the zone that Windows names first,
 * which no source confirms. A zone without a Windows name is sent under its own name, and so is one whose Windows name
 * has another clock by now, such as Chihuahua and Almaty: lists of names are older than laws.
 */
function graphZone(zone: Zone, field: string): string {
  if (typeof zone !== 'string')
    throw unsupportedField(field, 'Outlook has no time zones with rules of their own');
  if (zone === 'UTC') return 'UTC';
  return findWindows(zone).find((name) => hasClockOf(zoneNamed(name), zone)) ?? zone;
}

/** Winter and summer of years to come, in either half of the world. */
const SEASONS = [2026, 2027, 2030].flatMap((year) => [Date.UTC(year, 0, 15), Date.UTC(year, 6, 15)]);

const hasClockOf = (named: Zone | undefined, zone: string): boolean =>
  named !== undefined && SEASONS.every((at) => offsetAt(named, at) === offsetAt(zone, at));
