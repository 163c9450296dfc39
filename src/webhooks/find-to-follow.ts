/** Finds the calendar of a subscription among those that the grant covers at any scope. */
import { ApiError } from '../http/refusal.ts';
import type { Grant } from '../oauth/grant.ts';
import type { MirroredAccount } from '../reading/event-reader.ts';
import { READING } from '../reading/read-error.ts';
import {
  type ChosenCalendar,
  chosenAmong,
  type FindCalendarDeps,
  LIST_AGE,
} from '../writing/find-calendar.ts';
import type { CalendarName } from '../writing/write-requests.ts';

export type FindToFollowDeps = Pick<FindCalendarDeps, 'events' | 'freshAccounts'>;

/** Throws 403 `calendar_permission_required`, or 404 `calendar_not_found` for uncovered or excluded calendars. */
export async function findToFollow(
  name: CalendarName,
  grant: Grant,
  deps: FindToFollowDeps,
): Promise<ChosenCalendar> {
  const stored = await deps.events.accountsOf(grant);
  const accounts = chosenAmong(stored, name) === undefined ? await refreshed(grant, deps) : stored;
  const chosen = chosenAmong(accounts, name);
  const isMeant = ({ provider, accountId }: MirroredAccount) =>
    provider === name.provider && (name.account ?? accountId) === accountId;
  const without = (chosen === undefined ? accounts.filter(isMeant) : [chosen.account]).filter(
    ({ calendarPermission }) => calendarPermission === false,
  );
  if (without.length > 0) {
    const fields = { accounts: without.map(({ provider, accountId }) => ({ provider, account: accountId })) };
    throw new ApiError(READING.calendar_permission_required, { fields });
  }
  if (chosen !== undefined) return chosen;
  const message = `The user has no calendar ${name.calendarId} at ${name.provider}`;
  throw new ApiError(READING.calendar_not_found, { message, field: 'calendarId' });
}

async function refreshed(grant: Grant, deps: FindToFollowDeps): Promise<readonly MirroredAccount[]> {
  const request = { reader: grant, needs: 'free-busy', listAge: LIST_AGE } as const;
  return (await deps.freshAccounts({ ...request, eventAge: undefined, choice: undefined })).accounts;
}

export const coveredCalendars = (accounts: readonly MirroredAccount[]): ChosenCalendar[] =>
  accounts.flatMap((account) => account.calendars.map((calendar) => ({ account, calendar })));
