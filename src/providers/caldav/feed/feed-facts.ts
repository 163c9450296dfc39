/** Reads the properties of a calendar beside its events. */
import { parseContentLine, unescapeText, unfoldLines } from '../../../lib/icalendar/content-line.ts';
import { ICalendarError } from '../../../lib/icalendar/icalendar-error.ts';
import { resourceBudget } from '../../../lib/icalendar/resource-budget.ts';
import { parseDuration } from '../../../lib/icalendar/time-value.ts';
import { resolveZone } from '../../../lib/icalendar/zone-resolver.ts';
import { readColor } from '../dav/calendar-properties.ts';
import { parseTimeZone } from '../dav/calendar-time-zone.ts';
import { CSS_COLORS } from './css-colors.ts';
import type { ScannedCalendar } from './scan-calendar.ts';

/** The facts as stored in the sync token and, from the time of linking, in the credentials. */
export type FeedFacts = {
  readonly title?: string;
  readonly description?: string;
  /** `#rrggbb`. */
  readonly color?: string;
  /** An IANA zone. */
  readonly timeZone?: string;
  /** The requested time until it is read again, in milliseconds. */
  readonly refresh?: number;
  /** The properties with these facts, as they are written, for `original`. */
  readonly properties: Readonly<Record<string, string>>;
};

/** The properties that are read. SOURCE and URL contain the address, which may be secret. */
const READ: ReadonlySet<string> = new Set([
  ...['PRODID', 'METHOD', 'NAME', 'X-WR-CALNAME', 'DESCRIPTION', 'X-WR-CALDESC', 'X-WR-TIMEZONE'],
  ...['COLOR', 'X-APPLE-CALENDAR-COLOR', 'REFRESH-INTERVAL', 'X-PUBLISHED-TTL'],
]);
const LONGEST_TITLE = 200;
const LONGEST_TEXT = 2_000;

/** Returns the readable facts of the first calendar, without those that contain a secret: users see the facts. */
export function readFeedFacts({ header, zones }: ScannedCalendar, secrets: readonly string[]): FeedFacts {
  const properties = propertiesIn(header, secrets);
  const [name, description, color, refresh] = [
    properties.NAME ?? properties['X-WR-CALNAME'],
    properties.DESCRIPTION ?? properties['X-WR-CALDESC'],
    colorIn(properties),
    readRefresh(properties),
  ];
  const title = name?.replace(/\s+/g, ' ').trim().slice(0, LONGEST_TITLE).toWellFormed();
  const timeZone = findZone(properties['X-WR-TIMEZONE'], zones);
  return {
    ...(title && { title }),
    ...(description && { description }),
    ...(color && { color }),
    ...(timeZone && { timeZone }),
    ...(refresh && { refresh }),
    properties,
  };
}

function propertiesIn(header: string, secrets: readonly string[]): Record<string, string> {
  const properties: Record<string, string> = {};
  const budget = resourceBudget();
  try {
    for (const line of unfoldLines(header, budget)) {
      const property = parseContentLine(line, budget);
      if (property === undefined || !READ.has(property.name) || property.name in properties) continue;
      const text = unescapeText(property, budget);
      if (secrets.some((secret) => text.includes(secret))) continue;
      properties[property.name] = text.slice(0, LONGEST_TEXT).toWellFormed();
    }
  } catch (failure) {
    // Something is too long: the rest is not worth more work.
    if (!(failure instanceof ICalendarError)) throw failure;
  }
  return properties;
}

/** RFC 7986 §5.9 has the names of CSS; Apple has numbers. */
const colorIn = ({ COLOR, 'X-APPLE-CALENDAR-COLOR': apple }: Record<string, string>): string | undefined =>
  readColor(apple) ?? readColor(COLOR) ?? CSS_COLORS.get(COLOR?.trim().toLowerCase() ?? '');

/** Returns the longer of the two, if the calendar has both. */
function readRefresh(properties: Record<string, string>): number | undefined {
  const waits = [properties['REFRESH-INTERVAL'], properties['X-PUBLISHED-TTL']].flatMap((text) => {
    const duration = text === undefined ? undefined : parseDuration(text);
    return duration === undefined ? [] : duration.days * 86_400_000 + duration.milliseconds;
  });
  return waits.length === 0 ? undefined : Math.max(...waits);
}

/** Returns the zone that the calendar names, or else the only one that it describes. */
function findZone(named: string | undefined, zones: readonly string[]): string | undefined {
  const [only, ...others] = zones;
  const zone = named === undefined ? undefined : resolveZone(named, undefined);
  if (typeof zone === 'string') return zone;
  if (only === undefined || others.length > 0) return undefined;
  return parseTimeZone(`BEGIN:VCALENDAR\n${only}\nEND:VCALENDAR`);
}
