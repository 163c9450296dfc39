/** Which calendar of an account its user means by "my calendar": one rule for all providers (docs/wire.md C18). */
import type { ProviderCalendar } from './calendar.ts';

/** What callers may write in the place of the main calendar's id. */
const PRIMARY = 'primary';

/** How callers may call the main one of these calendars; `undefined` where one has that very id. */
export const aliasAmong = (calendars: readonly Pick<ProviderCalendar, 'href'>[]): string | undefined =>
  calendars.some(({ href }) => href === PRIMARY) ? undefined : PRIMARY;

/**
 * The calendar that the provider marks, among all of an account, so that none takes the place of one that was left out.
 * Where the provider may mark none, the first that can be written to, in the order of their ids, which neither a new title
 * nor the server's order of the day changes. What can only be read is nobody's own, such as holidays: an account of
 * nothing else has none.
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
