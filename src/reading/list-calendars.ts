/** GET /calendars: the calendars of all connected accounts, grouped by provider (docs/wire.md 2.4). */
import {
  asciiJson,
  type RenderedObject,
  renderList,
  renderMember,
  renderObject,
} from '../lib/rendered-json.ts';
import type { Grant } from '../oauth/grant.ts';
import type { MirroredAccount, ReadableCalendar } from './event-reader.ts';
import { FRESH_MS, type FreshnessDeps, freshAccounts, type ReadProblem } from './freshness.ts';

/**
 * The answer's JSON, a bare array, and the accounts that could not be brought up to date. Refusals: 403 and 503 as
 * freshAccounts says. The route checks the scope.
 */
export async function listCalendars(
  grant: Grant,
  deps: FreshnessDeps,
): Promise<{ body: string; problems: readonly ReadProblem[] }> {
  const request = {
    reader: grant,
    needs: 'read',
    listAge: FRESH_MS,
    eventAge: undefined,
    choice: undefined,
  } as const;
  const { accounts, problems } = await freshAccounts(request, deps);
  const texts = accounts.flatMap((account) =>
    account.calendars.map((calendar) => calendarText(calendar, account)),
  );
  return { body: renderList(texts), problems };
}

/** A calendar as the list has it. */
export function calendarText(
  calendar: ReadableCalendar,
  { provider, accountId }: MirroredAccount,
): RenderedObject {
  const { href: id, title, timeZone, color, description, primary, access, original } = calendar;
  const fields = { provider, account: accountId, id, title, timeZone, color, description, primary, access };
  return renderObject(fields, renderMember('original', original));
}

const LONGEST_MESSAGE = 200;

/** Problems as the value of a header: JSON in ASCII. */
export const problemsHeader = (problems: readonly ReadProblem[]): string =>
  asciiJson(problems.map((problem) => ({ ...problem, message: problem.message.slice(0, LONGEST_MESSAGE) })));
