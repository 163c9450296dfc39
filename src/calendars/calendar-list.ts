/** How much is kept of what a server says of an account: it can name any number of calendars, by names of any length. */
import type { ProviderCalendar } from './calendar.ts';
import type { SyncFailure } from './sync-failure.ts';

/** Characters that are kept of a calendar's title and description. */
export const LONGEST_TITLE = 1_000;
export const LONGEST_DESCRIPTION = 10_000;

/** Addresses of an account's user that are kept, and characters of one: a longer one reaches nobody (RFC 5321 §4.5.3.1). */
const MOST_ADDRESSES = 50;
const LONGEST_ADDRESS = 320;

/** The first of the addresses by which events name an account's user. */
export const keptAddresses = (addresses: readonly string[]): readonly string[] =>
  addresses.filter(({ length }) => length <= LONGEST_ADDRESS).slice(0, MOST_ADDRESSES);

/** What is kept of a list, and what to say where that is not all. */
export type KeptList = {
  readonly calendars: readonly ProviderCalendar[];
  readonly cut: SyncFailure | undefined;
};

/** The first `most` calendars in the provider's order, none with a longer title or description than is kept. */
export function keptList(calendars: readonly ProviderCalendar[], most: number): KeptList {
  const kept = calendars.slice(0, most).map((calendar): ProviderCalendar => {
    const { title, description } = calendar;
    const bounded = { ...calendar, title: beginningOf(title, LONGEST_TITLE) };
    if (description === undefined) return bounded;
    return { ...bounded, description: beginningOf(description, LONGEST_DESCRIPTION) };
  });
  if (calendars.length <= most) return { calendars: kept, cut: undefined };
  const message = `This account has more than ${most} calendars: the first ${most} are read. Whoever needs another one can leave the account fewer calendars.`;
  return { calendars: kept, cut: { kind: 'too_large', message, reason: 'too_many_calendars' } };
}

/** The text, or its first characters: none is cut in half. */
function beginningOf(text: string, most: number): string {
  if (text.length <= most) return text;
  return text.slice(0, /[\ud800-\udbff]/.test(text.charAt(most - 1)) ? most - 1 : most);
}

/** Whether a list was read, and is only not whole: that is no failure of its sync. */
export function isCutList({
  failure,
  failedAt,
  syncedAt,
}: {
  readonly failure: SyncFailure | undefined;
  readonly failedAt: number | undefined;
  readonly syncedAt: number | undefined;
}): boolean {
  return failure?.reason === 'too_many_calendars' && syncedAt !== undefined && failedAt === syncedAt;
}
