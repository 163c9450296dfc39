/** Serializes writes and syncs of a calendar over all instances by its lease. Writers of one process queue. */
import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Account } from '../calendars/account-store.ts';
import type { CalendarAccount } from '../calendars/calendar-provider.ts';
import type { EventWriting, WriteResult } from '../calendars/event-writing.ts';
import { healthAfter } from '../calendars/health.ts';
import type { MirroredChanges } from '../calendars/mirrored-event.ts';
import { ProviderError, type ProviderErrorKind, UnsupportedByProvider } from '../calendars/provider-error.ts';
import { failureOfError } from '../calendars/sync-failure.ts';
import { ANY_CALL, ApiError, type ErrorRow, errorTable } from '../http/refusal.ts';
import { toSlotOwner } from '../lib/fair-slots/slot-owner.ts';
import { LATE, within } from '../lib/within.ts';
import type { MirroredAccount } from '../reading/event-reader.ts';
import { READING } from '../reading/read-error.ts';
import { LEASE_MS, RENEW_EVERY_MS } from '../sync/lease.ts';
import type { MirroredCalendar, SyncLease } from '../sync/mirror-store.ts';
import type { WriteDeps } from './write-deps.ts';

/** The calendar and the operations of a write during its turn. */
export type Turn = {
  readonly calendar: MirroredCalendar;
  readonly provider: Account['provider'];
  readonly writing: EventWriting;
  /** Stores the result in the mirror as the application's own change or `others`'. Throws 503 if the lease was lost. */
  keep(result: WriteResult, of?: 'others'): Promise<void>;
  /** The hrefs of series with an unfinished earlier change. */
  readonly unfinished?: ReadonlySet<string>;
};

export type TurnOf = { readonly calendarKey: string; readonly accountKey: string };

/** Published clients time out after 30 s. */
export const TURN_BOUND_MS = 20_000;
const POLL_MS = 50;

/**
 * Runs `work` under the calendar's lease. Throws 503 `calendar_busy` if the wait is too long, and 404 if the calendar
 * or account was deleted. Records a provider's failure in the account's health and rethrows it.
 */
export async function inTurn<T>(
  turnOf: TurnOf,
  work: (turn: Turn) => Promise<T>,
  deps: WriteDeps,
): Promise<T> {
  const { calendarKey } = turnOf;
  const deadline = performance.now() + (deps.turnBound ?? TURN_BOUND_MS);
  const before = deps.turns.get(calendarKey) ?? Promise.resolve();
  let leave = () => {};
  const turnEnd = new Promise<void>((resolve) => {
    leave = resolve;
  });
  const tail = before.then(() => turnEnd);
  deps.turns.set(calendarKey, tail);
  try {
    if ((await within(deadline - performance.now(), before)) === LATE) throw busy();
    return await underLease({ ...turnOf, deadline }, work, deps);
  } finally {
    leave();
    if (deps.turns.get(calendarKey) === tail) deps.turns.delete(calendarKey);
  }
}

async function underLease<T>(
  { calendarKey, accountKey, deadline }: TurnOf & { readonly deadline: number },
  work: (turn: Turn) => Promise<T>,
  deps: WriteDeps,
): Promise<T> {
  const { mirror, now } = deps;
  const lease = { key: calendarKey, holder: randomUUID() };
  let calendar = await mirror.leaseCalendar(lease, now(), now() + LEASE_MS);
  while (calendar === undefined) {
    if ((await mirror.findCalendar(calendarKey)) === undefined) throw calendarDeleted();
    if (performance.now() >= deadline) throw busy();
    await sleep(POLL_MS);
    calendar = await mirror.leaseCalendar(lease, now(), now() + LEASE_MS);
  }
  const stopRenewing = renewing(lease, deps);
  try {
    const { account, open } = await openForWriting(accountKey, deps);
    const { writing } = open;
    const renderFor = { calendarZone: calendar.timeZone, owner: toSlotOwner(account) };
    const keep = async ({ changed, removed }: WriteResult, of?: 'others') => {
      const apply = async () => {
        const changes = { ...(await deps.rendering(changed, renderFor)), removed, own: of !== 'others' };
        return mirror.applyChanges(lease, changes, now() + LEASE_MS);
      };
      const failure = await apply().then((isApplied) => (isApplied ? undefined : lost()), toMirrorFailure);
      if (failure === undefined) return;
      await deps.jobs.schedule('sync-calendar', calendarKey, now());
      throw failure;
    };
    return await runAndRecordHealth(
      account,
      () => work({ calendar, provider: account.provider, writing, keep }),
      deps,
    );
  } finally {
    await stopRenewing();
    // The lease expires by itself, and the provider may have made the change.
    await mirror.releaseCalendar(lease).catch((err: unknown) => {
      deps.log.warn(
        { event: 'write_not_stored', calendarKey, err },
        'The lease of a write could not be released',
      );
    });
  }
}

const NOTHING: MirroredChanges = { changed: [], leftOut: [], removed: [] };

