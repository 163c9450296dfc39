/** The query of GET /events (wire 1.7): every parameter optional, each mistake told by name. */
import { ApiError } from '../http/api-error.ts';
import { civilOf, DAY, dayNumberOf, dayOfLocal } from '../lib/recurrence/civil.ts';
import { MOST_SEARCH_TERMS, searchTerms } from '../lib/search-text.ts';
import { type CalendarFilter, parseCalendarFilter } from './calendar-filter.ts';
import { parseDateParameter } from './date-parameter.ts';
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

/** The first of a parameter; an empty one is absent (wire 1). */
export function parameterOf(query: RawQuery, name: string): string | undefined {
  const value = query[name];
  const first = Array.isArray(value) ? value[0] : value;
  return typeof first === 'string' && first.trim() !== '' ? first : undefined;
}

/** Throws 400 with everything that is wrong. `now` is epoch milliseconds. */
export function parseEventsQuery(query: RawQuery, now: number): EventsQuery {
  const details: Record<string, string[]> = {};
  const read = <T>(name: string, parse: (text: string) => T | undefined, problem: string): T | undefined => {
    const text = parameterOf(query, name);
    if (text === undefined) return undefined;
    const value = parse(text);
    if (value === undefined) details[name] = [`${name} ${problem}`];
    return value;
  };
  const dateProblem = 'must be a date and time such as 2026-11-01T00:00:00Z';
  const start = read('start', parseDateParameter, dateProblem);
  const end = read('end', parseDateParameter, dateProblem);
  const singleEvents = read('singleEvents', parseFlag, 'must be true or false');
  const filter = filterOf(query, details);
  const pageSize = pageSizeOf(query, details);
  const search = searchOf(query, details);
  const window = windowOf(start, end, now);
  if (Object.keys(details).length === 0) checkWindow(window, details);
  refuse(details);
  return { window, filter, singleEvents: singleEvents ?? true, pageSize, search };
}

/** What a following page may still choose; the rest is in its token. Throws 400. */
export function parsePageSize(query: RawQuery): number | undefined {
  const details: Record<string, string[]> = {};
  const pageSize = pageSizeOf(query, details);
  refuse(details);
  return pageSize;
}

function refuse(details: Readonly<Record<string, readonly string[]>>): void {
  const [problem] = Object.values(details).flat();
  if (problem !== undefined) throw new ApiError(400, 'invalid_request', { message: problem, details });
}

/** `undefined` when the text is neither yes nor no. */
export function parseFlag(text: string): boolean | undefined {
  const flag = text.trim().toLowerCase();
  if (flag === 'true' || flag === '1') return true;
  return flag === 'false' || flag === '0' ? false : undefined;
}

/** 0 and absence mean the default; more than the most is the most (wire 1.7). */
function pageSizeOf(query: RawQuery, details: Record<string, string[]>): number | undefined {
  const text = parameterOf(query, 'pageSize')?.trim();
  if (text === undefined) return undefined;
  if (!/^\+?\d{1,15}$/.test(text)) {
    details.pageSize = [`pageSize must be a whole number from 1 to ${LARGEST_PAGE_SIZE}`];
    return undefined;
  }
  return Number(text) === 0 ? undefined : Math.min(Number(text), LARGEST_PAGE_SIZE);
}

function filterOf(query: RawQuery, details: Record<string, string[]>): CalendarFilter | undefined {
  const text = parameterOf(query, 'calendarIds');
  const filter = text === undefined ? undefined : parseCalendarFilter(text);
  if (filter === undefined || !('problem' in filter)) return filter;
  details.calendarIds = [filter.problem];
  return undefined;
}

const LONGEST_SEARCH = 200;

function searchOf(query: RawQuery, details: Record<string, string[]>): string[] {
  const text = parameterOf(query, 'q');
  if (text === undefined) return [];
  const terms = searchTerms(text);
  if (text.length > LONGEST_SEARCH || terms.length > MOST_SEARCH_TERMS)
    details.q = [`q must have at most ${MOST_SEARCH_TERMS} words and ${LONGEST_SEARCH} characters`];
  else if (terms.length === 0) details.q = ['q has nothing to search for'];
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

function checkWindow({ start, end }: EventWindow, details: Record<string, string[]>): void {
  if (start >= end) details.start = ['start must be before end'];
  if (end - start > LONGEST_WINDOW_DAYS * DAY) throw windowTooLarge();
}

/** The window holds more than one answer may cost. */
export function windowTooLarge(cause?: unknown): ApiError {
  const message =
    'The window is too large: ask for a shorter time between start and end, or for fewer calendars';
  const details = { end: ['end is too far from start'] };
  return new ApiError(400, 'window_too_large', { message, details, cause });
}
