/** A bound on the cost of expanding, since a rule can name millions of times. */

/** Every expansion counts it down: share one among the series of a calendar, so that each pays for itself. */
export type RecurrenceBudget = {
  /** Instances that may still be answered. */
  occurrences: number;
  /**
   * Work that may still be done: days looked at, dates and overrides placed, instances made, each by what it takes. A
   * step is about 50 ns of a processor, so that `STEPS_PER_MS` bounds a time.
   */
  steps: number;
};

/** Steps that take a millisecond, give or take a factor of two between kinds of series. */
export const STEPS_PER_MS = 20_000;

/** Thrown when a budget is used up. */
export class RecurrenceBudgetError extends Error {
  constructor() {
    super('Too many occurrences to expand');
    this.name = 'RecurrenceBudgetError';
  }
}

/** A budget of so much; by default what a whole read may take, a fifth of a second. */
export function recurrenceBudget(occurrences = 10_000, steps = 200 * STEPS_PER_MS): RecurrenceBudget {
  return { occurrences, steps };
}

/** Counts one instance that is answered. Throws RecurrenceBudgetError. */
export function spendOccurrence(budget: RecurrenceBudget): void {
  budget.occurrences -= 1;
  if (budget.occurrences < 0) throw new RecurrenceBudgetError();
}

/** Counts work that is about to be done. Throws RecurrenceBudgetError. */
export function spendSteps(budget: RecurrenceBudget, steps: number): void {
  budget.steps -= steps;
  if (budget.steps < 0) throw new RecurrenceBudgetError();
}
