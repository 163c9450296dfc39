/** Finds the main calendar of an account, by one rule for all providers (docs/wire.md C18). */
import type { ProviderCalendar } from './calendar.ts';

const PRIMARY = 'primary';

/** Returns the alias of the main calendar; `undefined` if one of these calendars has that id. */
export const aliasAmong = (calendars: readonly Pick<ProviderCalendar, 'href'>[]): string | undefined =>
  calendars.some(({ href }) => href === PRIMARY) ? undefined : PRIMARY;

/**
 * Returns the calendar that the provider marks. Pass all calendars of the account, so that none replaces one that was
 * left out. If the provider may mark none, it is the first writable calendar by href. Read-only ones, such as holidays,
 * never count.
 */
export function mainCalendar<T extends Pick<ProviderCalendar, 'href' | 'access' | 'primary'>>(
  calendars: readonly T[],
  { marksPrimary }: { readonly marksPrimary: boolean },
): T | undefined {
  const marked = calendars.find(({ primary }) => primary === true);
  if (marked !== undefined || marksPrimary) return marked;
  const writable = calendars.filter(({ access }) => access === 'write');
  return writable.reduce<T | undefined>(
    (first, one) => (first === undefined || one.href < first.href ? one : first),
    undefined,
  );
}
