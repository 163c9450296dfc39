/** Syncs the data that a read needs. After a time limit, the read uses the mirror and the sync continues as a job. */
import { healthAfter } from '../calendars/health.ts';
import { type Actor, actorOf, type HealthReason } from '../calendars/health-reason.ts';
import type { LeftOutEvents } from '../calendars/mirrored-event.ts';
import type { ProviderKind } from '../calendars/provider-facts.ts';
import type { SyncFailure } from '../calendars/sync-failure.ts';
import { ApiError } from '../http/refusal.ts';
import { LATE, within } from '../lib/within.ts';
import type { ScopedReader } from '../oauth/grant.ts';
import { type Scope, scopeCovers } from '../oauth/scope.ts';
import type { CalendarSync } from './calendar-sync.ts';
import type { EventReader, Freshness, MirroredAccount, ReadableCalendar } from './event-reader.ts';
import type { CalendarFilter } from './events-query.ts';
import { QUERY } from './events-query.ts';
import { READING } from './read-error.ts';

/** The maximum age of data in a response, in milliseconds. */
export const FRESH_MS = 10_000;
/** The maximum age of the calendar list if only events are requested, because new calendars are rare. Milliseconds. */
export const LIST_FRESH_MS = 60_000;

export type FreshnessDeps = {
  readonly events: Pick<EventReader, 'accountsOf'>;
  readonly sync: CalendarSync;
  readonly now: () => number;
  /** Limits the wait of a read for a sync; `within` by default. */
  readonly readWait?: typeof within;
};

/** Chooses the calendars to read; `undefined` chooses all. */
export type CalendarChoice = ((calendar: ReadableCalendar, account: MirroredAccount) => boolean) | undefined;

/** Returns a choice of the calendars in the filter; all without one. */
export function toCalendarChoice(filter: CalendarFilter | undefined): CalendarChoice {
  if (filter === undefined) return undefined;
  return ({ href, alias }, { provider }) => {
    const ids = filter.get(provider);
    return ids !== undefined && (ids.has(href) || (alias !== undefined && ids.has(alias)));
  };
}

export type ReadRequest = {
  readonly reader: ScopedReader;
  /** The required scope. Accounts that the reader has at a narrower scope are left out. */
  readonly needs: Scope;
  /** The maximum age of the list of calendars, in milliseconds. */
  readonly listAge: number;
  /** The maximum age of events in milliseconds; `undefined` if only calendars are read. */
  readonly eventAge: number | undefined;
  readonly choice: CalendarChoice;
};

export type FreshAccounts = {
  readonly accounts: readonly MirroredAccount[];
  readonly problems: readonly ReadProblem[];
};

/** An account that could not be synced, as in responses (beside docs/wire.md 2.4 and 2.5). */
export type ReadProblem = {
  readonly provider: ProviderKind;
  readonly account: string;
  /** The calendar or event that is missing or incomplete. */
  readonly calendarId?: string;
  readonly eventId?: string;
  /** The number of events that a sync left out, and the ids of the first ten. */
  readonly count?: number;
  readonly eventIds?: readonly string[];
  /** `reauth_required`, `sync_in_progress`, `event_too_complex`, `event_unreadable`, or the failure's kind. */
  readonly code: string;
  readonly message: string;
  /** For failures, the exact cause and who must act. */
  readonly reason?: HealthReason;
  readonly actor?: Actor;
};

/** The maximum wait for a first sync. Published clients give up after 30 seconds. */
const FIRST_READ_MS = 20_000;
const LATER_READ_MS = 5_000;

/**
 * Returns the reader's accounts after syncing them. Throws 503 if nothing can be returned: `sync_in_progress` during a
 * first sync, otherwise `providers_unavailable`. Throws 403 if no account permits access to calendars (docs/wire.md
 * 3.2).
 */
export async function freshAccounts(request: ReadRequest, deps: FreshnessDeps): Promise<FreshAccounts> {
  const all = await coveredAccounts(request, deps);
  requirePermission(all);
  const isConcerned = (account: MirroredAccount) => mayHaveChosen(account, request.choice);
  let accounts = all.filter(isConcerned);
  const syncs = startSyncs(accounts, request, deps);
  if (syncs.length > 0) {
    await Promise.all(syncs);
    accounts = (await coveredAccounts(request, deps)).filter(isConcerned);
  }
  const problems = listReadProblems(accounts, request);
  if (problems.length > 0 && !accounts.some((account) => isServed(account, request)))
    throw nothingToServe(problems);
  return { accounts, problems };
}

/** Returns the accounts that the reader's grant covers at the required scope. */
export const coveredAccounts = async (
  { reader, needs }: Pick<ReadRequest, 'reader' | 'needs'>,
  { events }: Pick<FreshnessDeps, 'events'>,
): Promise<MirroredAccount[]> =>
  (await events.accountsOf(reader)).filter(({ scope }) => scopeCovers(scope, needs));

