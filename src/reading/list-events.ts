/**
 * GET /events: one page of the events of all chosen calendars, sorted by start over the whole listing
 * (wire 1.7), read from the mirror. A page begins behind the last event of the one before, so that none is
 * shown twice or passed over, whatever changes in between elsewhere.
 */
import { ApiError } from '../http/api-error.ts';
import { requireScope } from '../oauth/bearer-authentication.ts';
import type { Grant } from '../oauth/grant.ts';
import type { AnswerCache } from './answer-cache.ts';
import { type CalendarChoice, chosenOf } from './calendar-choice.ts';
import type { EventReader, MirroredAccount, ReadableCalendar } from './event-reader.ts';
import { busyText, eventText } from './event-text.ts';
import {
  DEFAULT_PAGE_SIZE,
  parameterOf,
  parseEventsQuery,
  parsePageSize,
  type RawQuery,
} from './events-query.ts';
import { type FreshnessDeps, freshAccounts } from './freshness.ts';
import { type ListedEvent, pageOfEvents } from './page-of-events.ts';
import { openPageToken, type PagePosition, sealPageToken } from './page-token.ts';
import type { ReadProblem } from './read-problem.ts';

export type ListEventsDeps = FreshnessDeps & {
  readonly events: EventReader;
  /** 32 bytes, kept for page tokens and the ids of busy blocks alone. */
  readonly pagingKey: Buffer;
  /** Keeps first pages. */
  readonly answers?: AnswerCache | undefined;
};

/** How old what a read shows may be, in milliseconds. */
export const FRESH_MS = 10_000;
/** New calendars are rare: their list may be older where only events are asked for. */
export const LIST_FRESH_MS = 60_000;

const NO_SEARCH = 'Search is forbidden for free-busy scope';

type Page = Omit<PagePosition, 'after'> & { readonly after: PagePosition['after'] | undefined };

/** The answer's JSON. Refusals: 400 for a bad query, 403 and 503 as freshAccounts says. */
export async function listEvents(query: RawQuery, grant: Grant, deps: ListEventsDeps): Promise<Buffer> {
  const { page, choice } = pageAsked(query, grant, deps);
  // Whether a search finds something tells what is in it.
  if (page.search.length > 0) requireScope(grant, 'read', NO_SEARCH);
  const { clientId, userId } = grant;
  // What follows a page is of the same state of the calendars as far as it goes: nothing is synced anew.
  const age = page.after === undefined ? FRESH_MS : Number.POSITIVE_INFINITY;
  const listAge = page.after === undefined ? LIST_FRESH_MS : Number.POSITIVE_INFINITY;
  const fresh = await freshAccounts({ clientId, userId, listAge, eventAge: age, choice }, deps);

  const calendars = servedOf(fresh.accounts, choice);
  const isKept = page.after === undefined && fresh.problems.length === 0;
  const key = isKept ? keyOf(page, parameterOf(query, 'calendarIds'), grant) : '';
  // Read before the events: what is kept under a version is never older than it.
  const version = versionOf(calendars);
  const known = isKept ? deps.answers?.find(key, version) : undefined;
  if (known !== undefined) return known;

  const zones = new Map(calendars.map(({ calendar }) => [calendar.calendarKey, calendar.timeZone]));
  const { events, more } = await pageOfEvents(page, zones, deps.events);

  const texts = textsOf(events, calendars, grant, deps.pagingKey);
  const last = events.at(-1);
  const keys = choice && [...zones.keys()];
  const next =
    more && last && sealPageToken({ ...page, calendarKeys: keys, after: last }, grant, deps.pagingKey);
  const answer = Buffer.from(answerText(texts, page.pageSize, next || undefined, fresh.problems));
  if (isKept) deps.answers?.keep(key, version, answer);
  return answer;
}

const keyOf = (
  { window, singleEvents, search, pageSize }: Page,
  filter: string | undefined,
  grant: Grant,
): string => {
  const { clientId, userId, scope } = grant;
  const { start, end } = window;
  return JSON.stringify([clientId, userId, scope, start, end, singleEvents, search, pageSize, filter]);
};

/** All that an answer shows besides the events themselves, and which state of the events it is. */
const versionOf = (calendars: readonly Owned[]): string =>
  JSON.stringify(
    calendars.map(
      ({ calendar: { calendarKey, href, timeZone, revision }, account: { provider, accountId } }) => [
        ...[calendarKey, revision, href, timeZone, provider, accountId],
      ],
    ),
  );

function pageAsked(
  query: RawQuery,
  grant: Grant,
  { now, pagingKey }: ListEventsDeps,
): { page: Page; choice: CalendarChoice } {
  const token = parameterOf(query, 'nextPageToken');
  if (token === undefined) {
    const asked = parseEventsQuery(query, now());
    const { window, filter, singleEvents, search, pageSize = DEFAULT_PAGE_SIZE } = asked;
    const choice: CalendarChoice =
      filter && (({ href }, { provider }) => filter.get(provider)?.has(href) === true);
    return {
      page: { window, singleEvents, search, calendarKeys: undefined, pageSize, after: undefined },
      choice,
    };
  }
  // Callers repeat the other parameters or leave them out; the token's values hold (wire 1.7).
  const page = openPageToken(token, grant, pagingKey);
  if (page === undefined) {
    const problem = 'nextPageToken is not one of this user and application: start again without it';
    throw new ApiError(400, 'invalid_page_token', {
      message: problem,
      details: { nextPageToken: [problem] },
    });
  }
  const keys = page.calendarKeys && new Set(page.calendarKeys);
  const choice: CalendarChoice = keys && (({ calendarKey }) => keys.has(calendarKey));
  return { page: { ...page, pageSize: parsePageSize(query) ?? page.pageSize }, choice };
}

export type Owned = { readonly calendar: ReadableCalendar; readonly account: MirroredAccount };

/** The chosen calendars that the mirror has, each with its account. */
export function servedOf(accounts: readonly MirroredAccount[], choice: CalendarChoice): Owned[] {
  return accounts.flatMap((account) =>
    chosenOf(account, choice)
      .filter(({ syncedAt }) => syncedAt !== undefined)
      .map((calendar) => ({ calendar, account })),
  );
}

function textsOf(
  events: readonly ListedEvent[],
  calendars: readonly Owned[],
  grant: Grant,
  key: Buffer,
): string[] {
  const owners = new Map(calendars.map((owned) => [owned.calendar.calendarKey, owned]));
  const toText = grant.scope === 'free-busy' ? busyText(key) : eventText();
  return events.flatMap((event) => {
    const owner = owners.get(event.calendarKey);
    return owner === undefined ? [] : [toText(event, owner.calendar, owner.account)];
  });
}

function answerText(
  events: readonly string[],
  pageSize: number,
  nextPageToken: string | undefined,
  errors: readonly ReadProblem[],
): string {
  const rest = JSON.stringify({ pageSize, nextPageToken, ...(errors.length > 0 ? { errors } : {}) });
  return `{"events":[${events.join(',')}],${rest.slice(1)}`;
}
