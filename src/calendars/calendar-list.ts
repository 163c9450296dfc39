/** Limits what is stored of an account: a server can list any number of calendars, with names of any length. */
import type { ProviderCalendar } from './calendar.ts';
import type { SyncFailure } from './sync-failure.ts';

/** The maximum characters of a calendar's title and description. */
export const LONGEST_TITLE = 1_000;
export const LONGEST_DESCRIPTION = 10_000;

/** The maximum addresses of an account's user, and characters of one: longer ones reach nobody (RFC 5321 §4.5.3.1). */
const MOST_ADDRESSES = 50;
const LONGEST_ADDRESS = 320;

export const limitAddresses = (addresses: readonly string[]): readonly string[] =>
  addresses.filter(({ length }) => length <= LONGEST_ADDRESS).slice(0, MOST_ADDRESSES);

/** The stored part of a list, and the failure to report if the list was cut. */
export type KeptList = {
  readonly calendars: readonly ProviderCalendar[];
  readonly cut: SyncFailure | undefined;
};

/** Returns the first `most` calendars in the provider's order, with cut titles and descriptions. */
export function limitList(calendars: readonly ProviderCalendar[], most: number): KeptList {
  const firstCalendars = calendars.slice(0, most).map((calendar): ProviderCalendar => {
    const { title, description } = calendar;
    const bounded = { ...calendar, title: truncateText(title, LONGEST_TITLE) };
    if (description === undefined) return bounded;
    return { ...bounded, description: truncateText(description, LONGEST_DESCRIPTION) };
  });
  if (calendars.length <= most) return { calendars: firstCalendars, cut: undefined };
  const message = `This account has more than ${most} calendars: only the first ${most} are read. To read others, remove calendars from the account.`;
  return { calendars: firstCalendars, cut: { kind: 'too_large', message, reason: 'too_many_calendars' } };
}

/** Returns the text, or its first characters, without splitting a surrogate pair. */
function truncateText(text: string, most: number): string {
  if (text.length <= most) return text;
  return text.slice(0, /[\ud800-\udbff]/.test(text.charAt(most - 1)) ? most - 1 : most);
}

/** Returns whether the list was read but cut, which is no failure of its sync. */
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
