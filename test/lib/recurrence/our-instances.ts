/** Kalends' instances of a random event, computed from the text of its calendar. */
import assert from 'node:assert/strict';
import type { Instance } from '../../../sandbox/core/occurrences.ts';
import { toInstant, toLocalMs } from '../../../src/lib/recurrence/event-instant.ts';
import { expand } from '../../../src/lib/recurrence/expand.ts';
import { recurrenceBudget } from '../../../src/lib/recurrence/expand-rule.ts';
import { computeSpan, type Span } from '../../../src/lib/recurrence/place-of.ts';
import type { TimeWindow } from '../../../src/lib/recurrence/series.ts';
import { buildSeries } from '../../../src/lib/recurrence/series.ts';
import { parseEventResource } from '../../../src/providers/caldav/events/event-resource.ts';
import { CALENDAR_ZONE, calendarText, type RandomEvent } from './random-events.ts';

export function ourInstances(event: RandomEvent, window: TimeWindow): { instances: Instance[]; span: Span } {
  const icalendar = calendarText(event);
  const { events } = parseEventResource({ href: '/cal/one.ics', etag: undefined, icalendar });
  const timings = events.map(({ status, ...times }) => ({
    ...times,
    ...(status === 'cancelled' && CANCELLED),
  }));
  const master = timings.find(({ recurrenceId }) => recurrenceId === undefined);
  assert.ok(master !== undefined, icalendar);
  const overrides = timings.filter((timing) => timing !== master);
  const titles = ['master', ...overrides.map(({ title }) => title)];
  const series = buildSeries(master, overrides, (row) => row + 1);
  const { instances } = expand(series, window, CALENDAR_ZONE, recurrenceBudget());
  return {
    span: computeSpan(series, CALENDAR_ZONE),
    instances: instances.map(({ startsAt, endsAt, originalStart, payload }) => ({
      startsAt,
      endsAt,
      originalAt: toInstant(originalStart, CALENDAR_ZONE),
      local: toLocalMs(originalStart),
      title: titles[payload] ?? '',
    })),
  };
}

const CANCELLED = { cancelled: true } as const;
