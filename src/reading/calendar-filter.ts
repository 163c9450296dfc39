/** The `calendarIds` parameter of GET /events (wire 1.7), in both shapes that published clients send. */
import { PROVIDER_KINDS, type ProviderKind, parseProviderKind } from '../calendars/provider-kind.ts';

/** The ids chosen of each provider; ids that are not the user's choose nothing. */
export type CalendarFilter = ReadonlyMap<ProviderKind, ReadonlySet<string>>;

/**
 * `undefined` where the text names no id at all, which filters nothing; a text that cannot be read is
 * answered with what is wrong with it.
 */
export function parseCalendarFilter(text: string): CalendarFilter | undefined | { readonly problem: string } {
  const unreadable = {
    problem: 'calendarIds must be JSON: an object such as {"google":["id"]}, or an array of ids',
  };
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    return unreadable;
  }
  if (value === null) return undefined;
  if (typeof value !== 'object') return unreadable;
  if (Array.isArray(value)) {
    const ids = idsOf(value);
    if (ids === undefined) return unreadable;
    return ids.length === 0 ? undefined : anyProvider(new Set(ids));
  }

  const filter = new Map<ProviderKind, ReadonlySet<string>>();
  let named = false;
  for (const [name, ids] of Object.entries(value)) {
    const list = idsOf(ids);
    if (list === undefined) return unreadable;
    named ||= list.length > 0;
    const provider = parseProviderKind(name);
    if (provider !== undefined) filter.set(provider, new Set(list));
  }
  return named ? filter : undefined;
}

const anyProvider = (ids: ReadonlySet<string>): CalendarFilter =>
  new Map(PROVIDER_KINDS.map((provider) => [provider, ids]));

/** PHP writes an empty map where others write an empty list, and a null is an absent list. */
function idsOf(value: unknown): string[] | undefined {
  if (value === null) return [];
  if (typeof value === 'string') return [value];
  if (!Array.isArray(value)) {
    return typeof value === 'object' && value !== null && Object.keys(value).length === 0 ? [] : undefined;
  }
  return value.every((id) => typeof id === 'string') ? value : undefined;
}
