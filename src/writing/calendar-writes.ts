/** POST, PUT and DELETE /calendars: a calendar made, changed or deleted where its provider can (additive to the wire). */
import type { Account } from '../calendars/account-store.ts';
import type { CalendarAccount } from '../calendars/calendar-provider.ts';
import type { CalendarChange, CalendarDraft } from '../calendars/calendar-writing.ts';
import { ProviderError } from '../calendars/provider-error.ts';
import { ApiError } from '../http/api-error.ts';
import { membersOf, type RenderedObject, renderMember, renderObject } from '../lib/rendered-json.ts';
import type { Grant } from '../oauth/grant.ts';
import type { MirroredAccount } from '../reading/event-reader.ts';
import { calendarText } from '../reading/list-calendars.ts';
import { calendarDraft, calendarWords } from './calendar-input.ts';
import { endsBefore, noting, openedToWrite, TURN_BOUND_MS } from './calendar-turn.ts';
import { type Done, keyOf } from './create-event.ts';
import { deletionFields } from './delete-event.ts';
import { fieldsOf } from './fields.ts';
import { accountName, calendarName, findAccount, findCalendar } from './find-calendar.ts';
import type { WriteDeps } from './write-deps.ts';
import { refusalOf } from './write-refusal.ts';

/** `seed` is the same for every repetition of the request, and new for each other. Throws ApiError. */
export async function createCalendar(
  body: unknown,
  grant: Grant,
  seed: string,
  deps: WriteDeps,
): Promise<Done> {
  const fields = fieldsOf(body);
  const name = accountName(fields);
  const draft: CalendarDraft = calendarDraft(fields);
  fields.done();
  const account = await findAccount(name, grant, fields, deps);
  const href = await written(account, deps, ({ calendarWriting }) =>
    calendarWriting.create(draft, keyOf(seed)),
  );
  return { body: await answerOf({ account, href }, grant, deps), accountKey: account.accountKey };
}

/** Answers the calendar as it is then. Throws ApiError. */
export async function updateCalendar(body: unknown, grant: Grant, deps: WriteDeps): Promise<string> {
  const fields = fieldsOf(body);
  const name = calendarName(fields);
  const change: CalendarChange = calendarWords(fields);
  fields.done();
  const { account, calendar } = await findCalendar(name, grant, deps);
  if (Object.keys(change).length > 0) {
    await written(account, deps, ({ calendarWriting }) => calendarWriting.change(calendar.href, change));
  }
  return answerOf({ account, href: calendar.href }, grant, deps);
}

/** Parameters come in the query or in a body; the query wins. Throws ApiError. */
export async function deleteCalendar(
  asked: { readonly query: unknown; readonly body: unknown },
  grant: Grant,
  deps: WriteDeps,
): Promise<string> {
  const fields = deletionFields(asked);
  const name = calendarName(fields);
  fields.done();
  const { account, calendar } = await findCalendar(name, grant, deps);
  if (calendar.primary) {
    const message = 'The main calendar of an account cannot be deleted';
    throw new ApiError(422, 'calendar_not_deletable', { message, details: { calendarId: [message] } });
  }
  await written(account, deps, ({ calendarWriting }) => calendarWriting.delete(calendar.href));
  return JSON.stringify({ success: true, message: 'The calendar was deleted' });
}

/**
 * Carries a write out at the provider, then brings the account's list up to date, which waits for whoever syncs it over
 * all instances: reads have the change from then on. Throws 503 when that list cannot be read soon: a job goes on.
 */
async function written<T>(
  mirrored: MirroredAccount,
  deps: WriteDeps,
  write: (open: CalendarAccount) => Promise<T>,
): Promise<T> {
  const { accountKey } = mirrored;
  try {
    const { account, open } = await openedToWrite(accountKey, deps);
    const result = await noting(account, deps, () => write(open));
    await listAnew(account, deps);
    return result;
  } catch (reason) {
    if (reason instanceof ProviderError && reason.kind === 'not_found') {
      // The list still had it.
      await deps.sync.syncList(accountKey, deps.now() + 1);
      throw calendarGone(reason);
    }
    throw refusalOf(reason, mirrored);
  }
}

async function listAnew({ accountKey }: Account, deps: WriteDeps): Promise<void> {
  const { sync, now, turnBound = TURN_BOUND_MS } = deps;
  let isListed = false;
  // One that began in this very millisecond may have been answered before the write.
  const listing = sync.syncList(accountKey, now() + 1).then((failure) => {
    isListed = failure === undefined;
  });
  if ((await endsBefore(listing, performance.now() + turnBound)) && isListed) return;
  await sync.continueAsJob('sync-account', accountKey);
  throw notReadBack();
}

/** The calendar's fields at the root with `success`, and the same calendar under `calendar`. */
async function answerOf(
  changed: { readonly account: MirroredAccount; readonly href: string },
  { clientId, userId }: Grant,
  { events }: WriteDeps,
): Promise<RenderedObject> {
  const accounts = await events.accountsOf(clientId, userId);
  const account = accounts.find(({ accountKey }) => accountKey === changed.account.accountKey);
  const calendar = account?.calendars.find(({ href }) => href === changed.href);
  if (account === undefined || calendar === undefined) throw notReadBack();
  const text = calendarText(calendar, account);
  return renderObject({ success: true }, membersOf(text), renderMember('calendar', text));
}

const calendarGone = (cause: Error): ApiError =>
  new ApiError(404, 'calendar_not_found', { message: 'The calendar is no longer there', cause });

const notReadBack = (): ApiError =>
  new ApiError(503, 'sync_in_progress', {
    message: 'The calendar was written, but cannot be read back at the moment',
    headers: { 'retry-after': '5' },
  });
