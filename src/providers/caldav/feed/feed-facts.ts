/** Reads the properties of a calendar beside its events. */
import { parseContentLine, unescapeText, unfoldLines } from '../../../lib/icalendar/content-line.ts';
import { ICalendarError } from '../../../lib/icalendar/icalendar-error.ts';
import { resourceBudget } from '../../../lib/icalendar/resource-budget.ts';
import { parseDuration } from '../../../lib/icalendar/time-value.ts';
import { resolveZone } from '../../../lib/icalendar/zone-resolver.ts';
import { lazy } from '../../../lib/once.ts';
import { readColor } from '../dav/calendar-properties.ts';
import { parseTimeZone } from '../dav/calendar-time-zone.ts';
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
  readColor(apple) ?? readColor(COLOR) ?? cssColors().get(COLOR?.trim().toLowerCase() ?? '');

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

const NAMED = `aliceblue f0f8ff antiquewhite faebd7 aqua 00ffff aquamarine 7fffd4 azure f0ffff beige f5f5dc bisque ffe4c4
black 000000 blanchedalmond ffebcd blue 0000ff blueviolet 8a2be2 brown a52a2a burlywood deb887 cadetblue 5f9ea0
chartreuse 7fff00 chocolate d2691e coral ff7f50 cornflowerblue 6495ed cornsilk fff8dc crimson dc143c cyan 00ffff
darkblue 00008b darkcyan 008b8b darkgoldenrod b8860b darkgray a9a9a9 darkgreen 006400 darkgrey a9a9a9 darkkhaki bdb76b
darkmagenta 8b008b darkolivegreen 556b2f darkorange ff8c00 darkorchid 9932cc darkred 8b0000 darksalmon e9967a
darkseagreen 8fbc8f darkslateblue 483d8b darkslategray 2f4f4f darkslategrey 2f4f4f darkturquoise 00ced1 darkviolet 9400d3
deeppink ff1493 deepskyblue 00bfff dimgray 696969 dimgrey 696969 dodgerblue 1e90ff firebrick b22222 floralwhite fffaf0
forestgreen 228b22 fuchsia ff00ff gainsboro dcdcdc ghostwhite f8f8ff gold ffd700 goldenrod daa520 gray 808080 green 008000
greenyellow adff2f grey 808080 honeydew f0fff0 hotpink ff69b4 indianred cd5c5c indigo 4b0082 ivory fffff0 khaki f0e68c
lavender e6e6fa lavenderblush fff0f5 lawngreen 7cfc00 lemonchiffon fffacd lightblue add8e6 lightcoral f08080
lightcyan e0ffff lightgoldenrodyellow fafad2 lightgray d3d3d3 lightgreen 90ee90 lightgrey d3d3d3 lightpink ffb6c1
lightsalmon ffa07a lightseagreen 20b2aa lightskyblue 87cefa lightslategray 778899 lightslategrey 778899
lightsteelblue b0c4de lightyellow ffffe0 lime 00ff00 limegreen 32cd32 linen faf0e6 magenta ff00ff maroon 800000
mediumaquamarine 66cdaa mediumblue 0000cd mediumorchid ba55d3 mediumpurple 9370db mediumseagreen 3cb371
mediumslateblue 7b68ee mediumspringgreen 00fa9a mediumturquoise 48d1cc mediumvioletred c71585 midnightblue 191970
mintcream f5fffa mistyrose ffe4e1 moccasin ffe4b5 navajowhite ffdead navy 000080 oldlace fdf5e6 olive 808000
olivedrab 6b8e23 orange ffa500 orangered ff4500 orchid da70d6 palegoldenrod eee8aa palegreen 98fb98 paleturquoise afeeee
palevioletred db7093 papayawhip ffefd5 peachpuff ffdab9 peru cd853f pink ffc0cb plum dda0dd powderblue b0e0e6
purple 800080 rebeccapurple 663399 red ff0000 rosybrown bc8f8f royalblue 4169e1 saddlebrown 8b4513 salmon fa8072
sandybrown f4a460 seagreen 2e8b57 seashell fff5ee sienna a0522d silver c0c0c0 skyblue 87ceeb slateblue 6a5acd
slategray 708090 slategrey 708090 snow fffafa springgreen 00ff7f steelblue 4682b4 tan d2b48c teal 008080 thistle d8bfd8
tomato ff6347 turquoise 40e0d0 violet ee82ee wheat f5deb3 white ffffff whitesmoke f5f5f5 yellow ffff00 yellowgreen 9acd32`;

const cssColors = lazy(
  () =>
    new Map(
      [...NAMED.matchAll(/([a-z]+)\s+([\da-f]{6})/g)].map(([, name = '', digits]) => [name, `#${digits}`]),
    ),
);
