/** iCalendar objects for tests to put on servers. */

const lines = (...texts: readonly string[]): string => `${texts.join('\r\n')}\r\n`;

export const calendarObject = (...components: readonly string[]): string =>
  `${lines('BEGIN:VCALENDAR', 'VERSION:2.0', 'PRODID:-//Kalends//Tests//EN')}${components.join('')}${lines('END:VCALENDAR')}`;

/** A VEVENT of one hour on 5 January 2026, in UTC, with further properties as they are. */
export const vevent = (uid: string, summary: string, ...further: readonly string[]): string =>
  lines(
    'BEGIN:VEVENT',
    `UID:${uid}`,
    'DTSTAMP:20260101T000000Z',
    ...(further.some((text) => text.startsWith('DTSTART')) ? [] : ['DTSTART:20260105T090000Z']),
    ...(further.some((text) => text.startsWith('DTEND')) ? [] : ['DTEND:20260105T100000Z']),
    `SUMMARY:${summary}`,
    ...further,
    'END:VEVENT',
  );

export const event = (uid: string, summary: string, ...further: readonly string[]): string =>
  calendarObject(vevent(uid, summary, ...further));

/** Ten weekly hours, of which the second was moved. */
export const seriesWithOverride = (uid: string): string =>
  calendarObject(
    vevent(uid, 'Weekly', 'RRULE:FREQ=WEEKLY;COUNT=10'),
    vevent(
      uid,
      'Weekly moved',
      'RECURRENCE-ID:20260112T090000Z',
      'DTSTART:20260112T150000Z',
      'DTEND:20260112T160000Z',
    ),
  );
