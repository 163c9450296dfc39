/** Finds the calendar of a write among those that the grant covers. */

import { ApiError } from '../http/refusal.ts';
import type { Grant } from '../oauth/grant.ts';
import type { EventReader, MirroredAccount, ReadableCalendar } from '../reading/event-reader.ts';
import type { FreshAccounts, ReadRequest } from '../reading/freshness.ts';
import { READING } from '../reading/read-error.ts';
import { WRITING } from './calendar-turn.ts';
import type { CalendarName } from './write-requests.ts';

export type FindCalendarDeps = {
  readonly events: Pick<EventReader, 'accountsOf'>;
  /** Returns the user's accounts, synced as for a read. */
  readonly freshAccounts: (request: ReadRequest) => Promise<FreshAccounts>;
  /** Throws 403 for a scope that does not allow writing. */
  readonly requireWriteScope: (of: Pick<Grant, 'scope'>) => void;
};

export type ChosenCalendar = { readonly account: MirroredAccount; readonly calendar: ReadableCalendar };

/** The maximum age of the calendar list, in milliseconds, if it lacks the requested calendar. */
export const LIST_AGE = 10_000;

/**
 * Returns the calendar. Throws 404 if the grant does not cover it or its user excluded it, 422 `calendar_read_only`,
 * and 403 if the grant or the account does not allow writing (docs/wire.md 3.2).
 */
export async function findCalendar(
  name: CalendarName,
  grant: Grant,
  deps: FindCalendarDeps,
): Promise<ChosenCalendar> {
  const stored = chosenAmong(await deps.events.accountsOf(grant), name);
  const chosen = stored ?? chosenAmong(await refreshed(grant, deps), name);
  if (chosen === undefined) {
    const message = `The user has no calendar ${name.calendarId} at ${name.provider}`;
    throw new ApiError(READING.calendar_not_found, { message, field: 'calendarId' });
  }
  requireWritable(chosen.account, deps);
  if (chosen.calendar.access === 'read') throw new ApiError(WRITING.calendar_read_only);
  return chosen;
}

async function refreshed(grant: Grant, deps: FindCalendarDeps): Promise<readonly MirroredAccount[]> {
  const fresh = await deps.freshAccounts({
    reader: grant,
    needs: 'free-busy',
    listAge: LIST_AGE,
    eventAge: undefined,
    choice: undefined,
  });
  return fresh.accounts;
}

/** Chooses among accounts with such a calendar: by exact id, write access, writable calendar and working account. */
export function chosenAmong(
  accounts: readonly MirroredAccount[],
  name: CalendarName,
): ChosenCalendar | undefined {
  const matches = accounts
    .filter(
      ({ provider, accountId }) => provider === name.provider && (name.account ?? accountId) === accountId,
    )
    .flatMap((account) =>
      account.calendars
        .filter(({ href, alias }) => [href, alias].includes(name.calendarId))
        .map((calendar) => ({ account, calendar })),
    );
  const worth = ({ account, calendar }: ChosenCalendar) =>
    (calendar.href === name.calendarId ? 8 : 0) +
    (account.scope === 'read-write' ? 4 : 0) +
    (calendar.access === 'write' ? 2 : 0) +
    (isWorking(account) ? 1 : 0);
  return matches.toSorted((a, b) => worth(b) - worth(a))[0];
}

const isWorking = ({ health, calendarPermission }: MirroredAccount): boolean =>
  health.state !== 'reauth_required' && calendarPermission !== false;

/** The grant may allow less for this account than for others (docs/security.md T3). */
export function requireWritable(account: MirroredAccount, { requireWriteScope }: FindCalendarDeps): void {
  requireWriteScope(account);
  requireWorking(account);
}

/** Throws 403 if the user must sign in again or did not permit calendar access (docs/wire.md 3.2). */
function requireWorking(account: MirroredAccount): void {
  if (isWorking(account)) return;
  const { provider, accountId, calendarPermission, health } = account;
  const accounts = [{ provider, account: accountId }];
  if (calendarPermission === false)
    throw new ApiError(READING.calendar_permission_required, { fields: { accounts } });
  throw new ApiError(WRITING.reauth_required, { message: health.message, fields: { accounts } });
}
