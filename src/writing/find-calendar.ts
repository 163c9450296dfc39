/** The calendar a write names, among those of the user. */

import { PROVIDER_KINDS, type ProviderKind } from '../calendars/provider-kind.ts';
import { ApiError } from '../http/api-error.ts';
import type { Grant } from '../oauth/grant.ts';
import type { MirroredAccount, ReadableCalendar } from '../reading/event-reader.ts';
import { freshAccounts } from '../reading/freshness.ts';
import type { Fields } from './fields.ts';
import type { WriteDeps } from './write-deps.ts';

export type CalendarName = {
  readonly provider: ProviderKind;
  readonly calendarId: string;
  /** The account's id on the wire, where a caller names it. */
  readonly account: string | undefined;
};

export type ChosenCalendar = { readonly account: MirroredAccount; readonly calendar: ReadableCalendar };

const LONGEST_ID = 2_000;
/** How old the list of calendars may be when the one that is asked for is not on it, in milliseconds. */
const LIST_AGE = 10_000;

export type AccountName = Omit<CalendarName, 'calendarId'>;

/** Mistakes are noted in `fields`; the answer counts only when there is none. */
export function calendarName(fields: Fields): CalendarName {
  const { provider, account } = accountName(fields);
  return { provider, calendarId: requiredText(fields, 'calendarId'), account };
}

/** The same of an account alone. */
export function accountName(fields: Fields): AccountName {
  const provider = fields.oneOf('provider', PROVIDER_KINDS);
  if (provider === undefined && !fields.failed('provider')) fields.mistake('provider', 'is missing');
  return { provider: provider ?? 'caldav', account: fields.text('account', LONGEST_ID) || undefined };
}

/** An id the caller was given. */
export function requiredText(fields: Fields, name: string): string {
  const text = fields.text(name, LONGEST_ID);
  if (!text && !fields.failed(name)) fields.mistake(name, 'is missing');
  return text ?? '';
}

/**
 * Throws 404 for one that is not the user's, 422 `calendar_read_only`, and 403 when the account's user has to sign in
 * again or left out the permission (wire 3.2).
 */
export async function findCalendar(
  name: CalendarName,
  grant: Grant,
  deps: WriteDeps,
): Promise<ChosenCalendar> {
  const { clientId, userId } = grant;
  const known = chosenAmong(await deps.events.accountsOf(clientId, userId), name);
  const chosen = known ?? chosenAmong(await refreshed(grant, deps), name);
  if (chosen === undefined) {
    const message = `The user has no calendar ${name.calendarId} at ${name.provider}`;
    throw new ApiError(404, 'calendar_not_found', { message, details: { calendarId: [message] } });
  }
  requireWorking(chosen.account);
  if (chosen.calendar.access === 'read') {
    const message = 'This calendar can only be read';
    throw new ApiError(422, 'calendar_read_only', { message, details: { calendarId: [message] } });
  }
  return chosen;
}

/** The account meant; throws 400 where it is one of several, 404 and 403 as findCalendar does. */
export async function findAccount(
  { provider, account: accountId }: AccountName,
  { clientId, userId }: Grant,
  fields: Fields,
  { events }: WriteDeps,
): Promise<MirroredAccount> {
  const accounts = (await events.accountsOf(clientId, userId)).filter(
    (account) => account.provider === provider && (accountId ?? account.accountId) === account.accountId,
  );
  const [found] = accounts;
  if (found === undefined) {
    const message = `The user has no such account at ${provider}`;
    throw new ApiError(404, 'account_not_found', { message, details: { account: [message] } });
  }
  if (accounts.length > 1) fields.mistake('account', 'must name one of the accounts at this provider');
  fields.done();
  requireWorking(found);
  return found;
}

async function refreshed({ clientId, userId }: Grant, deps: WriteDeps): Promise<readonly MirroredAccount[]> {
  const request = { clientId, userId, listAge: LIST_AGE, eventAge: undefined, choice: undefined };
  return (await freshAccounts(request, deps)).accounts;
}

/** Where two accounts share a calendar, the one that may write and works. */
function chosenAmong(accounts: readonly MirroredAccount[], name: CalendarName): ChosenCalendar | undefined {
  const found = accounts
    .filter(
      ({ provider, accountId }) => provider === name.provider && (name.account ?? accountId) === accountId,
    )
    .flatMap((account) =>
      account.calendars
        .filter((calendar) => isNamed(calendar, account, name))
        .map((calendar) => ({ account, calendar })),
    );
  const worth = ({ account, calendar }: ChosenCalendar) =>
    (calendar.access === 'write' ? 2 : 0) + (isWorking(account) ? 1 : 0);
  return found.toSorted((a, b) => worth(b) - worth(a))[0];
}

/** Google's own alias for an account's main calendar is in its documentation's examples (wire C18). */
function isNamed(
  { href, primary }: ReadableCalendar,
  { provider }: MirroredAccount,
  { calendarId }: CalendarName,
) {
  return href === calendarId || (provider === 'google' && calendarId === 'primary' && primary);
}

const isWorking = ({ health, calendarPermission }: MirroredAccount): boolean =>
  health.state !== 'reauth_required' && calendarPermission !== false;

/** Throws 403 when the account's user has to sign in again or left out the permission (wire 3.2). */
export function requireWorking(account: MirroredAccount): void {
  if (isWorking(account)) return;
  const { provider, accountId, calendarPermission, health } = account;
  const accounts = [{ provider, account: accountId }];
  if (calendarPermission === false) {
    const message = 'This account was connected without access to its calendars';
    throw new ApiError(403, 'calendar_permission_required', { message, fields: { accounts } });
  }
  const message = health.message ?? 'The provider refused the account; the user must connect it again';
  throw new ApiError(403, 'reauth_required', { message, fields: { accounts } });
}
