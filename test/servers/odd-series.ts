/** Series as other programs write them, with much that Kalends does not know. */
import { calendarObject } from './icalendar.ts';

export const text = (...lines: readonly string[]): string => `${lines.join('\r\n')}\r\n`;

/** A zone that nobody else has: two hours and three quarters ahead. */
export const ACME_ZONE = text(
  'BEGIN:VTIMEZONE',
  'TZID:Acme HQ Custom',
  'X-ACME-OFFICE:Roof',
  'BEGIN:STANDARD',
  'DTSTART:19700101T000000',
  'TZOFFSETFROM:+0245',
  'TZOFFSETTO:+0245',
  'TZNAME:ACME',
  'END:STANDARD',
  'END:VTIMEZONE',
);
export const ACME = 'TZID=Acme HQ Custom';

/** Lines that an event may have besides its times, title and attendees. */
export const FOREIGN = [
  'CREATED:20250101T000000Z',
  'CATEGORIES;LANGUAGE=en:WORK,TEAM',
  'ATTACH;FMTTYPE=application/pdf:https://files.example/plan.pdf',
  'URL:https://wiki.example/weekly',
  'PRIORITY:3',
  'CLASS:PRIVATE',
  'GEO:48.85;2.35',
  'RESOURCES:PROJECTOR',
  'RELATED-TO;RELTYPE=PARENT:plan@example.com',
  'X-APPLE-TRAVEL-DURATION;VALUE=DURATION:PT30M',
  'X-MOZ-GENERATION:3',
  'X-UNKNOWN;X-WITH="a,b";VALUE=TEXT:one\\, two\\; three\\nfour',
] as const;
export const ALARM = text(
  'BEGIN:VALARM',
  'ACTION:DISPLAY',
  'DESCRIPTION:Ring',
  'TRIGGER:-PT15M',
  'X-APPLE-DEFAULT-ALARM:TRUE',
  'END:VALARM',
).trimEnd();

/** Six weekly hours from 16 November 2026 at nine, in that zone: 06:15 UTC; the fifth is cancelled. */
export const acmeSeries = (...more: readonly string[]): string =>
  calendarObject(
    ACME_ZONE,
    text(
      'BEGIN:VEVENT',
      'UID:acme',
      'DTSTAMP:20260101T000000Z',
      'SEQUENCE:4',
      `DTSTART;${ACME}:20261116T090000`,
      `DTEND;${ACME}:20261116T100000`,
      'RRULE:FREQ=WEEKLY;COUNT=6',
      `EXDATE;${ACME}:20261214T090000`,
      'SUMMARY:Weekly',
      ...FOREIGN,
      ALARM,
      'END:VEVENT',
    ),
    ...more,
  );

/** The fourth of them, from nine on as well unless said otherwise. */
export const acmeException = (...lines: readonly string[]): string =>
  text(
    'BEGIN:VEVENT',
    'UID:acme',
    'DTSTAMP:20260101T000000Z',
    'SEQUENCE:5',
    `RECURRENCE-ID;${ACME}:20261207T090000`,
    ...(lines.some((line) => line.startsWith('DTSTART'))
      ? []
      : [`DTSTART;${ACME}:20261207T090000`, `DTEND;${ACME}:20261207T100000`]),
    ...(lines.some((line) => line.startsWith('SUMMARY')) ? [] : ['SUMMARY:Weekly']),
    ...lines,
    'X-OWN;X-OF=exception:kept',
    'END:VEVENT',
  );
