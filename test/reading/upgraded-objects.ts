/** Calendar objects that the version before unreadable events were reported may have stored. */
import { vevent } from '../servers/icalendar.ts';

const series = (name: string, ...override: string[]) => [
  vevent(name, name, 'DTSTART:20261110T090000Z', 'DTEND:20261110T100000Z', 'RRULE:FREQ=DAILY;COUNT=5'),
  ...(override.length > 0
    ? [vevent(name, `${name} changed`, 'RECURRENCE-ID:20261112T090000Z', ...override)]
    : []),
];
/** By name: `changed` is read otherwise than before, `broken` is reported as unreadable, and the others are neither. */
export const UPGRADED_OBJECTS = {
  plain: series('plain'),
  moved: series('moved', 'DTSTART:20261112T120000Z', 'DTEND:20261112T130000Z'),
  broken: series('broken', 'DTSTART:never'),
  changed: series('changed', 'STATUS:CANCELLED').map((text) =>
    text.replace('DTSTART:20260105T090000Z\r\nDTEND:20260105T100000Z\r\n', ''),
  ),
  week: [vevent('week', 'week', 'DTSTART:20261110T090000Z').replace(/DTEND.*\r\n/, 'DURATION:PT1W\r\n')],
  offset: [vevent('offset', 'offset', 'DTSTART:20261110T090000Z', 'DTEND:20261110T110000+0100')],
  iso: [vevent('iso', 'iso', 'DTSTART:20261110T090000Z', 'DTEND:2026-11-10T11:00:00+01:00')],
  list: series('list').map((text) =>
    text.replace('RRULE:', 'EXDATE:20261111T090000T,20261112T090000T\r\nRRULE:'),
  ),
  long: [
    vevent('long', 'long', 'DTSTART:20261110T090000Z').replace(/DTEND.*\r\n/, 'DURATION;X-A=1:PT100W\r\n'),
  ],
};