/** Extends the lease during the work, like an empty part of a sync. Returns a function that stops this. */
function renewing(lease: SyncLease, deps: WriteDeps): () => Promise<void> {
  const { mirror, now, log, renewEvery = RENEW_EVERY_MS } = deps;
  let last: Promise<unknown> = Promise.resolve();
  const renew = () =>
    mirror.applyChanges(lease, NOTHING, now() + LEASE_MS).catch((err: unknown) => {
      log.warn(
        { event: 'write_turn_not_renewed', calendarKey: lease.key, err },
        'The lease of a write could not be renewed',
      );
    });
  const timer = setInterval(() => {
    last = last.then(renew);
  }, renewEvery);
  return async () => {
    clearInterval(timer);
    await last;
  };
}

/** Returns the failure of a write that only the mirror cannot show. The next sync brings the result. */
function toMirrorFailure(reason: unknown): unknown {
  if (!(reason instanceof ProviderError) || reason.kind !== 'too_large') return reason;
  const message = `The provider made the change, but it cannot be shown. ${reason.message}`;
  return new ProviderError('too_large', message, { reason: 'calendar_too_large', cause: reason });
}

/** Opens the account. Throws 404 if it was deleted, and `permission_missing` if it may only be read. */
export async function openForWriting(
  accountKey: string,
  deps: WriteDeps,
): Promise<{ account: Account; open: CalendarAccount }> {
  const account = await deps.accounts.findAccount(accountKey);
  const credentials = await deps.accounts.credentialsOf(accountKey);
  if (account === undefined || credentials === undefined) throw calendarDeleted();
  const provider = deps.providers[account.provider];
  if (provider === undefined) {
    const message = `The provider ${account.provider} is not set up here`;
    throw new ProviderError('misconfigured', message, { reason: 'provider_not_set_up' });
  }
  // The grant allows writing, but the account was connected for reading only.
  if (provider.signIn.method === 'redirect' && !provider.signIn.covers(account.grantedScopes, 'read-write')) {
    const message = 'The account was connected without permission to write: its user must reconnect it';
    throw new ProviderError('permission_missing', message, { reason: 'calendar_permission_missing' });
  }
  return { account, open: provider.open(credentials, deps.sessions.open(account)) };
}

/** These kinds concern an event or the permission to write, not whether the account can be read. */
const NOT_OF_THE_ACCOUNT: ReadonlySet<ProviderErrorKind> = new Set([
  'not_found',
  'precondition_failed',
  'permission_missing',
]);

/** Runs a write, which affects the account's health like a sync. */
export async function runAndRecordHealth<T>(
  account: Account,
  work: () => Promise<T>,
  deps: WriteDeps,
): Promise<T> {
  const { accounts, log, now } = deps;
  try {
    const result = await work();
    if (account.health.state !== 'active') await recover(account, deps);
    return result;
  } catch (reason) {
    if (reason instanceof ProviderError) {
      const { kind } = reason;
      log.warn(
        {
          event: 'write_failed',
          accountKey: account.accountKey,
          provider: account.provider,
          kind,
          err: reason,
        },
        'A write failed',
      );
      const problem = healthAfter(failureOfError(reason, now()), account.provider);
      const counts = !NOT_OF_THE_ACCOUNT.has(kind) && !reason.notSent;
      if (counts && problem !== undefined) await accounts.setHealth(account, problem, now());
    }
    throw reason;
  }
}

/** Marks the account as healthy. A failure is only logged: the provider made the change, and the next sync recovers it. */
const recover = ({ accountKey }: Account, { accounts, log, now }: WriteDeps): Promise<void> =>
  accounts.recover(accountKey, now()).catch((err: unknown) => {
    log.warn(
      { event: 'write_not_stored', accountKey, err },
      'The account of a write could not be marked as healthy',
    );
  });

const busy = () => new ApiError(WRITING.calendar_busy);
const calendarDeleted = () =>
  new ApiError(READING.calendar_not_found, 'The calendar or its account is no longer connected');
const lost = () =>
  new ApiError(READING.sync_in_progress, 'The calendar was written to, but reading it back took too long');

