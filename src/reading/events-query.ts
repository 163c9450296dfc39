/** The query of GET /events (docs/wire.md 1.7): every parameter optional, each mistake told by name. */

import { PROVIDER_KINDS, type ProviderKind, parseProviderKind } from '../calendars/provider-kind.ts';
import { ApiError } from '../http/refusal.ts';
import {
  anyText,
  type Fields,
  parameterOf,
  readQuery,
  SENTENCES,
  textRead,
  unlessEmpty,
} from '../http/request-fields.ts';
import { civilOf, DAY, dayNumberOf, dayOfLocal, parseLocal } from '../lib/recurrence/civil.ts';
import { MOST_SEARCH_TERMS, searchTerms } from '../lib/search-text.ts';
import type { EventWindow } from './event-reader.ts';

/** As the query string holds it: a repeated parameter is a list. */
export type RawQuery = Readonly<Record<string, unknown>>;

export type EventsQuery = {
  readonly window: EventWindow;
  readonly filter: CalendarFilter | undefined;
  readonly singleEvents: boolean;
  /** `undefined` where it was not asked for. */
  readonly pageSize: number | undefined;
  /** The words of `q`, folded; all must be in an event. */
  readonly search: readonly string[];
};

export const DEFAULT_PAGE_SIZE = 250;
export const LARGEST_PAGE_SIZE = 1000;
/** A window is one person's calendars over at most this many days: two hundred years. */
const LONGEST_WINDOW_DAYS = 73_050;

/** Throws 400 with everything that is wrong. `now` is epoch milliseconds. */
export function parseEventsQuery(query: RawQuery, now: number): EventsQuery {
  return readQuery(query, (fields) => {
    const start = fields.optional('start', instant);
    const end = fields.optional('end', instant);
    const singleEvents = fields.optional('singleEvents', textRead(parseFlag, SENTENCES.noFlag)) ?? true;
    const filter = calendarFilterInput(fields, parameterOf(query, 'calendarIds'));
    const size = fields.optional('pageSize', pageSize);
    const search = searchInput(fields);
    const window = windowOf(start, end, now);
    if (!fields.failed()) checkWindow(window, fields);
    return { window, filter, singleEvents, pageSize: size || undefined, search };
  });
}

/** What a following page may still choose; the rest is in its token. Throws 400. */
export function parsePageSize(query: RawQuery): number | undefined {
  return readQuery(query, (fields) => fields.optional('pageSize', pageSize) || undefined);
}

/** Epoch milliseconds. */
export const instant = unlessEmpty(textRead(parseDateParameter, SENTENCES.noTime('2026-11-01T00:00:00Z')));

/** 0 and absence mean the default; more than the most is the most (docs/wire.md 1.7). */
const pageSize = textRead(
  (text) => (/^\+?\d{1,15}$/.test(text.trim()) ? Math.min(Number(text), LARGEST_PAGE_SIZE) : undefined),
  SENTENCES.noWholeNumber(1, LARGEST_PAGE_SIZE),
);

/** `undefined` when the text is neither yes nor no. */
export function parseFlag(text: string): boolean | undefined {
  const flag = text.trim().toLowerCase();
  if (flag === 'true' || flag === '1') return true;
  return flag === 'false' || flag === '0' ? false : undefined;
}

const LONGEST_SEARCH = 200;

function searchInput(fields: Fields): string[] {
  const text = fields.optional('q', anyText);
  if (text === undefined) return [];
  const terms = searchTerms(text);
  if (text.length > LONGEST_SEARCH || terms.length > MOST_SEARCH_TERMS)
    fields.mistake('q', `must have at most ${MOST_SEARCH_TERMS} words and ${LONGEST_SEARCH} characters`);
  else if (terms.length === 0) fields.mistake('q', 'has nothing to search for');
  return terms;
}

/**
 * The current month in UTC by default. Where that would end before a given start, the month of the start ends
 * it; and the other way round.
 */
function windowOf(start: number | undefined, end: number | undefined, now: number): EventWindow {
  const current = monthOf(now);
  if (start !== undefined && end === undefined) {
    return { start, end: start < current.end ? current.end : monthOf(start).end };
  }
  if (end !== undefined && start === undefined) {
    return { start: end > current.start ? current.start : monthOf(end - 1).start, end };
  }
  return { start: start ?? current.start, end: end ?? current.end };
}

