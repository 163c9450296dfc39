/** VFREEBUSY (RFC 5545 §3.6.4) of a calendar in a window of time. */
import { writeComponent } from '../../src/lib/icalendar/write-lines.ts';
import type { TimeWindow } from '../../src/lib/recurrence/series.ts';
import { busySpans } from '../core/busy-spans.ts';
import { calendarZone } from './calendar-zone.ts';
import type { CalendarCollection } from './collection.ts';
import { utcText } from './icalendar-writer.ts';
import { instancesOf } from './instances.ts';

/** Busy times in order, each once; what is free, cancelled or outside of the window is left out. */
export function freeBusyText(calendar: CalendarCollection, window: TimeWindow, now: number): string {
  const zone = calendarZone(calendar);
  const busy = calendar
    .objects()
    .flatMap((object) => instancesOf(object, window, zone))
    .filter(({ payload }) => payload.transparency !== 'TRANSPARENT');
  const periods = busySpans(busy, window).map(
    ({ start, end }) => `FREEBUSY:${utcText(start)}/${utcText(end)}`,
  );
  const lines = [
    `DTSTAMP:${utcText(now)}`,
    `DTSTART:${utcText(window.start)}`,
    `DTEND:${utcText(window.end)}`,
    ...periods,
  ];
  return writeComponent({
    name: 'VCALENDAR',
    lines: ['VERSION:2.0', 'PRODID:-//Kalends//Sandbox//EN'],
    components: [{ name: 'VFREEBUSY', lines, components: [] }],
  });
}