export const WRITING = errorTable({
  reauth_required: {
    status: 403,
    message: 'The provider refused the account; the user must connect it again',
    when: 'The provider refuses the account because its password changed or its access was revoked.',
    fix: 'Send the user to `/authorize` to reconnect the account. `accounts` lists it.',
    fields: { accounts: [{ provider: 'google', account: 'ada@example.com' }] },
  },
  calendar_read_only: {
    status: 422,
    message: 'This calendar can only be read',
    when: 'The calendar is read-only.',
    fix: 'Offer only calendars whose `access` is `write`.',
    field: 'calendarId',
  },
  calendar_not_deletable: {
    status: 422,
    message: 'The main calendar of an account cannot be deleted',
    when: 'The calendar is the main calendar of its account, belongs to the provider, or belongs to another person.',
    fix: 'Delete the events of the calendar instead.',
    field: 'calendarId',
  },
  calendar_creation_not_supported_by_provider: {
    status: 422,
    message: 'This server does not create calendars',
    when: 'The provider does not let applications create calendars.',
    fix: 'Ask the user to create the calendar at the provider ([providers](providers.md)).',
  },
  field_not_supported_by_provider: {
    status: 422,
    message: 'This calendar cannot store this value',
    when: 'The calendar or its provider cannot store a field or its value. `details` names the field.',
    fix: 'Omit the field. Kalends never stores an approximation ([providers](providers.md)).',
    field: 'color',
  },
  recurrence_not_supported_by_provider: {
    status: 422,
    message: 'This calendar cannot store this recurrence rule',
    when: 'The calendar cannot store this recurrence rule.',
    fix: 'Use a simpler rule, or create single events.',
    field: 'recurrence',
  },
  conference_not_supported_by_calendar: {
    status: 422,
    message: 'This calendar cannot create online meetings',
    when: 'The calendar cannot create online meetings.',
    fix: 'Set `conference` to your own URL.',
  },
  mode_not_supported_by_provider: {
    status: 422,
    message: 'This calendar cannot change a part of this series',
    when: 'The calendar cannot apply this change to a part of a series.',
    fix: 'Change a single occurrence or the whole series.',
  },
  organizer_only: {
    status: 422,
    message: 'Only the organizer may change this event',
    when: 'Only the organizer can make this change to the event.',
    fix: 'Respond to the invitation instead.',
  },
  conflict: {
    status: 409,
    message: 'The event was changed by somebody else',
    when: 'The event was changed elsewhere before each of five attempts to write it.',
    fix: 'Read the event, and try again.',
    retryAfter: 1,
  },
  rate_limited: {
    status: 429,
    message: 'The provider limits requests',
    when: 'The provider limits the rate of requests.',
    fix: 'Wait for the seconds in `Retry-After`.',
    retryAfter: 30,
  },
  provider_error: {
    status: 502,
    message: 'The provider’s response is not understood',
    when: 'The provider sent a response that Kalends cannot use.',
    fix: 'Try again later. If the problem remains, contact the operator.',
  },
  provider_unavailable: {
    status: 503,
    message: 'The provider cannot be reached',
    when: 'The provider cannot be reached.',
    fix: 'Try again after the seconds in `Retry-After`.',
    retryAfter: 5,
  },
  provider_not_set_up: {
    status: 503,
    message: 'The operator has not set this provider up',
    when: 'The provider is not set up, or its provider app does not work.',
    fix: 'Contact the operator ([providers](providers.md)).',
    retryAfter: 300,
  },
  calendar_busy: {
    status: 503,
    message: 'The calendar is being synced or written to; try again in a few seconds',
    when: 'The calendar was being synced or written to for more than twenty seconds.',
    fix: 'Try again. Nothing was changed, so nothing is lost or duplicated.',
    retryAfter: 5,
  },
  calendar_too_large: {
    status: 422,
    message: 'The calendar “Work” has reached the limit of events in one calendar (100,000)',
    when: 'The calendar, or all calendars of the user together, has reached a quota.',
    fix: 'Delete events, or ask the operator to raise the [limits](configuration.md).',
  },
  calendar_set_aside: {
    status: 503,
    message: 'Three attempts to read this calendar did not finish: it is tried again once a day',
    when: 'Three attempts to read the calendar did not finish.',
    fix: 'Kalends tries again once a day. The operator can find the cause in the log.',
    retryAfter: 3_600,
  },
});

/** Never 401, because a published client would then waste a refresh token. */
const ROWS: Readonly<Record<ProviderErrorKind, ErrorRow>> = {
  unauthorized: WRITING.reauth_required,
  access_denied: WRITING.reauth_required,
  permission_missing: READING.calendar_permission_required,
  misconfigured: WRITING.provider_not_set_up,
  not_found: READING.event_not_found,
  precondition_failed: WRITING.conflict,
  sync_token_expired: WRITING.provider_error,
  rate_limited: WRITING.rate_limited,
  unavailable: WRITING.provider_unavailable,
  forbidden_address: WRITING.provider_error,
  no_calendars: WRITING.provider_error,
  invalid_response: WRITING.provider_error,
  too_large: WRITING.calendar_too_large,
  set_aside: WRITING.calendar_set_aside,
  busy: ANY_CALL.temporarily_unavailable,
};

const LONGEST_RETRY_S = 3_600;

/** Converts an adapter's failure to an ApiError; returns anything else unchanged. */
export function toApiError(reason: unknown, { provider, accountId }: MirroredAccount): unknown {
  if (reason instanceof UnsupportedByProvider) {
    const { message, field = 'provider' } = reason;
    return new ApiError(WRITING[reason.reason], { message, field, cause: reason });
  }
  if (!(reason instanceof ProviderError)) return reason;
  const row = ROWS[reason.reason === 'internal_fault' ? 'busy' : reason.kind];
  const seconds = reason.retryAfter === undefined ? row.retryAfter : Math.ceil(reason.retryAfter / 1000);
  return new ApiError(row, {
    message: reason.message,
    retryAfter: row.retryAfter && Math.min(Math.max(seconds ?? 0, 1), LONGEST_RETRY_S),
    fields: row.status === 403 ? { accounts: [{ provider, account: accountId }] } : undefined,
    cause: reason,
  });
}
