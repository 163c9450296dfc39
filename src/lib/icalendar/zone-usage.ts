/** Finds the instant from which a calendar's events use its time zones. */
import { DAY, type LocalMs, parseLocal } from '../recurrence/civil.ts';
import { type Component, parseProperties } from './component.ts';
import { type ResourceBudget, spend } from './resource-budget.ts';
import { isWritable } from './time-value.ts';

/** The properties that may name the first instant of an event. An EXDATE only removes one. */
const FIRST_TIMES = new Set(['DTSTART', 'RDATE', 'RECURRENCE-ID']);

/** Returns a function for the earliest event instant, minus a day for any zone. It may throw TooComplexError. */
export function firstUseIn(calendar: Component, budget: ResourceBudget): () => number | undefined {
  let first: LocalMs | undefined;
  let isKnown = false;
  return () => {
    if (!isKnown) first = firstTimeIn(calendar, budget);
    isKnown = true;
    return first === undefined ? undefined : first - DAY;
  };
}

/** Returns the first date at midnight. Invalid dates and unsupported years are ignored. */
function firstTimeIn({ components }: Component, budget: ResourceBudget): LocalMs | undefined {
  let first = 'none';
  let local: LocalMs | undefined;
  for (const component of components) {
    if (component.name !== 'VEVENT') continue;
    for (const lines of parseProperties(component, budget, FIRST_TIMES).values()) {
      for (const { value } of lines) {
        spend(budget, 'steps', Math.ceil(value.length / 20));
        for (const [, year, month, day] of value.matchAll(/(?:^|,)\s*(\d{4})-?(\d\d)-?(\d\d)/g)) {
          const date = `${year}-${month}-${day}`;
          const midnight = date < first ? parseLocal(date) : undefined;
          if (midnight !== undefined && isWritable(midnight)) [first, local] = [date, midnight];
        }
      }
    }
  }
  return local;
}
