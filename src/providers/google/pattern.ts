/** Checks which original starts the pattern of a series has. */
import type { CalendarEvent } from '../../calendars/event.ts';
import { isSameTimeType, toInstant } from '../../lib/recurrence/event-instant.ts';
import type { EventTime } from '../../lib/recurrence/event-time.ts';
import { expand } from '../../lib/recurrence/expand.ts';
import { RecurrenceBudgetError, recurrenceBudget } from '../../lib/recurrence/expand-rule.ts';

/** Returns a check for these starts. If the rules cannot be expanded that far, all of them count as present. */
export function createPatternCheck(
  { start, end, recurrence }: CalendarEvent,
  originals: readonly EventTime[],
): (original: EventTime) => boolean {
  const isOfType = (original: EventTime) => isSameTimeType(original, start);
  const matching = originals.filter(isOfType);
  if (recurrence === undefined || matching.length === 0) return () => false;
  const at = (original: EventTime) => toInstant(original, 'UTC');
  const instants = matching.map(at);
  const window = {
    start: instants.reduce((first, instant) => Math.min(first, instant)),
    end: instants.reduce((last, instant) => Math.max(last, instant)) + 1,
  };
  const series = { master: { start, end, recurrence, payload: undefined }, overrides: [] };
  try {
    const { instances, unsupported } = expand(series, window, 'UTC', recurrenceBudget());
    const starts = new Set(instances.map(({ originalStart }) => at(originalStart)));
    return (original) => isOfType(original) && (unsupported || starts.has(at(original)));
  } catch (error) {
    if (error instanceof RecurrenceBudgetError) return () => true;
    throw error;
  }
}
