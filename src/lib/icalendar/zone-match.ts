/** Finding the IANA zone that a VTIMEZONE describes under a name of its own. */
import { WINDOWS_TO_IANA_MAP } from 'windows-iana';

import { DAY, dayNumberOf } from '../recurrence/civil.ts';
import type { CustomZone } from '../recurrence/event-time.ts';
import { customOffsets, ianaZone, offsetAt } from '../recurrence/zone.ts';

/** Zones match when they agree in these years. */
const FIRST = dayNumberOf(2022, 1, 1) * DAY;
const LAST = dayNumberOf(2031, 1, 1) * DAY;

const matches = new Map<string, string | undefined>();
const MOST_MATCHES = 500;

/** The zone with those offsets over a span of years; the best known where there are several. */
export function matchingZone(zone: CustomZone): string | undefined {
  const key = JSON.stringify(zone.observances);
  if (matches.has(key)) return matches.get(key);
  const samples = samplesOf(zone);
  const match = candidates().find((name) => samples.every(({ at, offset }) => offsetAt(name, at) === offset));
  if (matches.size >= MOST_MATCHES) matches.clear();
  matches.set(key, match);
  return match;
}

type Sample = { readonly at: number; readonly offset: number };

/** Every change in those years, just before and at it, and the middle of every month: coarse ones first. */
function samplesOf(zone: CustomZone): Sample[] {
  const changes = customOffsets(zone)
    .map(({ from }) => from)
    .filter((from) => from > FIRST && from < LAST)
    .slice(0, 100)
    .flatMap((from) => [from - 1, from]);
  const months = Array.from({ length: 108 }, (_, month) => dayNumberOf(2022, month + 1, 15) * DAY);
  return [...months, ...changes].map((at) => ({ at, offset: offsetAt(zone, at) }));
}

let candidateNames: readonly string[] | undefined;

/** By the names of Windows, in lower case. */
export const WINDOWS_ZONES = new Map(
  WINDOWS_TO_IANA_MAP.filter(({ territory }) => territory === '001').map(
    ({ windowsName, iana: [zone = ''] }) => [windowsName.toLowerCase(), zone] as const,
  ),
);

/** The zones that Windows maps to come first: they are the best known. */
function candidates(): readonly string[] {
  if (candidateNames !== undefined) return candidateNames;
  const names = [...WINDOWS_ZONES.values(), ...Intl.supportedValuesOf('timeZone')];
  candidateNames = [...new Set(names.map((name) => ianaZone(name)).filter((name) => name !== undefined))];
  return candidateNames;
}
