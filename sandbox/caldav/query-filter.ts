/** The filter of a calendar-query (RFC 4791 §9.7): a component, and a time it takes place in. */
import type { TimeWindow } from '../../src/lib/recurrence/series.ts';
import { caldav } from '../../src/providers/caldav/dav/dav-names.ts';
import { child, type XmlElement } from '../../src/providers/caldav/dav/xml.ts';
import { TooManyOccurrences } from '../core/occurrences.ts';
import type { CalendarObject } from './collection.ts';
import { failedCondition } from './dav-answer.ts';
import { instancesOf } from './instances.ts';

export type QueryFilter = {
  /** `VEVENT`; everything when absent. */
  readonly component: string | undefined;
  readonly window: TimeWindow | undefined;
};

/** Throws a refusal for tests that this server does not make: it must not ignore them (§7.8). */
export function readFilter(query: XmlElement): QueryFilter {
  const calendar = child(child(query, caldav('filter')), caldav('comp-filter'));
  if (calendar?.attributes.name?.toUpperCase() !== 'VCALENDAR')
    throw failedCondition(403, 'c:valid-filter', 'A filter begins with VCALENDAR');
  const [filter, ...others] = calendar.children;
  if (filter === undefined) return { component: undefined, window: undefined };
  const component = filter.attributes.name?.toUpperCase();
  const tests = filter.children.filter(({ name }) => name !== caldav('time-range'));
  if (
    filter.name !== caldav('comp-filter') ||
    component === undefined ||
    others.length > 0 ||
    tests.length > 0
  )
    throw failedCondition(403, 'c:supported-filter', 'Only a component and a time range are filtered by');
  const range = child(filter, caldav('time-range'));
  return { component, window: range && readTimeRange(range) };
}

/** §9.9: UTC, and either end may be open. */
export function readTimeRange({ attributes }: XmlElement): TimeWindow {
  const { start, end } = attributes;
  if (start === undefined && end === undefined)
    throw failedCondition(403, 'c:valid-filter', 'A time range has a start or an end');
  return { start: instantIn(start) ?? EARLIEST, end: instantIn(end) ?? LATEST };
}

const EARLIEST = Date.UTC(1900, 0, 1);
/** A series without an end is looked at this far. */
const LATEST = Date.UTC(2050, 0, 1);

function instantIn(text: string | undefined): number | undefined {
  if (text === undefined) return undefined;
  const [, year, month, day, hour, minute, second] =
    /^(\d{4})(\d\d)(\d\d)T(\d\d)(\d\d)(\d\d)Z$/.exec(text) ?? [];
  const instant = Date.parse(`${year}-${month}-${day}T${hour}:${minute}:${second}Z`);
  if (Number.isNaN(instant)) throw failedCondition(403, 'c:valid-filter', 'A time range is in UTC');
  return instant;
}

export function matches(
  object: CalendarObject,
  { component, window }: QueryFilter,
  calendarZone: string,
): boolean {
  if (component !== undefined && !new RegExp(`^BEGIN:${component}\\s*$`, 'im').test(object.icalendar))
    return false;
  if (window === undefined) return true;
  try {
    return instancesOf(object, window, calendarZone).length > 0;
  } catch (error) {
    if (error instanceof TooManyOccurrences) return true;
    throw error;
  }
}
