/** The time zones of Windows by name: the ones that CLDR maps, and older or alternative names. */
import { IANA_ALIAS_MAP, WINDOWS_TO_IANA_MAP } from 'windows-iana';
import { lazy } from '../once.ts';

/** Changes in Windows since the CLDR data in windows-iana. */
const NEWER: Readonly<Record<string, string>> = {
  // Chihuahua left the zone in 2022, Almaty in 2024; Windows' own clocks stayed.
  'mountain standard time (mexico)': 'America/Mazatlan',
  'central asia standard time': 'Asia/Bishkek',
};

/** Former zones, and names that differ from the registry key (Microsoft's lists), as some programs write them. */
const OTHERS: Readonly<Record<string, string>> = {
  'kamchatka standard time': 'Asia/Kamchatka',
  'mexico standard time': 'America/Mexico_City',
  'mexico standard time 2': 'America/Mazatlan',
  'mid-atlantic standard time': 'Etc/GMT+2',
  'armenian standard time': 'Asia/Yerevan',
  'transitional islamic state of afghanistan standard time': 'Asia/Kabul',
  'newfoundland and labrador standard time': 'America/St_Johns',
  'fiji islands standard time': 'Pacific/Fiji',
  'jerusalem standard time': 'Asia/Jerusalem',
  'malay peninsula standard time': 'Asia/Singapore',
  'cabo verde standard time': 'Atlantic/Cape_Verde',
  'west bank gaza standard time': 'Asia/Hebron',
  'coordinated universal time': 'UTC',
  'universal coordinated time': 'UTC',
  'russia tz 1 standard time': 'Europe/Kaliningrad',
  'russia tz 2 standard time': 'Europe/Moscow',
  'russia tz 3 standard time': 'Europe/Samara',
  'russia tz 4 standard time': 'Asia/Yekaterinburg',
  'russia tz 5 standard time': 'Asia/Novosibirsk',
  'russia tz 6 standard time': 'Asia/Krasnoyarsk',
  'russia tz 7 standard time': 'Asia/Irkutsk',
  'russia tz 8 standard time': 'Asia/Yakutsk',
  'russia tz 9 standard time': 'Asia/Vladivostok',
  'russia tz 10 standard time': 'Asia/Srednekolymsk',
  'russia tz 11 standard time': 'Asia/Kamchatka',
};

/** Returns IANA names by Windows names in lower case. The names from CLDR come first, from west to east. */
export const windowsZones = lazy((): ReadonlyMap<string, string> => {
  const mapped = WINDOWS_TO_IANA_MAP.filter(({ territory }) => territory === '001').map(
    ({ windowsName, iana: [zone = ''] }) => [windowsName.toLowerCase(), zone] as const,
  );
  return new Map([...mapped, ...Object.entries(NEWER), ...Object.entries(OTHERS)]);
});

/** Each zone with all names it ever had, and a description such as `Adak (Alaska), United States`. */
const described: readonly { readonly description: string; readonly alias: readonly string[] }[] =
  IANA_ALIAS_MAP;

/** Returns zones by the last part of their names, in lower case with spaces. The first zone with a name has it. */
const zonesByPlace = lazy(() => {
  const zones = new Map<string, string>();
  const addPlace = (place: string, zone: string): void => {
    const key = place.toLowerCase().replaceAll('_', ' ');
    if (!zones.has(key)) zones.set(key, zone);
  };
  for (const zone of Intl.supportedValuesOf('timeZone')) addPlace(zone.split('/').at(-1) ?? zone, zone);
  for (const { description, alias } of described) {
    const [zone = ''] = alias;
    // `Etc/GMT+5` is five hours west, but programs that write `GMT+5` mean east.
    if (zone.startsWith('Etc/')) continue;
    for (const name of alias) addPlace(name.split('/').at(-1) ?? name, zone);
    addPlace(description.split(/[,(]/)[0]?.trim() ?? '', zone);
  }
  return zones;
});

/** Returns the IANA zone of a city or region, spelled as in CLDR or the time zone database, in any case. */
export const zoneOfPlace = (place: string): string | undefined => zonesByPlace().get(place.toLowerCase());
