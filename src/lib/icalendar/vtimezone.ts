/** Parses a VTIMEZONE, RFC 5545 §3.6.5. */
import { formatLocal, parseLocal } from '../recurrence/civil.ts';
import type { LocalDateTime, Observance } from '../recurrence/event-time.ts';
import { type Component, parseProperties } from './component.ts';
import { type ContentLine, unescapeText } from './content-line.ts';
import { type ResourceBudget, spend } from './resource-budget.ts';

export type VTimezone = {
  readonly tzid: string;
  /** X-LIC-LOCATION: the zone's IANA name as its writer knows it. */
  readonly location: string | undefined;
  readonly observances: readonly Observance[];
  /** The first instant in the events beside it, in epoch milliseconds. If there is none, today's rules count. */
  readonly usedFrom?: (() => number | undefined) | undefined;
};

const ZONE_PROPERTIES = new Set(['TZID', 'X-LIC-LOCATION']);
const OBSERVANCE_PROPERTIES = new Set(['DTSTART', 'TZOFFSETFROM', 'TZOFFSETTO', 'RRULE', 'RDATE']);

/** Returns `undefined` if there is no TZID. Throws TooComplexError. */
export function readVTimezone(component: Component, budget: ResourceBudget): VTimezone | undefined {
  const properties = parseProperties(component, budget, ZONE_PROPERTIES);
  const tzid = properties.get('TZID')?.[0];
  if (tzid === undefined) return undefined;
  const location = properties.get('X-LIC-LOCATION')?.[0];
  const observances = component.components
    .filter(({ name }) => name === 'STANDARD' || name === 'DAYLIGHT')
    .map((observance) => readObservance(observance, budget))
    .filter((observance) => observance !== undefined);
  return {
    tzid: unescapeText(tzid, budget).trim(),
    location: location && unescapeText(location, budget).trim(),
    observances,
  };
}

function readObservance(component: Component, budget: ResourceBudget): Observance | undefined {
  spend(budget, 'observances');
  const properties = parseProperties(component, budget, OBSERVANCE_PROPERTIES);
  const start = localTime(properties.get('DTSTART')?.[0]?.value ?? '');
  const offsetTo = parseOffset(properties.get('TZOFFSETTO')?.[0]?.value);
  if (start === undefined || offsetTo === undefined) return undefined;
  return {
    start,
    offsetFrom: parseOffset(properties.get('TZOFFSETFROM')?.[0]?.value) ?? offsetTo,
    offsetTo,
    // RFC 5545 allows at most one.
    rrules: (properties.get('RRULE') ?? []).slice(0, 4).map(({ value }) => value.trim()),
    rdates: localTimes(properties.get('RDATE') ?? [], budget),
  };
}

function localTimes(properties: readonly ContentLine[], budget: ResourceBudget): LocalDateTime[] {
  return properties
    .flatMap(({ value }) => {
      const texts = value.split(',', budget.onsets + 1);
      spend(budget, 'onsets', texts.length);
      return texts;
    })
    .map(localTime)
    .filter((text) => text !== undefined);
}

/** Parses a local time. Years before 1 (some writers begin at year 0) and dates without a time are read as midnight. */
function localTime(text: string): LocalDateTime | undefined {
  const [, year, month, day, hour = '00', minute = '00', second = '00'] =
    /^\s*(\d{4})(\d\d)(\d\d)(?:T(\d\d)(\d\d)(\d\d))?/i.exec(text) ?? [];
  const local = parseLocal(`${year}-${month}-${day}T${hour}:${minute}:${second}`);
  return local === undefined ? undefined : formatLocal(local);
}

/** Parses seconds east of UTC from `+HHMM`, `-HHMMSS`, `+HH:MM`; less than a day. */
export function parseOffset(text: string | undefined): number | undefined {
  const [, sign, hours, minutes, seconds = '0'] =
    /^\s*([+-])(\d\d):?(\d\d):?(\d\d)?\s*$/.exec(text ?? '') ?? [];
  const offset = Number(hours) * 3600 + Number(minutes) * 60 + Number(seconds);
  if (sign === undefined || offset >= 86_400) return undefined;
  return sign === '-' ? -offset : offset;
}

/** Limits the text before `)`; names that people write are shorter. */
const LONGEST_OFFSET = 60;

/** Parses seconds east of UTC as people write them: `UTC`, `GMT-0500`, `UTC+5:30`, `(GMT+01.00) …`, `+02:00`. */
export function parseNamedOffset(text: string): number | undefined {
  const bracket = text.indexOf(')');
  const label = bracket === -1 ? text : text.slice(0, bracket);
  if (label.length > LONGEST_OFFSET) return undefined;
  // Each run of blanks has one place to match: with more, a long run would be tried in all of them.
  const [, utc, sign, hours = '0', minutes = '0'] =
    /^(?:(UTC|GMT)\s*)?(?:([+\-\u2212])(\d{1,2})(?:[:.]?(\d\d))?(?::?00)?)?$/i.exec(
      label.replace(/^\(/, '').trim(),
    ) ?? [];
  if (utc === undefined && sign === undefined) return undefined;
  const offset = Number(hours) * 3600 + Number(minutes) * 60;
  if (Number(minutes) > 59 || offset >= 86_400) return undefined;
  return sign === undefined || sign === '+' ? offset : -offset;
}