/** From the first day, 00:00:00, to the last, 23:59:59. */
function monthOf(instant: number): EventWindow {
  const { year, month } = civilOf(dayOfLocal(instant));
  const nextMonth = dayNumberOf(year, month + 1, 1) * DAY;
  const start = dayNumberOf(year, month, 1) * DAY;
  const end = nextMonth - 1000;
  return { start, end: instant < end ? end : nextMonth };
}

function checkWindow({ start, end }: EventWindow, fields: Fields): void {
  if (start >= end) fields.mistake('start', SENTENCES.notBefore);
  if (end - start > LONGEST_WINDOW_DAYS * DAY) throw windowTooLarge();
}

function windowTooLarge(): ApiError {
  const message = 'The window is too large: ask for at most two hundred years between start and end';
  const details = { end: ['end is too far from start'] };
  return new ApiError(400, 'window_too_large', { message, details });
}

/**
 * RFC 3339 and its looser relatives (docs/wire.md 1.7). What has no offset is UTC, what has no time begins
 * its day.
 */
const DATE_AND_TIME =
  /^(\d{4})-?(\d\d)-?(\d\d)(?:[T ](\d\d):?(\d\d)(?::?(\d\d)(?:[.,](\d{1,9}))?)?)?\s*(?:(Z)|([+-]| )(\d\d)(?::?(\d\d))?)?$/i;
const MINUTE = 60_000;

/** Epoch milliseconds, a finer fraction cut off; `undefined` when the text names no date or time. */
export function parseDateParameter(text: string): number | undefined {
  const parts = DATE_AND_TIME.exec(text.trim());
  if (parts === null) return undefined;
  const [, year, month, day, hour = '00', minute = '00', second = '00', fraction = ''] = parts;
  // A leap second is the last of its minute: no clock here has it.
  const whole = parseLocal(`${year}-${month}-${day}T${hour}:${minute}:${second === '60' ? '59' : second}`);
  if (whole === undefined) return undefined;
  // A space is a '+' that was not escaped in a query.
  const [, sign = '', hours = '00', minutes = '00'] = parts.slice(8);
  if (Number(hours) > 23 || Number(minutes) > 59) return undefined;
  const offset = (Number(hours) * 60 + Number(minutes)) * MINUTE * (sign === '-' ? -1 : 1);
  return whole + Number(fraction.padEnd(3, '0').slice(0, 3)) - offset;
}

/** The ids chosen of each provider; ids that are not the user's choose nothing. */
export type CalendarFilter = ReadonlyMap<ProviderKind, ReadonlySet<string>>;

/**
 * The parameter `calendarIds`, in both shapes that published clients send. `undefined` where it names no id at all, which
 * filters nothing.
 */
export function calendarFilterInput(fields: Fields, text: string | undefined): CalendarFilter | undefined {
  const filter = text === undefined ? undefined : parseCalendarFilter(text);
  if (filter !== 'unreadable') return filter;
  const problem = 'must be JSON: an object such as {"google":["id"]}, or an array of ids';
  return fields.mistake('calendarIds', problem);
}

function parseCalendarFilter(text: string): CalendarFilter | undefined | 'unreadable' {
  const unreadable = 'unreadable';
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    return unreadable;
  }
  if (value === null) return undefined;
  if (typeof value !== 'object') return unreadable;
  if (Array.isArray(value)) {
    const ids = idsOf(value);
    if (ids === undefined) return unreadable;
    return ids.length === 0 ? undefined : anyProvider(new Set(ids));
  }

  const filter = new Map<ProviderKind, ReadonlySet<string>>();
  let named = false;
  for (const [name, ids] of Object.entries(value)) {
    const list = idsOf(ids);
    if (list === undefined) return unreadable;
    named ||= list.length > 0;
    const provider = parseProviderKind(name);
    if (provider !== undefined) filter.set(provider, new Set(list));
  }
  return named ? filter : undefined;
}

const anyProvider = (ids: ReadonlySet<string>): CalendarFilter =>
  new Map(PROVIDER_KINDS.map((provider) => [provider, ids]));

/** PHP writes an empty map where others write an empty list, and a null is an absent list. */
function idsOf(value: unknown): string[] | undefined {
  if (value === null) return [];
  if (typeof value === 'string') return [value];
  if (!Array.isArray(value)) {
    return typeof value === 'object' && value !== null && Object.keys(value).length === 0 ? [] : undefined;
  }
  return value.every((id) => typeof id === 'string') ? value : undefined;
}
