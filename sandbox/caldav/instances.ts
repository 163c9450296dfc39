/** The occurrences of calendar objects in a window of time, with recurrences and exceptions. */
import { ICalendarError } from '../../src/lib/icalendar/icalendar-error.ts';
import { parseICalendar } from '../../src/lib/icalendar/parse-icalendar.ts';
import type { VEvent } from '../../src/lib/icalendar/v-event.ts';
import type { Instance, Series, TimeWindow } from '../../src/lib/recurrence/series.ts';
import { instancesIn } from '../core/instances.ts';
import type { ListedInstance } from '../core/provider-sandbox.ts';
import type { CalendarObject } from './collection.ts';

/** Returns the occurrences of an object that overlap the window, without cancelled ones. */
export function instancesOf(
  { icalendar }: Pick<CalendarObject, 'icalendar'>,
  window: TimeWindow,
  calendarZone: string,
): readonly Instance<VEvent>[] {
  const series = seriesOf(readEvents(icalendar));
  if (series.master?.payload.status === 'CANCELLED') return [];
  return instancesIn(series, window, calendarZone);
}

export function seriesOf(events: readonly VEvent[]): Series<VEvent> {
  const master = events.find(({ recurrenceId }) => recurrenceId === undefined);
  const overrides = events.flatMap((event) => {
    const { recurrenceId, start, end, thisAndFuture, status } = event;
    if (recurrenceId === undefined) return [];
    return { recurrenceId, start, end, thisAndFuture, cancelled: status === 'CANCELLED', payload: event };
  });
  return {
    overrides,
    ...(master && {
      master: { start: master.start, end: master.end, recurrence: master.recurrence, payload: master },
    }),
  };
}

/** Returns no events for tasks, or for text that cannot be read. */
export function readEvents(icalendar: string): VEvent[] {
  try {
    return parseICalendar(icalendar);
  } catch (error) {
    if (error instanceof ICalendarError) return [];
    throw error;
  }
}

export const listedInstance = ({ startsAt, endsAt, payload }: Instance<VEvent>): ListedInstance => ({
  title: payload.summary ?? '',
  start: startsAt,
  end: endsAt,
  allDay: payload.start.type === 'date',
});

export const byStartThenTitle = (a: ListedInstance, b: ListedInstance): number =>
  a.start - b.start || (a.title < b.title ? -1 : Number(a.title > b.title));
