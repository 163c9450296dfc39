/** The query of GET /events (docs/wire.md 1.7). Every parameter is optional, and every error names its parameter. */

import { PROVIDER_KINDS, type ProviderKind, parseProviderKind } from '../calendars/provider-facts.ts';
import {
  type About,
  anyCase,
  BLANK,
  converted,
  type Field,
  parsedText,
  type Report,
  readQuery,
  refuseMistakes,
  SENTENCES,
  text,
} from '../http/fields.ts';
import { ApiError, errorTable } from '../http/refusal.ts';
import { MOST_SEARCH_TERMS, searchTerms } from '../lib/compared-text.ts';
import { jsonIn } from '../lib/json.ts';
import { DAY, dayOfLocal, toCivil, toDayNumber } from '../lib/recurrence/civil.ts';
import { LOOSE_TIME, parseTimeText } from '../lib/time-text.ts';
import type { EventWindow } from './event-reader.ts';
import { PROBLEM } from './read-error.ts';

/** The errors of requests that read. */
export const QUERY = errorTable({
  providers_unavailable: {
    status: 503,
    message: 'None of the connected accounts can be read at the moment',
    when: 'No provider could be read, and there is no earlier data.',
    fix: 'In `errors`, `actor` says who can fix the problem: the user, the administrator, the operator or nobody.',
    fields: { errors: [PROBLEM] },
    retryAfter: 30,
  },
  ambiguous_event: {
    status: 409,
    message:
      'Several calendars have an event with this id: select one with provider and calendarId, and with account if two accounts have the calendar',
    when: 'Several calendars have an event with this id.',
    fix: 'Select one with `provider` and `calendarId`, and with `account` if two accounts have the calendar.',
  },
  event_too_complex: {
    status: 422,
    message:
      'The recurrence rules of this series take too long to expand. Simplify them in the calendar, or request the series itself',
    when: 'The event belongs to a series whose recurrence rules take too long to expand.',
    fix: 'Read the series instead of its occurrences ([limits of a series](reading.md#what-asks-for-too-much)).',
  },
  too_many_reads: {
    status: 429,
    message:
      'Large calendars of this user are being read already: at most 2 such reads run at once; try again after one of them has ended',
    when: 'Too many large reads or long polls of this user are in progress.',
    fix: 'Finish reading the responses in progress, and wait for the seconds in `Retry-After`.',
    retryAfter: 5,
  },
  invalid_page_token: {
    status: 400,
    message: 'nextPageToken does not belong to this user and application: start again without it',
    when: 'The page token is invalid, or it belongs to another user or application.',
    fix: 'Start again with the first page.',
    field: 'nextPageToken',
  },
  window_too_large: {
    status: 400,
    message: 'The window is too large: at most two hundred years between start and end are allowed',
    when: 'The window is longer than two hundred years.',
    fix: 'Request a shorter window.',
  },
});

export type EventsQuery = {
  readonly window: EventWindow;
  readonly filter: CalendarFilter | undefined;
  readonly singleEvents: boolean;
  /** `undefined` if it was not requested. */
  readonly pageSize: number | undefined;
  /** The folded terms of `q`; an event must contain all of them. */
  readonly search: readonly string[];
};

export const DEFAULT_PAGE_SIZE = 250;
export const LARGEST_PAGE_SIZE = 1000;
/** The maximum window in days: two hundred years. */
const LONGEST_WINDOW_DAYS = 73_050;
const LONGEST_SEARCH = 200;
export const NOT_BEFORE = 'must be before end';

/** Defines a field for a date and time, as epoch milliseconds. */
export const instant = (about: About) =>
  parsedText(parseDateParameter, {
    schema: { format: 'date-time' },
    also: { type: 'string', pattern: LOOSE_TIME.replace('([+-])', '([+ -])') },
    ...about,
    problem: SENTENCES.noTime('2026-11-01T00:00:00Z'),
  });

