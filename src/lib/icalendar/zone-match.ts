/** Finding the IANA zone that a VTIMEZONE describes under a name of its own. */
import { WINDOWS_TO_IANA_MAP } from 'windows-iana';

import { DAY, dayNumberOf } from '../recurrence/civil.ts';
import { customOffsets } from '../recurrence/custom-zone.ts';
import type { CustomZone } from '../recurrence/event-time.ts';
import type { OffsetSpan } from '../recurrence/offset-span.ts';
import { ianaZone, offsetAt } from '../recurrence/zone.ts';

/** Zones match when they agree in these years. */
const FIRST = dayNumberOf(2022, 1, 1) * DAY;
const LAST = dayNumberOf(2031, 1, 1) * DAY;

type Match = { readonly name: string | undefined };

const matches = new WeakMap<readonly OffsetSpan[], Match>();

/** What looking for a match takes, in steps of a RecurrenceBudget. */
export const COST_OF_MATCH = 4000;

/** The zone with those offsets over a span of years; the best known where there are several. */
export function matchingZone(zone: CustomZone): string | undefined {
  const offsets = customOffsets(zone);
  const before = matches.get(offsets);
  if (before !== undefined) return before.name;
  const samples = samplesOf(zone);
  const name = candidates().find((candidate) =>
    samples.every(({ at, offset }) => offsetAt(candidate, at) === offset),
  );
  matches.set(offsets, { name });
  return name;
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
