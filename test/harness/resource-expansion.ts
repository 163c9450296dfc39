/** A resource as the mirror and a read take it: its place in time, and its instances of a month. */
import type { EventResource } from '../../src/calendars/event.ts';
import { expand } from '../../src/lib/recurrence/expand.ts';
import { RecurrenceBudgetError, recurrenceBudget } from '../../src/lib/recurrence/expand-rule.ts';
import { computeSpan, type Span } from '../../src/lib/recurrence/place-of.ts';
import type { Series } from '../../src/lib/recurrence/series.ts';

export const ZONE = 'Europe/Brussels';
const MONTH = { start: Date.UTC(2026, 10, 1), end: Date.UTC(2026, 11, 1) };

/** Its events as a series: of several masters the first. */
export function seriesIn({ events }: EventResource): Series<string> {
  const master = events.find(({ recurrenceId }) => recurrenceId === undefined);
  const overrides = events.flatMap(({ recurrenceId, status, ...event }) =>
    recurrenceId === undefined
      ? []
      : [{ ...event, recurrenceId, cancelled: status === 'cancelled', payload: '' }],
  );
  return { master: master && { ...master, payload: '' }, overrides };
}

/** Places the resource and expands a month of it, with what a series may take in a read: it may be too much. */
export function expandMonth(resource: EventResource): Span {
  const series = seriesIn(resource);
  const span = computeSpan(series, ZONE);
  try {
    expand(series, MONTH, ZONE, recurrenceBudget(1000, 500_000));
  } catch (error) {
    if (!(error instanceof RecurrenceBudgetError)) throw error;
  }
  return span;
}