/** Defines a query field for `true` or `false`, also as 1 and 0. */
export const flagText = (about: About): Field<boolean, false> =>
  parsedText(parseFlag, {
    ...about,
    absent: BLANK,
    schema: { enum: ['true', 'false'] },
    also: { type: 'string', pattern: `^\\s*(${anyCase('true')}|${anyCase('false')}|0|1)\\s*$` },
    problem: SENTENCES.noFlag,
  });

function parseFlag(text: string): boolean | undefined {
  const word = text.trim().toLowerCase();
  if (word === 'true' || word === '1') return true;
  return word === 'false' || word === '0' ? false : undefined;
}

export const PAGE_SIZE = {
  /** 0 means the default; more than the maximum is the maximum (docs/wire.md 1.7). */
  pageSize: parsedText(parsePageSize, {
    doc: 'Default: 250. Values above 1,000 count as 1,000.',
    example: 100,
    schema: { type: 'integer', minimum: 0 },
    problem: SENTENCES.noWholeNumber(1, LARGEST_PAGE_SIZE),
  }),
};

const IDS = { type: 'array', items: { type: 'string' } };
const POSITION = /^\d+$/;
const BY_POSITION = {
  type: 'object',
  propertyNames: { pattern: POSITION.source },
  additionalProperties: IDS.items,
};
const ID_OR_NONE = { anyOf: [{ type: ['string', 'null'] }, BY_POSITION, IDS] };
const CALENDARS =
  'Default: all calendars. `primary` is the main calendar of each account. Unknown ids match nothing.';
const UNREADABLE_FILTER = 'must be JSON: an object such as {"google":["id"]}, or an array of ids';

/** The filter in a body: ids by provider, or a flat list of ids. */
export const CALENDAR_FILTER: Field<CalendarFilter, false> = {
  doc: `Ids by provider, or a flat list of ids of any. ${CALENDARS}`,
  schema: { anyOf: [{ type: 'object', additionalProperties: IDS }, IDS] },
  also: { type: 'object', additionalProperties: ID_OR_NONE },
  read: readCalendarFilter,
  isRequired: false,
};

/** The same filter in a query, as JSON. */
export const CALENDAR_IDS = converted(
  text({
    allowsControls: true,
    doc: `JSON: ids by provider, or a flat list of ids of any. ${CALENDARS}`,
    example: '{"google":["ada@example.com"]}',
    schema: { contentMediaType: 'application/json', contentSchema: CALENDAR_FILTER.schema },
    also: { contentMediaType: 'application/json', contentSchema: CALENDAR_FILTER.also },
  }),
  (json, report) => {
    const value = jsonIn(json);
    return value === null ? undefined : readCalendarFilter(value, report);
  },
);

export const EVENTS_QUERY = {
  start: instant({
    doc: 'Default: the first day of the current month in UTC.',
    example: '2026-11-01T00:00:00Z',
  }),
  end: instant({ doc: 'Exclusive. Default: the end of that month.', example: '2026-12-01T00:00:00Z' }),
  singleEvents: flagText({
    doc: 'False returns each series once instead of its occurrences. Default: true.',
    example: 'true',
  }),
  calendarIds: CALENDAR_IDS,
  ...PAGE_SIZE,
  q: converted(
    text({
      max: LONGEST_SEARCH,
      allowsControls: true,
      doc: `Words that an event must all contain, at most ${MOST_SEARCH_TERMS}. Requires scope \`read\`.`,
      example: 'planning',
    }),
    readSearch,
  ),
  nextPageToken: text({
    allowsControls: true,
    doc: 'The token from the previous page. It contains all parameters except `pageSize`.',
  }),
};

/** Parses the query. Throws ApiError 400 with all mistakes. `now` is epoch milliseconds. */
export function parseEventsQuery(query: unknown, now: number): EventsQuery {
  const input = readQuery(query, EVENTS_QUERY);
  const window = chooseWindow(input.start, input.end, now);
  if (window.start >= window.end) refuseMistakes([{ field: 'start', problem: NOT_BEFORE }]);
  if (window.end - window.start > LONGEST_WINDOW_DAYS * DAY)
    throw new ApiError(QUERY.window_too_large, { details: { end: ['end is too far from start'] } });
  const { singleEvents = true, calendarIds: filter, pageSize, q: search = [] } = input;
  return { window, filter, singleEvents, pageSize: pageSize || undefined, search };
}

