import type { CalendarEvent } from '../calendars/event.ts';
import { DAY } from '../lib/recurrence/civil.ts';
import { localOn } from '../lib/recurrence/event-instant.ts';
import type { EventTime } from '../lib/recurrence/event-time.ts';
import { parseRule } from '../lib/recurrence/rule.ts';
import type { Fields } from './fields.ts';

/** Notes a mistake when a series moves to another day whose rule names its days: the rule would not follow. */
export function refuseOtherDays(
  { recurrence }: CalendarEvent,
  before: EventTime,
  after: EventTime,
  calendarZone: string,
  fields: Fields,
): void {
  const dayOf = (time: EventTime) => Math.floor(localOn(after, time, calendarZone) / DAY);
  const namesDays = (recurrence?.rrules ?? []).some((text) => {
    const rule = parseRule(text);
    return (
      rule === undefined ||
      [rule.byDay, rule.byMonthDay, rule.byMonth, rule.byYearDay].some((by) => by.length > 0)
    );
  });
  if (namesDays && dayOf(before) !== dayOf(after)) {
    fields.mistake('start', 'moves the series to another day: give its recurrence as well');
  }
}