function filterCalendars(account: MirroredAccount, choice: CalendarChoice): readonly ReadableCalendar[] {
  if (choice === undefined) return account.calendars;
  return account.calendars.filter((calendar) => choice(calendar, account));
}

/** Returns whether the account may have chosen calendars: its calendars are unknown, or some are chosen. */
const mayHaveChosen = (account: MirroredAccount, choice: CalendarChoice): boolean =>
  choice === undefined || account.syncedAt === undefined || filterCalendars(account, choice).length > 0;

export type Owned = { readonly calendar: ReadableCalendar; readonly account: MirroredAccount };

/** Returns the synced calendars of the choice, each with its account. */
export const listSyncedCalendars = (accounts: readonly MirroredAccount[], choice: CalendarChoice): Owned[] =>
  accounts.flatMap((account) =>
    filterCalendars(account, choice)
      .filter(({ syncedAt }) => syncedAt !== undefined)
      .map((calendar) => ({ calendar, account })),
  );

function requirePermission(accounts: readonly MirroredAccount[]): void {
  if (accounts.length === 0 || accounts.some(({ calendarPermission }) => calendarPermission !== false))
    return;
  throw new ApiError(READING.calendar_permission_required, {
    message: 'No connected account has calendar access: send the user to /authorize to allow it',
    fields: { accounts: accounts.map(({ provider, accountId }) => ({ provider, account: accountId })) },
  });
}

/** A calendar list or the events of a calendar, with the state of its sync. */
type Synced = {
  readonly state: Freshness;
  readonly kind: 'sync-account' | 'sync-calendar';
  readonly key: string;
  readonly notBefore: number;
  readonly sync: (key: string, notBefore: number) => Promise<unknown>;
};

/** Returns one wait of limited time for each outdated list and calendar. */
function startSyncs(accounts: readonly MirroredAccount[], request: ReadRequest, deps: FreshnessDeps) {
  const { syncList, syncNewCalendars, syncCalendar } = deps.sync;
  const { listAge, eventAge, choice } = request;
  const now = deps.now();
  const things = accounts.flatMap((account): Synced[] => {
    // Servers lock an account if every read tries its refused password.
    if (account.health.state === 'reauth_required' || account.calendarPermission === false) return [];
    const notBefore = now - listAge;
    const list = { state: account, kind: 'sync-account', key: account.accountKey, notBefore } as const;
    if (eventAge === undefined) return [{ ...list, sync: syncList }];
    const calendars = filterCalendars(account, choice).map((calendar) => ({
      state: calendar,
      kind: 'sync-calendar' as const,
      key: calendar.calendarKey,
      notBefore: now - eventAge,
      sync: syncCalendar,
    }));
    return [{ ...list, sync: syncNewCalendars }, ...calendars];
  });
  return things.filter(isOlder).map((thing) => waitBriefly(thing, deps));
}

/** Returns whether the last sync and the last failure were before `notBefore`. */
function isOlder({ state: { syncedAt, failedAt, failure }, notBefore }: Synced): boolean {
  if (failure !== undefined && failedAt !== undefined && failedAt >= notBefore) return false;
  return syncedAt === undefined || syncedAt < notBefore;
}

async function waitBriefly(thing: Synced, { sync, readWait = within }: FreshnessDeps): Promise<void> {
  const { state, kind, key, notBefore } = thing;
  const bound = state.syncedAt === undefined ? FIRST_READ_MS : LATER_READ_MS;
  const outcome = await readWait(bound, thing.sync(key, notBefore));
  if (outcome === LATE) await sync.continueAsJob(kind, key);
}

/** Returns whether the read can return anything from this account. */
function isServed(account: MirroredAccount, { eventAge, choice }: ReadRequest): boolean {
  if (account.syncedAt === undefined) return false;
  if (eventAge === undefined) return true;
  const calendars = filterCalendars(account, choice);
  return calendars.length === 0
    ? account.failure === undefined
    : calendars.some(({ syncedAt }) => syncedAt !== undefined);
}

function nothingToServe(problems: readonly ReadProblem[]): ApiError {
  const fields = { errors: problems };
  if (problems.some(({ code }) => code === 'sync_in_progress'))
    return new ApiError(READING.sync_in_progress, { fields });
  return new ApiError(QUERY.providers_unavailable, { fields });
}

const listReadProblems = (accounts: readonly MirroredAccount[], request: ReadRequest): ReadProblem[] =>
  accounts.flatMap((account) => {
    const problem = findReadProblem(account, request);
    return problem ? [{ provider: account.provider, account: account.accountId, ...problem }] : [];
  });

