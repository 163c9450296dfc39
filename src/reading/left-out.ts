/** What a read leaves out because it asks for too much, named beside everybody's data (docs/reading.md). */
import { actorOf } from '../calendars/health-reason.ts';
import type { LeftOutEvents } from '../calendars/mirrored-event.ts';
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
      ...syncProblems(owned, isNamed),
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

const UNNAMED = {
  event_too_complex: 'Events of a calendar are left out: they are too complex',
  event_unreadable: 'Events of a calendar are missing or incomplete: they cannot be read',
};

function syncProblems(owned: Owned, isNamed: boolean): ReadProblem[] {
  const { tooComplex, unreadable } = owned.calendar;
  const ofKind = (reason: LeftOutReason, events: LeftOutEvents | undefined): ReadProblem[] => {
    if (events === undefined) return [];
    if (!isNamed) return [problemOf(owned, UNNAMED[reason], reason)];
    const { message, count, eventIds } = events;
    return [{ ...problemOf(owned, message, reason), count, ...(eventIds && { eventIds }) }];
  };
  return [...ofKind('event_too_complex', tooComplex), ...ofKind('event_unreadable', unreadable)];
}

type LeftOutReason = keyof typeof UNNAMED;

function problemOf(
  { account: { provider, accountId }, calendar }: Owned,
  message: string,
  reason: LeftOutReason = 'event_too_complex',
): ReadProblem {
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