function parsePageSize(text: string): number | undefined {
  return /^\+?\d{1,15}$/.test(text.trim()) ? Math.min(Number(text), LARGEST_PAGE_SIZE) : undefined;
}

function readSearch(text: string, report: Report): string[] | undefined {
  const terms = searchTerms(text);
  if (terms.length > MOST_SEARCH_TERMS) return report(`must have at most ${MOST_SEARCH_TERMS} words`);
  return terms.length === 0 ? report('has no word to search for') : terms;
}

/** Returns the window; by default the current month in UTC, or the month of the given start or end beyond it. */
function chooseWindow(start: number | undefined, end: number | undefined, now: number): EventWindow {
  const current = toMonth(now);
  if (start !== undefined && end === undefined)
    return { start, end: start < current.end ? current.end : toMonth(start).end };
  if (end !== undefined && start === undefined)
    return { start: end > current.start ? current.start : toMonth(end - 1).start, end };
  return { start: start ?? current.start, end: end ?? current.end };
}

/** Returns the month from the first day, 00:00:00, to the last, 23:59:59. */
function toMonth(instant: number): EventWindow {
  const { year, month } = toCivil(dayOfLocal(instant));
  const nextMonth = toDayNumber(year, month + 1, 1) * DAY;
  const start = toDayNumber(year, month, 1) * DAY;
  const end = nextMonth - 1000;
  return { start, end: instant < end ? end : nextMonth };
}

/** Returns epoch milliseconds without finer fractions; `undefined` if the text is not a date or time. */
export function parseDateParameter(text: string): number | undefined {
  // The last space may be a '+' that the caller did not escape.
  const time = parseTimeText(text) ?? parseTimeText(text.trim().replace(/ (?=\S*$)/, '+'));
  return time && time.local + time.fraction - (time.offset ?? 0);
}

/** The chosen ids by provider. Ids that are not the user's have no effect. */
export type CalendarFilter = ReadonlyMap<ProviderKind, ReadonlySet<string>>;

/** Reads both shapes that published clients send. A filter without any id counts as absent. */
function readCalendarFilter(value: unknown, report: Report): CalendarFilter | undefined {
  if (typeof value !== 'object' || value === null) return report(UNREADABLE_FILTER);
  if (isList(value)) {
    const ids = parseCalendarIds(value);
    if (ids === undefined) return report(UNREADABLE_FILTER);
    return ids.length === 0 ? undefined : anyProvider(new Set(ids));
  }
  const filter = new Map<ProviderKind, ReadonlySet<string>>();
  let hasIds = false;
  for (const [name, ids] of Object.entries(value)) {
    const list = parseCalendarIds(ids);
    if (list === undefined) return report(UNREADABLE_FILTER);
    hasIds ||= list.length > 0;
    const provider = parseProviderKind(name);
    if (provider !== undefined) filter.set(provider, new Set(list));
  }
  return hasIds ? filter : undefined;
}

const anyProvider = (ids: ReadonlySet<string>): CalendarFilter =>
  new Map(PROVIDER_KINDS.map((provider) => [provider, ids]));

/** PHP sends a list with gaps as an object of its positions, and an empty map for an empty list. */
const isList = (value: object): boolean =>
  Array.isArray(value) ||
  Object.entries(value).every(([name, id]) => POSITION.test(name) && typeof id === 'string');

/** A null counts as an absent list. */
function parseCalendarIds(value: unknown): string[] | undefined {
  if (value === null) return [];
  if (typeof value === 'string') return [value];
  if (typeof value !== 'object' || !isList(value)) return undefined;
  const ids: unknown[] = Object.values(value);
  return ids.every((id) => typeof id === 'string') ? ids : undefined;
}
