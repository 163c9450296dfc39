/** POST, PUT and DELETE /calendars, if the provider can (additive to the wire). */
import type { Account } from '../calendars/account-store.ts';
import type { CalendarAccount } from '../calendars/calendar-provider.ts';
import { ProviderError } from '../calendars/provider-error.ts';
import { PROVIDER_FACTS } from '../calendars/provider-facts.ts';
import { refuseMistakes } from '../http/fields.ts';
import { ApiError } from '../http/refusal.ts';
import { type RenderedObject, renderMember, renderObject, toRenderedMembers } from '../lib/rendered-json.ts';
import { within } from '../lib/within.ts';
import type { Grant } from '../oauth/grant.ts';
import type { MirroredAccount } from '../reading/event-reader.ts';
import { calendarText } from '../reading/list-calendars.ts';
import { READING } from '../reading/read-error.ts';
import type { CalendarUpdate, NewCalendarRequest } from './calendar-input.ts';
import { openForWriting, runAndRecordHealth, TURN_BOUND_MS, toApiError, WRITING } from './calendar-turn.ts';
import { type FindCalendarDeps, findCalendar, requireWritable } from './find-calendar.ts';
import { deriveCreationKey } from './idempotency.ts';
import type { WriteAnswer } from './idempotency-store.ts';
import type { EventWriteDeps } from './latest-version.ts';
import type { WriteDeps } from './write-deps.ts';
import type { AccountName, CalendarName } from './write-requests.ts';

/** Creates a calendar. `seed` is equal only for repetitions of the request. Throws ApiError. */
export async function createCalendar(
  request: NewCalendarRequest,
  { grant, seed }: { readonly grant: Grant; readonly seed: string },
  deps: EventWriteDeps,
): Promise<WriteAnswer> {
  const account = await findAccount(request.account, grant, deps);
  const create = ({ calendarWriting }: CalendarAccount) =>
    calendarWriting.create(request.draft, deriveCreationKey(seed));
  const href = await writeCalendar(account, create, deps);
  // The user wants a new calendar even if new ones are excluded.
  await deps.calendarChoices.includeCalendar(account.accountKey, href, deps.now());
  return { body: await renderCalendar({ account, href }, grant, deps), accountKey: account.accountKey };
}

/** Updates a calendar and returns its new state. Throws ApiError. */
export async function updateCalendar(
  request: CalendarUpdate,
  grant: Grant,
  deps: EventWriteDeps,
): Promise<string> {
  const { account, calendar } = await findCalendar(request.calendar, grant, deps);
  const { href } = calendar;
  if (Object.keys(request.change).length > 0)
    await writeCalendar(account, (open) => open.calendarWriting.change(href, request.change), deps);
  return renderCalendar({ account, href }, grant, deps);
}

/** Deletes a calendar. Throws ApiError also for the main calendar, and for the name `primary`. */
export async function deleteCalendar(
  name: CalendarName,
  grant: Grant,
  deps: EventWriteDeps,
): Promise<string> {
  const { account, calendar } = await findCalendar(name, grant, deps);
  const isSaid = calendar.href === name.calendarId;
  if (calendar.primary && (PROVIDER_FACTS[account.provider].marksPrimary || !isSaid))
    throw new ApiError(WRITING.calendar_not_deletable);
  await writeCalendar(account, (open) => open.calendarWriting.delete(calendar.href), deps);
  return JSON.stringify({ success: true, message: 'The calendar was deleted' });
}

/**
 * Writes at the provider, then syncs the list, so that later reads have the change. Throws 503 if that takes too long.
 */
async function writeCalendar<T>(
  mirrored: MirroredAccount,
  write: (open: CalendarAccount) => Promise<T>,
  deps: WriteDeps,
): Promise<T> {
  const { accountKey } = mirrored;
  try {
    const { account, open } = await openForWriting(accountKey, deps);
    const result = await runAndRecordHealth(account, () => write(open), deps);
    await syncListAgain(account, deps);
    return result;
  } catch (reason) {
    if (reason instanceof ProviderError && reason.kind === 'not_found') {
      // The mirrored list still had the calendar.
      await deps.sync.syncList(accountKey, deps.now() + 1);
      throw calendarGone(reason);
    }
    throw toApiError(reason, mirrored);
  }
}

async function syncListAgain({ accountKey }: Account, deps: WriteDeps): Promise<void> {
  const { sync, now, turnBound = TURN_BOUND_MS } = deps;
  // A sync that began in this millisecond may have read the list before the write.
  const failure = await within(turnBound, sync.syncList(accountKey, now() + 1));
  if (failure === undefined) return;
  await sync.continueAsJob('sync-account', accountKey);
  throw notReadBack();
}

/** Returns the calendar's fields at the root with `success`, and again under `calendar`. */
async function renderCalendar(
  changed: { readonly account: MirroredAccount; readonly href: string },
  grant: Grant,
  { events }: WriteDeps,
): Promise<RenderedObject> {
  const accounts = await events.accountsOf(grant);
  const account = accounts.find(({ accountKey }) => accountKey === changed.account.accountKey);
  const calendar = account?.calendars.find(({ href }) => href === changed.href);
  if (account === undefined || calendar === undefined) throw notReadBack();
  const originals = await events.calendarOriginals([calendar.calendarKey]);
  const text = calendarText({ calendar, account }, originals.get(calendar.calendarKey));
  return renderObject({ success: true }, toRenderedMembers(text), renderMember('calendar', text));
}

const calendarGone = (cause: Error): ApiError =>
  new ApiError(READING.calendar_not_found, { message: 'The calendar no longer exists', cause });

const notReadBack = (): ApiError =>
  new ApiError(READING.sync_in_progress, 'The calendar was saved, but cannot be read back at the moment');

/** Returns the account. Throws 400 if several match, and 404 and 403 like findCalendar. */
async function findAccount(
  { provider, account: accountId }: AccountName,
  grant: Grant,
  deps: FindCalendarDeps,
): Promise<MirroredAccount> {
  const accounts = (await deps.events.accountsOf(grant)).filter(
    (account) => account.provider === provider && (accountId ?? account.accountId) === account.accountId,
  );
  const [first] = accounts;
  if (first === undefined)
    throw new ApiError(READING.account_not_found, `The user has no such account at ${provider}`);
  if (accounts.length > 1)
    refuseMistakes([{ field: 'account', problem: 'must name one of the accounts at this provider' }]);
  requireWritable(first, deps);
  return first;
}