function findReadProblem(account: MirroredAccount, { eventAge, choice }: ReadRequest) {
  if (account.calendarPermission === false)
    return {
      code: 'calendar_permission_required',
      message:
        'This account was connected without access to its calendars: send the user to /authorize to allow it',
      ...toProblemCause('calendar_permission_missing'),
    };
  if (account.health.state === 'reauth_required') {
    const { message, reason } = account.health;
    return {
      code: 'reauth_required',
      message: message ?? 'The provider refused the account; the user must connect it again',
      ...toProblemCause(reason),
    };
  }
  const things = [account, ...(eventAge === undefined ? [] : filterCalendars(account, choice))];
  const failures = things.flatMap(({ failure }) => failure ?? []);
  // A failure of the chosen calendars is more important than too many calendars.
  const failed = failures.find(({ reason }) => reason !== 'too_many_calendars') ?? failures[0];
  if (failed !== undefined) {
    const code = failed.kind === 'unauthorized' ? 'reauth_required' : toProblemCode(failed);
    return {
      code,
      message: failed.message,
      ...toProblemCause(healthAfter(failed, account.provider)?.reason),
    };
  }
  if (things.every(({ syncedAt }) => syncedAt !== undefined)) return undefined;
  return {
    code: 'sync_in_progress',
    message: 'The calendars of this account are being read for the first time',
  };
}

const toProblemCause = (reason: HealthReason | undefined) =>
  reason === undefined ? {} : { reason, actor: actorOf(reason) };

const toProblemCode = ({ kind, reason }: SyncFailure): string =>
  reason === 'too_many_calendars' ? reason : kind;

/** A part of a calendar missing from a response: a series (by master id), or some series, matches or events. */
export type LeftOut = { readonly calendarKey: string } & (
  | { readonly part: 'series'; readonly id: string }
  | { readonly part: 'recurring' | 'search' | 'events' }
);

/** The number of a calendar's series that are named. The others are counted. */
const MOST_NAMED = 10;

/** Returns these problems and those of the last syncs. Readers with scope `free-busy` get no ids. */
export function leftOutProblems(calendars: readonly Owned[], leftOut: readonly LeftOut[]): ReadProblem[] {
  const byCalendar = Map.groupBy(leftOut, ({ calendarKey }) => calendarKey);
  return calendars.flatMap((owned) => {
    const { calendar, account } = owned;
    const isNamed = account.scope !== 'free-busy';
    const parts = byCalendar.get(calendar.calendarKey) ?? [];
    const series = parts.filter((part) => part.part === 'series');
    const listed = isNamed ? series.slice(0, MOST_NAMED) : [];
    const unnamed = series.length - listed.length;
    const kinds = new Set(parts.map(({ part }) => part));
    const name = isNamed ? `the calendar “${calendar.title}”` : 'a calendar';
    const messages = [
      unnamed > 0 &&
        `${unnamed} recurring events of ${name} are left out: expanding their rules takes too long`,
      kinds.has('recurring') &&
        `Some recurring events of ${name} are left out: together their rules take too long to expand. Delete recurring events that have ended, or spread them over several calendars`,
      kinds.has('search') &&
        `${name} was searched only in part: it has too much text. Request a shorter time between start and end`,
      kinds.has('events') &&
        `Some events of ${name} are left out: it has too many in this time. Request a shorter time between start and end`,
    ].filter((message) => typeof message === 'string');
    return [
      ...syncProblems(owned, isNamed),
      ...messages.map((message) => leftOutProblem(owned, message)),
      ...listed.map(({ id }) => ({
        ...leftOutProblem(
          owned,
          `The recurring event ${id} of ${name} is left out: expanding its rules takes too long. Simplify them, or delete the event`,
        ),
        eventId: id,
      })),
    ];
  });
}

const UNNAMED = {
  event_too_complex: 'Events of a calendar are left out: they are too complex',
  event_unreadable: 'Events of a calendar are missing or incomplete: they cannot be read',
};

function syncProblems(owned: Owned, isNamed: boolean): ReadProblem[] {
  const { tooComplex, unreadable } = owned.calendar;
  const ofKind = (reason: LeftOutReason, events: LeftOutEvents | undefined): ReadProblem[] => {
    if (events === undefined) return [];
    if (!isNamed) return [leftOutProblem(owned, UNNAMED[reason], reason)];
    const { message, count, eventIds } = events;
    return [{ ...leftOutProblem(owned, message, reason), count, ...(eventIds && { eventIds }) }];
  };
  return [...ofKind('event_too_complex', tooComplex), ...ofKind('event_unreadable', unreadable)];
}

type LeftOutReason = keyof typeof UNNAMED;

function leftOutProblem(
  { account: { provider, accountId: account }, calendar: { href: calendarId } }: Owned,
  message: string,
  reason: LeftOutReason = 'event_too_complex',
): ReadProblem {
  return { provider, account, calendarId, code: reason, message, reason, actor: actorOf(reason) };
}
