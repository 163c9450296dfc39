/** The query of GET /events (wire 1.7): every parameter optional, each mistake told by name. */
import { ApiError } from '../http/api-error.ts';
import {
  anyText,
  type Fields,
  parameterOf,
  readQuery,
  SENTENCES,
  textRead,
  unlessEmpty,
} from '../http/request-fields.ts';
import { civilOf, DAY, dayNumberOf, dayOfLocal } from '../lib/recurrence/civil.ts';
import { MOST_SEARCH_TERMS, searchTerms } from '../lib/search-text.ts';
import { type CalendarFilter, calendarFilterInput } from './calendar-filter.ts';
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

/** 0 and absence mean the default; more than the most is the most (wire 1.7). */
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
  const words = searchTerms(text);
  if (text.length > LONGEST_SEARCH || words.length > MOST_SEARCH_TERMS)
    fields.mistake('q', `must have at most ${MOST_SEARCH_TERMS} words and ${LONGEST_SEARCH} characters`);
  else if (words.length === 0) fields.mistake('q', 'has nothing to search for');
  return words;
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

/** The window holds more than one answer may cost. */
export function windowTooLarge(cause?: unknown): ApiError {
  const message =
    'The window is too large: ask for a shorter time between start and end, or for fewer calendars';
  const details = { end: ['end is too far from start'] };
  return new ApiError(400, 'window_too_large', { message, details, cause });
}
