/** A bound on the cost of expanding: a rule can name millions of times. */

/** Counted down by every expansion it is passed to; share one among the series of a request. */
export type RecurrenceBudget = {
  /** Instances that may still be answered. */
  occurrences: number;
  /** Days and times of day that may still be looked at: about 20 million a second. */
  steps: number;
};

/** Thrown when a budget is used up. */
export class RecurrenceBudgetError extends Error {
  constructor() {
    super('Too many occurrences to expand');
    this.name = 'RecurrenceBudgetError';
  }
}

export function recurrenceBudget(occurrences = 10_000, steps = 4_000_000): RecurrenceBudget {
  return { occurrences, steps };
}

export function spendOccurrence(budget: RecurrenceBudget): void {
  budget.occurrences -= 1;
  if (budget.occurrences < 0) throw new RecurrenceBudgetError();
}

export function spendSteps(budget: RecurrenceBudget, steps: number): void {
  budget.steps -= steps;
  if (budget.steps < 0) throw new RecurrenceBudgetError();
}
