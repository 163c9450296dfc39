/** Hostile calendars at an address, by name: test/servers/evil-caldav.ts serves each to anybody. */
import { calendarObject, vevent } from './icalendar.ts';

const times = (count: number, text: (index: number) => string): string =>
  Array.from({ length: count }, (_, index) => text(index)).join('');

const named = (index: number): string =>
  vevent(`e${index}`, `Event ${index}`, `DTSTART;TZID=Z${index % 190}:20260105T090000`, 'DURATION:PT1H');

const zone = (index: number): string =>
  ['BEGIN:VTIMEZONE', `TZID:Z${index}`, 'BEGIN:STANDARD', 'DTSTART:19700101T000000', 'TZOFFSETFROM:+0000']
    .concat([`TZOFFSETTO:+${String(index % 14).padStart(2, '0')}00`, 'END:STANDARD', 'END:VTIMEZONE', ''])
    .join('\r\n');

const FEEDS = {
  '9 MB of events that begin and do not end': () => calendarObject(times(600_000, () => 'BEGIN:VEVENT\r\n')),
  '3,000 events in 190 zones': () => calendarObject(times(190, zone), times(3000, named)),
  '5 MB of one event, many times': () => calendarObject(times(33_000, () => vevent('one', 'One'))),
} satisfies Record<string, () => string>;

export type FeedName = keyof typeof FEEDS;

/** Where the feed is, on each of the server's hosts. */
export const pathOfFeed = (name: FeedName): string => `/feed/${Object.keys(FEEDS).indexOf(name)}.ics`;

/** The text at the path; `undefined` where none is. */
export function feedAt(path: string): string | undefined {
  const [, index] = /^\/feed\/(\d+)\.ics$/.exec(path) ?? [];
  return index === undefined ? undefined : Object.values(FEEDS)[Number(index)]?.();
}
