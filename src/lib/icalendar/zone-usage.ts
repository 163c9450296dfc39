/** From when on a calendar's events use its time zones. */
import { DAY, type LocalMs, parseLocal } from '../recurrence/civil.ts';
import { type Component, propertiesOf } from './component.ts';
import { type ResourceBudget, spend } from './resource-budget.ts';
import { isWritable } from './time-value.ts';

/** What may name the first moment of an event; an EXDATE takes one away. */
const FIRST_TIMES = new Set(['DTSTART', 'RDATE', 'RECURRENCE-ID']);

/**
 * The first moment that a calendar's events name, epoch milliseconds, and a day to spare for any zone; `undefined` when
 * there is none. It is looked for when it is first asked, and then kept. The function throws TooComplexError.
 */
export function firstUseIn(calendar: Component, budget: ResourceBudget): () => number | undefined {
  let first: LocalMs | undefined;
  let isKnown = false;
  return () => {
    if (!isKnown) first = firstTimeIn(calendar, budget);
    isKnown = true;
    return first === undefined ? undefined : first - DAY;
  };
}

/** Its first date at midnight. What is no date, or of no year that is read, is none. */
function firstTimeIn({ components }: Component, budget: ResourceBudget): LocalMs | undefined {
  let first = 'none';
  let local: LocalMs | undefined;
  for (const component of components) {
    if (component.name !== 'VEVENT') continue;
    for (const lines of propertiesOf(component, budget, FIRST_TIMES).values()) {
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
