/** GET /calendars: the calendars of all connected accounts, grouped by provider (wire 2.4). */
import type { Grant } from '../oauth/grant.ts';
import type { MirroredAccount, ReadableCalendar } from './event-reader.ts';
import { type FreshnessDeps, freshAccounts } from './freshness.ts';
import { FRESH_MS } from './list-events.ts';
import type { ReadProblem } from './read-problem.ts';

/**
 * The answer's JSON, a bare array; what could not be brought up to date goes beside it. Refusals:
 * 403 and 503 as freshAccounts says. The scope is the route's business.
 */
export async function listCalendars(
  { clientId, userId }: Grant,
  deps: FreshnessDeps,
): Promise<{ body: string; problems: readonly ReadProblem[] }> {
  const request = { clientId, userId, listAge: FRESH_MS, eventAge: undefined, choice: undefined };
  const { accounts, problems } = await freshAccounts(request, deps);
  const texts = accounts.flatMap((account) =>
    account.calendars.map((calendar) => calendarText(calendar, account)),
  );
  return { body: `[${texts.join(',')}]`, problems };
}

/** A calendar as the list has it: JSON text. */
export function calendarText(calendar: ReadableCalendar, { provider, accountId }: MirroredAccount): string {
  const { href, title, timeZone, color, description, primary, access, original } = calendar;
  const fields = {
    provider,
    account: accountId,
    id: href,
    title,
    timeZone,
    color,
    description,
    primary,
    access,
  };
  return `${JSON.stringify(fields).slice(0, -1)},"original":${original}}`;
}

const LONGEST_MESSAGE = 200;

/** Problems as the value of a header: JSON in ASCII. */
export function problemsHeader(problems: readonly ReadProblem[]): string {
  const short = problems.map((problem) => ({
    ...problem,
    message: problem.message.slice(0, LONGEST_MESSAGE),
  }));
  return JSON.stringify(short).replace(
    /[^\x20-\x7e]/g,
    (char) => `\\u${char.charCodeAt(0).toString(16).padStart(4, '0')}`,
  );
}
