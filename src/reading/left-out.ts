/** What a read leaves out because it asks for too much, named beside everybody's data (docs/reading.md). */
import { actorOf } from '../calendars/health-reason.ts';
import type { Owned, ReadProblem } from './freshness.ts';

/**
 * What of a calendar is missing: one series (its master's id), not all series together, not all that was searched, or
 * not all events of a long time.
 */
export type LeftOut = { readonly calendarKey: string } & (
  | { readonly part: 'series'; readonly id: string }
  | { readonly part: 'recurring' | 'search' | 'events' }
);

/** Series of a calendar that are named one by one; the others are counted. */
const MOST_NAMED = 10;

/** With what the calendars' last syncs left out; who sees busy time only is told no names. */
export function leftOutProblems(calendars: readonly Owned[], leftOut: readonly LeftOut[]): ReadProblem[] {
  const byCalendar = Map.groupBy(leftOut, ({ calendarKey }) => calendarKey);
  return calendars.flatMap((owned) => {
    const { calendar, account } = owned;
    const isNamed = account.scope !== 'free-busy';
    const parts = byCalendar.get(calendar.calendarKey) ?? [];
    const series = parts.filter((part) => part.part === 'series');
    const named = isNamed ? series.slice(0, MOST_NAMED) : [];
    const unnamed = series.length - named.length;
    const kinds = new Set(parts.map(({ part }) => part));
    const name = isNamed ? `the calendar “${calendar.title}”` : 'a calendar';
    const messages = [
      calendar.tooComplex && (isNamed ? calendar.tooComplex.message : OF_SYNC),
      unnamed > 0 &&
        `${unnamed} recurring events of ${name} are left out: following their rules takes too long`,
      kinds.has('recurring') &&
        `Some recurring events of ${name} are left out: together their rules take too long to follow. Delete recurring events that have ended, or spread them over several calendars`,
      kinds.has('search') &&
        `Not all of ${name} was searched: it has too much text. Ask for a shorter time between start and end`,
      kinds.has('events') &&
        `Some events of ${name} are left out: it has too many in that time. Ask for a shorter time between start and end`,
    ].filter((message) => typeof message === 'string');
    return [
      ...messages.map((message) => problemOf(owned, message)),
      ...named.map(({ id }) => ({
        ...problemOf(
          owned,
          `The recurring event ${id} of ${name} is left out: following its rules takes too long. Make them simpler, or delete it`,
        ),
        eventId: id,
      })),
    ];
  });
}

const OF_SYNC = 'Events of a calendar are left out: they are too complex';

function problemOf({ account: { provider, accountId }, calendar }: Owned, message: string): ReadProblem {
  const reason = 'event_too_complex';
  const code = reason;
  return {
    provider,
    account: accountId,
    calendarId: calendar.href,
    code,
    message,
    reason,
    actor: actorOf(reason),
  };
}
