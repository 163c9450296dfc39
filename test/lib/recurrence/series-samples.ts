/** Times, series and their instances for the tests of `expand`. */
import type { EventTime, Recurrence } from '../../../src/lib/recurrence/event-time.ts';
import { expand } from '../../../src/lib/recurrence/expand.ts';
import { recurrenceBudget } from '../../../src/lib/recurrence/expand-rule.ts';
import type { Instance, Series, SeriesOverride } from '../../../src/lib/recurrence/series.ts';

export const zoned = (local: string, zone = 'Europe/Brussels'): EventTime => ({ type: 'zoned', local, zone });
export const utc = (local: string): EventTime => zoned(local, 'UTC');
export const date = (text: string): EventTime => ({ type: 'date', date: text });
export const floating = (local: string): EventTime => ({ type: 'floating', local });

export type Rules = {
  rrules?: string[];
  rdates?: Recurrence['rdates'];
  exdates?: EventTime[];
  overrides?: SeriesOverride<string>[];
};

/** Returns a series whose payloads say what an instance comes from. */
export function seriesOf(
  start: EventTime,
  end: EventTime,
  { rrules = [], rdates = [], exdates = [], overrides = [] }: Rules = {},
): Series<string> {
  return { master: { start, end, recurrence: { rrules, rdates, exdates }, payload: 'master' }, overrides };
}

/** Returns the instances in `interval`, such as `2026-11-01T00:00Z/2026-12-01T00:00Z`. */
export function instancesOf(
  series: Series<string>,
  interval: string,
  zone = 'UTC',
): readonly Instance<string>[] {
  const [start = '', end = ''] = interval.split('/');
  const window = { start: Date.parse(start), end: Date.parse(end) };
  return expand(series, window, zone, recurrenceBudget()).instances;
}

/** Returns the starts of the same instances in UTC, to the minute. */
export const startsOf = (...input: Parameters<typeof instancesOf>): string[] =>
  instancesOf(...input).map(({ startsAt }) => new Date(startsAt).toISOString().slice(0, 16));

export const override = (
  recurrenceId: EventTime,
  start: EventTime,
  end: EventTime,
): SeriesOverride<string> => ({
  recurrenceId,
  start,
  end,
  cancelled: false,
  payload: 'override',
});
