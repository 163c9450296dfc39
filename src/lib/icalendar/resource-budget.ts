/**
 * One budget for everything read from one resource (docs/security.md T13). The limits fit real calendars, and using up
 * all of them takes less than 100 ms of processor time.
 */
import { ICalendarError } from './icalendar-error.ts';

/** A resource over its budget. `message` is a public phrase that follows "it", without anything of the text. */
export class TooComplexError extends ICalendarError {
  constructor(message: string) {
    super(message);
    this.name = 'TooComplexError';
  }
}

type Limit = {
  readonly most: number;
  readonly what: string;
  /** The microseconds of processor time for each. */
  readonly each: number;
};

const LIMITS = {
  /** The received text. An attachment of 3.7 MB fits. */
  characters: { most: 5_000_000, what: 'characters', each: 0.002 },
  /** The folded lines: five million characters take 67,000. */
  lines: { most: 75_000, what: 'lines', each: 0.5 },
  /** The values of parameters, if one has several. */
  parameters: { most: 50_000, what: 'parameters', each: 0.4 },
  /** `\n`, `\,` and their like in texts, quotes and `^` in parameters. */
  escapes: { most: 300_000, what: 'escaped characters', each: 0.1 },
  /** The text of X-KALENDS-CUSTOM. A text that several events share counts once. */
  custom: { most: 500_000, what: 'characters of custom data', each: 0.09 },
  /** Attendees whose addresses are percent-encoded. */
  encoded: { most: 3_000, what: 'percent-encoded addresses', each: 13 },
  /** The characters before the value of a line. */
  parameterCharacters: { most: 5_000_000, what: 'characters of parameters', each: 0.015 },
  components: { most: 5_000, what: 'components', each: 0.6 },
  rules: { most: 20, what: 'recurrence rules', each: 30 },
  exdates: { most: 5_000, what: 'excluded dates', each: 1.2 },
  rdates: { most: 5_000, what: 'additional dates', each: 1.2 },
  overrides: { most: 1_500, what: 'changed occurrences', each: 9 },
  attendees: { most: 7_500, what: 'attendees', each: 2.3 },
  /** Zones with a VTIMEZONE, and zones that times name: each is looked up once. Unknown names take longest. */
  zones: { most: 50, what: 'time zones', each: 70 },
  observances: { most: 500, what: 'changes of offset in its time zones', each: 7 },
  onsets: { most: 5_000, what: 'dates of changes in its time zones', each: 0.5 },
  /** The characters of a custom zone's rules, counted for every time in it, because they are stored with each time. */
  zoneCharacters: { most: 2_000_000, what: 'characters of rules in its time zones', each: 0.003 },
  /** As RecurrenceBudget counts them: for the changes of its zones, and for finding matching IANA zones. */
  steps: { most: 400_000, what: 'steps to follow in its time zones', each: 0.05 },
} satisfies Record<string, Limit>;

export type Counted = keyof typeof LIMITS;

/** The rest of one resource's budget; `work` is the processor time left for reading, in microseconds. */
export type ResourceBudget = Record<Counted | 'work', number>;

/** A resource may use up each limit, but not all of them. */
const MOST_WORK = 50_000;

/** Creates a full budget. Each text needs its own. */
export function resourceBudget(): ResourceBudget {
  const amounts = Object.entries(LIMITS).map(([name, { most }]) => [name, most]);
  // Every name of LIMITS has its amount.
  return Object.fromEntries([...amounts, ['work', MOST_WORK]]) as ResourceBudget;
}

/** Takes an amount from the budget. Throws TooComplexError if less than that is left. */
export function spend(budget: ResourceBudget, counted: Counted, amount = 1): void {
  const { most, what, each } = LIMITS[counted];
  budget[counted] -= amount;
  budget.work -= amount * each;
  if (budget[counted] < 0) throw new TooComplexError(`it has more than ${most.toLocaleString('en')} ${what}`);
  if (budget.work < 0)
    throw new TooComplexError('it has too many lines, dates, attendees and changed occurrences together');
}
