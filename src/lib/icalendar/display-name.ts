/**
 * Finds zones by display names. Windows' `(UTC-05:00) Eastern Time (US & Canada)` also occurs as `(GMT-05:00) …`,
 * without its offset, translated, or with older cities. Lotus Notes omits " Standard Time".
 */
import { DAY, toDayNumber } from '../recurrence/civil.ts';
import { ianaZone, offsetAt } from '../recurrence/zone.ts';
import { parseNamedOffset } from './vtimezone.ts';
import { windowsZones, zoneOfPlace } from './windows-zones.ts';

/** Other Windows display names, from comments in CLDR's windowsZones.xml and from Exchange's CdoTimeZoneId. */
const SHOWN: Readonly<Record<string, readonly string[]>> = {
  'abu dhabi': ['Asia/Dubai'],
  'almaty, novosibirsk': ['Asia/Novosibirsk'],
  'almaty, novosibirsk, north central asia': ['Asia/Novosibirsk'],
  astana: ['Asia/Bishkek', 'Asia/Qyzylorda'],
  'astana, dhaka': ['Asia/Bishkek'],
  'baja california': ['America/Tijuana'],
  brasilia: ['America/Sao_Paulo'],
  'cabo verde': ['Atlantic/Cape_Verde'],
  chennai: ['Asia/Calcutta'],
  chetumal: ['America/Cancun'],
  chokurdakh: ['Asia/Srednekolymsk'],
  'city of buenos aires': ['America/Buenos_Aires'],
  'east africa': ['Africa/Nairobi'],
  'eniwetok, kwajalein': ['Etc/GMT+12'],
  'eniwetok, kwajalein, dateline time': ['Etc/GMT+12'],
  'greenwich mean time': ['Europe/London'],
  indiana: ['America/Indianapolis'],
  'international date line west': ['Etc/GMT+12'],
  islamabad: ['Asia/Karachi'],
  'magadan, solomon is., new caledonia': ['Pacific/Guadalcanal'],
  "nuku'alofa": ['Pacific/Tongatapu'],
  'petropavlovsk-kamchatsky': ['Asia/Kamchatka'],
  'port louis': ['Indian/Mauritius'],
  'saint pierre and miquelon': ['America/Miquelon'],
  salvador: ['America/Bahia'],
  'solomon is., new caledonia': ['Pacific/Guadalcanal'],
  'sri jayawardenepura': ['Asia/Colombo'],
  'west central africa': ['Africa/Lagos'],
};

/** In every language of Windows the names of these zones include Canada, such as `Est (É.-U. et Canada)`. */
const OF_CANADA = new Map(
  Object.entries({
    'America/Halifax': -4,
    'America/New_York': -5,
    'America/Chicago': -6,
    'America/Denver': -7,
    'America/Los_Angeles': -8,
  }).map(([zone, hours]) => [hours * 3600, [zone]] as const),
);

/** Returns an IANA name; `undefined` for an unknown name. Reads at most 500 characters. */
export function zoneOfDisplayName(name: string): string | undefined {
  const [, bracket, bracketed] = /^\(((?:UTC|GMT)[^()]{0,12})\)\s*(.*)$/is.exec(name) ?? [];
  const offset = bracket === undefined ? undefined : parseNamedOffset(bracket);
  const label = (bracketed ?? name).trim();
  const text = plain(label);
  const [shown, ...others] = shownZones(text);
  if (shown !== undefined && others.length === 0) return ianaZone(shown);
  const zones = [
    ...(label.includes('/') ? [label.replaceAll(' ', '_')] : []),
    ...zonesNamed(text),
    ...zonesOfPlaces(text, bracket === undefined ? /[,;]/ : /[,;:/]/),
    ...(/[ck]anad|канад/.test(text) ? (OF_CANADA.get(offset ?? 0) ?? []) : []),
  ];
  const ianaZones = zones.map((zone) => ianaZone(zone)).filter((zone) => zone !== undefined);
  // Older names have offsets that have changed since. They only distinguish places of one name.
  return ianaZones.find((zone) => offset !== undefined && hasOffset(zone, offset)) ?? ianaZones[0];
}

/** Normalizes to lower case, without parts that are written in several ways. */
const plain = (text: string): string =>
  text
    .toLowerCase()
    .replaceAll('_', ' ')
    .replaceAll('’', "'")
    .replace(/ - old$/, '')
    .replace(/^greenwich mean time ?[:;] ?/, '')
    .replace(/^co-ordinated/, 'coordinated');

/** Cuts without a pattern for the rest of the text, which could take quadratic time. */
function textBefore(text: string, mark: RegExp): string {
  const at = text.search(mark);
  return at === -1 ? text : text.slice(0, at);
}

/** Returns the zones of a name from Windows or Lotus Notes: `eastern time (us & canada)`, `pacific daylight time`. */
function zonesNamed(text: string): string[] {
  const withoutBrackets = textBefore(text, /[(;]/).replace(/ $/, '');
  const standard = withoutBrackets.replace(/(?: standard| daylight| summer)? time(?: \d{1,2})?$/, '');
  const names = [
    text.replace(/ (?:daylight|summer) time/, ' standard time'),
    text.replace(/ \d{1,2}$/, ''),
    text.replace(/^coordinated universal time/, 'utc'),
    ...[standard, withoutIsland(standard)].map((base) => `${base} standard time`),
  ];
  const candidates = [text, withoutBrackets, withoutIsland(withoutBrackets)].flatMap(shownZones);
  return [...candidates, ...names.flatMap((key) => windowsZones().get(key) ?? [])];
}

const shownZones = (text: string): readonly string[] =>
  Object.hasOwn(SHOWN, text) ? (SHOWN[text] ?? []) : [];

const withoutIsland = (text: string): string => text.replace(/ (?:islands?|is\.?)$/, '');

/** No zone is listed with more places. */
const MOST_PLACES = 20;

function zonesOfPlaces(text: string, separator: RegExp): string[] {
  const places = text.split(separator, MOST_PLACES).map((place) => textBefore(place, /\(/).trim());
  return places.flatMap((place) => {
    const zone =
      zoneOfPlace(place) ?? zoneOfPlace(withoutIsland(place)) ?? windowsZones().get(`${place} standard time`);
    return zone ?? shownZones(place);
  });
}

/** January and July of a future year, which has today's rules. */
const SEASONS = [1, 7].map((month) => toDayNumber(2036, month, 15) * DAY);

const hasOffset = (zone: string, seconds: number): boolean =>
  SEASONS.some((at) => offsetAt(zone, at) === seconds * 1000);
